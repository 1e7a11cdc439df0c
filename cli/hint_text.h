#pragma once
#include <string>

#include "sotto/base/error.h"

namespace sotto::cli {

/// What would help, in flags and commands; empty where the error has no hint.
std::string hint_text(const Error& error);

}  // namespace sotto::cli
