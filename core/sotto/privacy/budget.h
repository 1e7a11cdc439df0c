#pragma once
#include <string>
#include <tuple>

#include "sotto/base/catalog.h"
#include "sotto/privacy/relation.h"

namespace sotto {

/// What may be spent on one training run.
struct Budget {
  double epsilon = 0;  ///< above 0; there is no default, the caller says how much
  double delta = 0;    ///< 0 asks for pure noise (L2-Laplace), above 0 for Gaussian noise
  Relation relation = Relation::replace_one;

  static constexpr auto fields() {
    return std::tuple{field("epsilon", &Budget::epsilon, "privacy loss that may be spent, above 0"),
                      field("delta", &Budget::delta, "0 for pure noise, above 0 (below 0.5) for Gaussian noise"),
                      field("relation", &Budget::relation, "which data sets are neighbours")};
  }
  /// Throws Error{invalid_argument} unless 0 < epsilon <= 1e4 and 0 <= delta < 0.5.
  void check() const;
  /// Calibration works up to epsilon 1e4, which promises nothing any more. Requests for a training or for bounds may
  /// ask for up to 1e6, the one limit that users meet. They get what 1e4 buys. Throws Error{invalid_argument} beyond.
  Budget within_reach() const;
};

/// What was promised: the relation, the unit and the form are part of it (spec 1.1).
struct Guarantee {
  double epsilon = 0;
  double delta = 0;
  Relation relation = Relation::replace_one;
  std::string unit = "one row";
  std::string released = "final weights";
};

}  // namespace sotto
