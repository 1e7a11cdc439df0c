#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/vector.h"
#include "sotto/privacy/choice.h"
#include "sotto/privacy/discovery.h"
#include "sotto/privacy/joint_gaussian.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/privacy/noise_supply.h"
#include "sotto/privacy/objective_noise.h"
#include "sotto/privacy/poisson_coins.h"
#include "sotto/privacy/sampled_gaussian.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// The noise of a number of sums, drawn in their order. NoisySums decides which of them may be noised.
class SumNoise {
 public:
  SumNoise(BitSource& bits, const Mechanism& mechanism, NoiseDemand demand);
  SumNoise(const SumNoise&) = delete;
  SumNoise& operator=(const SumNoise&) = delete;
  virtual ~SumNoise() = default;

  virtual void add(std::span<double> sum) noexcept;
  /// weights = decay * weights - size * (the noised sum), in one sweep; the sum itself is left as it was.
  virtual void step(double decay, double size, std::span<const double> sum, std::span<double> weights) noexcept;
  /// The same with the sum coefficient * row.
  virtual void step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept;

 private:
  NoiseSupply supply_;
  double grid_step_;
};

/// Draws everything that is random for a curator, from one source of bits. Whether a draw is allowed is for the curator
/// to say, before it asks. A curator makes its own drawer; one that is given another is stamped *not private*, since
/// that one sees every value before its noise.
class Drawer {
 public:
  explicit Drawer(BitSource& bits) noexcept : bits_(&bits) {}
  Drawer(const Drawer&) = delete;
  Drawer& operator=(const Drawer&) = delete;
  virtual ~Drawer() = default;
  BitSource& bits() const noexcept { return *bits_; }

  /// The value with the mechanism's noise, on its grid.
  virtual Vector release(Vector value, const Mechanism& mechanism);
  /// The sum over the rows of one batch.
  virtual Vector release_batch(Vector sum, const SampledGaussian& law, std::span<const std::uint64_t> rows);
  /// What was minimised with the linear term, with the noise of the release.
  virtual Vector release_minimiser(Vector found, const ObjectiveNoise& noise, std::span<const double> linear);
  Vector linear_term(const ObjectiveNoise& noise);
  virtual std::size_t choose(const Vector& scores, const Choice& choice);
  std::vector<std::string> discover(const TextCounts& counts, const Discovery& discovery);
  /// The positions of one batch, ascending.
  virtual std::vector<std::uint64_t> draw_batch(const SampledGaussian& law, std::uint64_t rows);
  virtual std::unique_ptr<SumNoise> batch_sums(const Mechanism& mechanism, NoiseDemand demand);
  virtual std::unique_ptr<SumNoise> joint_sums(const JointGaussian& law);

 private:
  BitSource* bits_;
  std::optional<PoissonCoins> coins_;  // of the last law and number of rows
};

}  // namespace sotto
