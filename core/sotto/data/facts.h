#pragma once
#include <cstdint>

namespace sotto {

/// What is public about a data set: its shape and its declared bound. Plans are computed from this alone.
struct Facts {
  std::uint64_t rows = 0;      ///< public under replace_one
  std::uint32_t features = 0;  ///< after encoding, the intercept included
  double data_norm = 1.0;      ///< every stored row has at most this L2 norm (up to 2^-20 relative, spec 5.4)
  bool sparse = false;
  std::uint32_t classes = 2;  ///< declared; 2: labels are +1 and -1, more: labels are 0, 1, ... classes - 1
};

}  // namespace sotto
