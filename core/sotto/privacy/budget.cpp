#include "sotto/privacy/budget.h"

#include "sotto/base/fields.h"

namespace sotto {

void Budget::check() const {
  require(epsilon > 0 && epsilon <= 1e4, "epsilon",
          "got " + number_text(epsilon) + ", must be given, above 0 and at most 10000");
  require(delta >= 0 && delta < 0.5, "delta", "got " + number_text(delta) + ", must lie in [0, 0.5)");
  require(delta == 0 || delta >= 1e-300, "delta", "must be 0 or at least 1e-300");
}

}  // namespace sotto
