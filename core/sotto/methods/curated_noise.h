#pragma once
#include <span>
#include <utility>

#include "sotto/optim/psgd.h"
#include "sotto/privacy/curator.h"

namespace sotto {

/// Joins the noise hook of an aggregate to the curator's noise.
class CuratedVectors final : public StepNoise {
 public:
  explicit CuratedVectors(NoisySums sums) : sums_(std::move(sums)) {}
  void perturb(std::span<double> values) noexcept override { sums_.perturb(values); }
  const NoisySums& sums() const noexcept { return sums_; }

 private:
  NoisySums sums_;
};

}  // namespace sotto
