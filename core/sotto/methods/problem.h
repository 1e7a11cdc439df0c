#pragma once
#include <tuple>

#include "sotto/base/catalog.h"
#include "sotto/losses/loss.h"

namespace sotto {

/// What is minimised: F(w) = (1/m) sum phi(y w.x) + (lambda/2) |w|^2, the intercept regularised like every weight. More
/// than two classes: the sum over all outputs, one against the rest each, or softmax; lambda is for all weights.
struct Problem {
  Loss loss{};
  double lambda = 0;

  static constexpr auto fields() {
    return std::tuple{field("loss", &Problem::loss, "the loss of a margin, or of the scores of all classes"),
                      field("lambda", &Problem::lambda, "L2 regularisation, at least 0")};
  }
  /// Throws Error{invalid_argument} for a lambda or loss parameter out of range.
  void check() const;
};

}  // namespace sotto
