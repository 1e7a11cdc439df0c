#include "sotto/privacy/budget.h"

#include <algorithm>

#include "sotto/base/fields.h"

namespace sotto {
namespace {

constexpr double kMax = 1e4;
constexpr double kMaxAsked = 1e6;

/// There is no default: 0 stands for an epsilon that was not said.
void check_epsilon(bool ok, double epsilon, double most) {
  if (ok) return;
  const std::string limits = "above 0 and at most " + std::to_string(static_cast<int>(most));
  if (epsilon == 0) {
    throw Error(ErrorKind::invalid_argument, "epsilon: say how much privacy loss may be spent, " + limits, "epsilon",
                {HintKind::say_field});
  }
  require(false, "epsilon", "got " + number_text(epsilon) + ", must be " + limits);
}

}  // namespace

void Budget::check() const {
  check_epsilon(epsilon > 0 && epsilon <= kMax, epsilon, kMax);
  require(delta >= 0 && delta < 0.5, "delta", "got " + number_text(delta) + ", must lie in [0, 0.5)");
  require(delta == 0 || delta >= 1e-300, "delta", "must be 0 or at least 1e-300");
}

Budget Budget::within_reach() const {
  check_epsilon(!(epsilon > kMaxAsked), epsilon, kMaxAsked);  // methods without noise have none
  Budget within = *this;
  within.epsilon = std::min(epsilon, kMax);
  return within;
}

}  // namespace sotto
