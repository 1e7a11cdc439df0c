#pragma once
#include <span>
#include <utility>

#include "sotto/optim/psgd.h"
#include "sotto/privacy/curator.h"

namespace sotto {

/// Joins the noise hook of an aggregate to the curator's noise.
class CuratedNoise final : public StepNoise {
 public:
  explicit CuratedNoise(NoisySums sums) : sums_(std::move(sums)) {}
  void perturb(std::span<double> values) noexcept override { sums_.perturb(values); }
  void step(double decay, double size, std::span<double> batch_sum, std::span<double> weights) noexcept override {
    sums_.step(decay, size, batch_sum, weights);
  }
  void step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept override {
    sums_.step_row(decay, size, row, weights);
  }
  const NoisySums& sums() const noexcept { return sums_; }

 private:
  NoisySums sums_;
};

}  // namespace sotto
