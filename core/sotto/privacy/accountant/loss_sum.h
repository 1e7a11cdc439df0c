#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/privacy/accountant/loss_grid.h"

namespace sotto {

/// A law on a grid and how often it is drawn.
struct GridTerm {
  LossGrid grid;
  std::uint64_t count = 1;
};

/// Where the sum is computed: the losses from `low` on, `points` of them; exponentially tilted.
struct SumPlan {
  double tilt = 0;
  std::int64_t low = 0;
  std::size_t points = 0;  ///< even, with small factors
  double above = 0;        ///< exponents of the Chernoff bounds on what lies outside; any are valid
  double below = 0;
};

/// The law of a sum of independent losses, from one Fourier transform, with certified bounds on its profile.
class LossSum {
 public:
  LossSum(std::span<const GridTerm> terms, const SumPlan& plan);

  double delta_upper(double epsilon) const;
  double delta_lower(double epsilon) const;
  /// Smallest epsilon >= 0 with delta_upper <= delta; infinite if none. Largest with delta_lower > delta; 0 if none.
  double epsilon_upper(double delta) const;
  double epsilon_lower(double delta) const;

 private:
  /// ln P[S >= x] <= log_moment - exponent x under the tilted law (below: of -S).
  struct Chernoff {
    double exponent = 0, log_moment = 0;
  };
  struct Half {
    std::vector<double> weighted;  // sum over losses at or above i of e^(-tilt x)(1 - e^(-x)) mass, x from i
    std::vector<double> decaying;  // the same of e^(-(tilt+1) x) mass
    double log_scale = 0;          // ln of the product of the moments
    double mass_error = 0;         // in the Euclidean norm, of the computed masses
    std::vector<Chernoff> above, below;
    double infinite = 0;  // P mass at infinite loss
  };
  struct Spectra;
  std::vector<double> absorb(Half& half, const GridTerm& term, bool upper) const;
  void multiply(Spectra& spectra, const GridTerm& term);
  void invert(const Spectra& spectra);
  void fill(Half& half, bool upper) const;
  double outside(const Half& half, double epsilon) const;
  double delta_of(const Half& half, double epsilon, double sign) const;

  SumPlan plan_;
  double step_ = 0;
  Half upper_, lower_;
};

}  // namespace sotto
