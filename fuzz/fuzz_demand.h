#pragma once
#include <cstdlib>

namespace sotto::fuzz {

/// Stops the fuzzer: a law of the library is broken.
inline void demand(bool law) {
  if (!law) std::abort();
}

}  // namespace sotto::fuzz
