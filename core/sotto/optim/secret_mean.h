#pragma once
#include <span>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/linalg/vector.h"

namespace sotto {

/// The weighted sum of secret vectors of one length, itself a secret.
class SecretMean {
 public:
  /// Throws Error{internal} unless there are as many weights as vectors, at least one, all of `size` numbers.
  static Sensitive<Vector> of(std::vector<Sensitive<Vector>>&& secrets, std::span<const double> weights,
                              std::size_t size);
};

}  // namespace sotto
