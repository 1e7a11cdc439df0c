#pragma once
#include <string>
#include <string_view>

#include "sotto/base/error.h"

namespace sotto {

/// Throws Error{unsupported}: this accountant cannot treat this event, and why.
[[noreturn]] inline void refuse(std::string_view accountant, std::string_view event, std::string_view why) {
  throw Error(ErrorKind::unsupported,
              std::string(accountant) + " cannot account " + std::string(event) + ": " + std::string(why));
}

}  // namespace sotto
