#pragma once
#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace sotto::cli {

enum class Shell { bash, zsh, fish };
constexpr auto enum_names(Shell) {
  return std::array{std::pair{std::string_view("bash"), Shell::bash}, std::pair{std::string_view("zsh"), Shell::zsh},
                    std::pair{std::string_view("fish"), Shell::fish}};
}

/// A script by which a shell completes verbs, flags and their values, made from the flags the program parses.
std::string completion_script(const CLI::App& program, Shell shell);

}  // namespace sotto::cli
