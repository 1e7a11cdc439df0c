#include "sotto/base/error.h"

namespace sotto {

std::string_view name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid_argument: return "invalid argument";
    case ErrorKind::invalid_data: return "invalid data";
    case ErrorKind::budget_exceeded: return "budget exceeded";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::io: return "io";
    case ErrorKind::internal: return "internal";
  }
  return "internal";
}

void require(bool ok, std::string_view field, const std::string& message) {
  if (!ok) throw Error(ErrorKind::invalid_argument, std::string(field) + ": " + message, std::string(field));
}

}  // namespace sotto
