#pragma once
#include <concepts>
#include <cstdint>
#include <limits>

#include "sotto/base/error.h"

namespace sotto {

/// The whole number that a JSON value is. The library's own conversion takes fractions, negative and far too large
/// numbers as well, whose result C++ does not define. Throws Error{invalid_data}.
template <std::unsigned_integral Integer, class Json>
Integer whole_number(const Json& json) {
  if (json.is_number_unsigned() || (json.is_number_integer() && json.template get<std::int64_t>() >= 0)) {
    const auto value = json.template get<std::uint64_t>();
    if (value <= std::numeric_limits<Integer>::max()) return static_cast<Integer>(value);
  }
  throw Error(ErrorKind::invalid_data, "a whole number is written as something else, or is too large");
}

}  // namespace sotto
