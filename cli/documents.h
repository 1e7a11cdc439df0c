#pragma once
#include <string_view>

namespace sotto::cli {

/// docs/glossary.md and docs/methods.md, as they were when the program was built.
extern const std::string_view kGlossary;
extern const std::string_view kMethods;

}  // namespace sotto::cli
