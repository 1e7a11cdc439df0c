#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "sotto/base/error.h"

namespace sotto::cli {

/// The first word of a command line that is no verb or no flag, told with what may have been meant. None: the mistake
/// is another one.
std::optional<Error> unknown_word(const CLI::App& program, std::span<const std::string> words);

/// The verb that the words lead to, or as far as they do.
const CLI::App& verb_of(const CLI::App& program, std::span<const std::string> words);

}  // namespace sotto::cli
