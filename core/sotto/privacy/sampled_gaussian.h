#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/mechanism.h"

namespace sotto {

/// Gaussian noise on sums over Poisson batches: the coins, the noise and the event they cost are one set of numbers.
/// `noise.grid.sensitivity` bounds what one row adds to a computed sum on the grid, and `noise.mu` is its ratio to the
/// standard deviation; the relation is applied by the accountant.
struct SampledGaussian {
  GaussianNoise noise{};
  double rate = 1;
  Event event() const { return PoissonSampledEvent{rate, 1 / noise.mu}; }
};

/// The rows of one step of a sampled mechanism; which they are is as secret as noise. Made by the curator, used once.
class PoissonBatch {
 public:
  PoissonBatch(PoissonBatch&& other) noexcept
      : positions_(std::move(other.positions_)), bits_(std::exchange(other.bits_, nullptr)), law_(other.law_) {}
  PoissonBatch& operator=(PoissonBatch&&) = delete;
  PoissonBatch(const PoissonBatch&) = delete;
  PoissonBatch& operator=(const PoissonBatch&) = delete;
  ~PoissonBatch() = default;
  /// Ascending; for the engine that feeds them, and for nobody else.
  const std::vector<std::uint64_t>& positions() const noexcept { return positions_; }

 private:
  friend class Curator;
  PoissonBatch() = default;
  std::vector<std::uint64_t> positions_;
  const void* bits_ = nullptr;  // whose coins these are; null once the sum was released
  SampledGaussian law_{};
};

/// How the noise of a sampled plan is found. pld: privacy-loss distribution. rdp: the moments accountant (SGD-MA).
/// advanced: every step amplified, steps by advanced composition (SGD-Adv).
enum class SampledAccounting { pld, rdp, advanced };
constexpr auto enum_names(SampledAccounting) {
  return std::array{std::pair{std::string_view("pld"), SampledAccounting::pld},
                    std::pair{std::string_view("rdp"), SampledAccounting::rdp},
                    std::pair{std::string_view("advanced"), SampledAccounting::advanced}};
}

/// Sums over Poisson batches, `steps` of them: one row adds a vector of norm at most `bound`, and computed sums are
/// within `rounding` of exact ones.
struct SampledShape {
  double bound = 0;
  double rounding = 0;
  double rate = 1;  ///< from exact_rate()
  std::uint64_t steps = 1;
  std::size_t dimension = 0;
  double distance = 0;  ///< how far the coins of a step are from independent ones
};
/// Calibrated noise of such sums. The law and the cost follow from its numbers.
struct SampledCalibrated {
  PlannedNoise planned{};
  double rate = 1;
  std::uint64_t steps = 1;
  SampledGaussian law() const { return {std::get<GaussianNoise>(planned.mechanism), rate}; }
  Charge charge() const { return {law().event(), steps, 1}; }
};
SampledCalibrated calibrate_sampled(const SampledShape& shape, const Budget& budget, SampledAccounting accounting);
/// The same with noise of a given standard deviation; what it promises at delta, by privacy-loss distribution.
SampledCalibrated account_sampled(const SampledShape& shape, const Budget& budget, double stddev);

/// epsilon of `steps` sampled Gaussian sums at delta by amplification and advanced composition; `noise` is relative to
/// one row's norm.
double advanced_epsilon(const PoissonSampledEvent& step, std::uint64_t steps, const Budget& budget);

}  // namespace sotto
