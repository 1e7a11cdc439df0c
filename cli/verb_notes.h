#pragma once
#include <string_view>
#include <vector>

namespace sotto::cli {

/// What the help of a verb has beside its flags.
struct VerbNote {
  std::string_view verb;  ///< "data pack"; "" is the program
  /// The flags that most people use first. Empty: all of them, which are few.
  std::vector<std::string_view> first;
  std::string_view example;  ///< commands, a line each
};

/// Every verb has one; nullptr for other words.
const VerbNote* note_of(std::string_view verb);

}  // namespace sotto::cli
