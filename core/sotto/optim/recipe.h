#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sotto/data/facts.h"
#include "sotto/losses/loss.h"
#include "sotto/optim/averaging.h"
#include "sotto/optim/precision.h"
#include "sotto/optim/projection.h"
#include "sotto/optim/step_schedule.h"

namespace sotto {

/// Permutation SGD as a value: everything that happens to a row, fixed before any row is read (spec 3, 3.5).
/// Step t: w <- Proj(w - eta_t (lambda w + (1/b) sum over the batch of grad l0)); the divisor is the nominal
/// batch_rows even for the short last batch of a pass. A recipe knows no epsilon and no random source.
struct Recipe {
  Loss loss{};
  double lambda = 0;
  StepRule step{};
  std::uint64_t batch_rows = 1;
  std::uint32_t passes = 1;
  BallProjection projection{};
  Averaging averaging = Averaging::last;
  bool fresh_order = false;  ///< a new order of the rows in every pass
  Precision precision = Precision::plain;

  /// ceil(rows / batch_rows), also where rows + batch_rows does not fit 64 bits.
  std::uint64_t steps_per_pass(std::uint64_t rows) const noexcept {
    return rows / batch_rows + (rows % batch_rows != 0 ? 1 : 0);
  }
  std::uint64_t steps(std::uint64_t rows) const noexcept { return passes * steps_per_pass(rows); }
  /// rho of spec 3.1: a step of size eta multiplies the distance of two iterates by at most this.
  double contraction(double eta, double smoothness) const noexcept {
    return std::max(std::fabs(1 - eta * lambda), std::fabs(1 - eta * (smoothness + lambda)));
  }
};

}  // namespace sotto
