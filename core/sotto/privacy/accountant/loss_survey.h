#pragma once
#include <cstdint>
#include <vector>

#include "sotto/privacy/accountant/loss_law.h"

namespace sotto {

/// A rough picture of a sum of independent losses: a few hundred atoms a law, good to about a percent. It chooses grid,
/// window and tilt; no bound rests on it.
class LossSurvey {
 public:
  /// `cut_above`: P mass at the largest losses that is left out.
  void add(const LossLaw& law, std::uint64_t count, double cut_above);

  /// ln E[e^(tilt loss)] of the sum and its first two derivatives.
  struct Cumulants {
    double value = 0, mean = 0, variance = 0;
  };
  Cumulants at(double tilt) const;
  /// ln delta(mean at tilt), by the saddle point.
  double log_delta(double tilt) const;
  /// The tilt whose mean is epsilon, or whose delta is the given one; at least 0.
  double tilt_for_epsilon(double epsilon) const;
  double tilt_for_delta(double log_delta) const;
  /// Losses between which the tilted sum lies but for exp(log_mass) on either side.
  struct Window {
    double low = 0, high = 0;
    double below = 0, above = 0;  ///< the exponents that show it
  };
  Window window(double tilt, double log_mass) const;
  double steps() const noexcept { return steps_; }

 private:
  struct Part {
    std::vector<double> loss, log_p;
    double count = 0;
  };
  std::vector<Part> parts_;
  double steps_ = 0;
  double largest_ = 0;  // loss of one draw
};

}  // namespace sotto
