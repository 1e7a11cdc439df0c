#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "capi/sotto_c.h"
#include "fuzz_demand.h"

namespace sotto::fuzz {

/// Whether a call of the C boundary succeeded. A refusal has words and is never "an internal error": that is what
/// remains for an exception nobody thought of.
inline bool accepted(sotto_status status, const sotto_error& error) {
  if (status == SOTTO_OK) return true;
  demand(status != SOTTO_INTERNAL);
  demand(std::strlen(error.message) > 0);
  return false;
}

/// The parts of an input between line ends; as many as asked for, the last one with the rest.
inline std::vector<std::string> parts_of(const std::uint8_t* data, std::size_t size, std::size_t count) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (parts.size() + 1 < count) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    parts.push_back(all.substr(at, end - at));
    at = std::min(end + 1, all.size());
  }
  parts.push_back(all.substr(at));
  return parts;
}

}  // namespace sotto::fuzz
