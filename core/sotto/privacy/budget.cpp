#include "sotto/privacy/budget.h"

#include "sotto/base/fields.h"

namespace sotto {
namespace {

constexpr double kLargest = 1e4;
constexpr double kLargestAsked = 1e6;

}  // namespace

void Budget::check() const {
  const std::string reach =
      epsilon > kLargest ? "; training takes up to " + number_text(kLargestAsked) + ", which buys what that buys" : "";
  require(epsilon > 0 && epsilon <= kLargest, "epsilon",
          "got " + number_text(epsilon) + ", must be given, above 0 and at most " + number_text(kLargest) + reach);
  require(delta >= 0 && delta < 0.5, "delta", "got " + number_text(delta) + ", must lie in [0, 0.5)");
  require(delta == 0 || delta >= 1e-300, "delta", "must be 0 or at least 1e-300");
}

Budget Budget::within_reach() const noexcept {
  Budget within = *this;
  if (epsilon > kLargest && epsilon <= kLargestAsked) within.epsilon = kLargest;
  return within;
}

}  // namespace sotto
