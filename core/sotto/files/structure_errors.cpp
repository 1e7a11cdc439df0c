#include "sotto/files/structure_errors.h"

#include "sotto/base/error.h"

namespace sotto {

void StructureErrors::fail(std::uint64_t line, const std::string& message) const {
  if (options_.show_lines) {
    throw Error(ErrorKind::invalid_data, source_ + ", line " + std::to_string(line) + ": " + message, "data");
  }
  throw Error(ErrorKind::invalid_data, source_ + ": " + message, "data", {HintKind::inspect_data});
}

void StructureErrors::fail(const std::string& message) const {
  throw Error(ErrorKind::invalid_data, source_ + ": " + message, "data");
}

}  // namespace sotto
