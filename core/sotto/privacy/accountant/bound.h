#pragma once

namespace sotto {

/// The truth lies between the two; guarantees are stated with `upper`.
struct Bound {
  double lower = 0;
  double upper = 0;
};

}  // namespace sotto
