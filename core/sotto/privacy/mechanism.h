#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/event.h"
#include "sotto/random/bit_source.h"
#include "sotto/random/grid_noise.h"

/// A mechanism draws the noise and names the event it costs: the two cannot differ. None exists without a
/// sensitivity. All release on a public grid (spec 5.2): value = g (rint(f/g) + K).
namespace sotto {

/// The grid of a release: g is the largest power of two at most Delta / (1024 sqrt d); noise is calibrated to
/// Delta + g sqrt d, which covers the rounding of f to the grid.
struct Grid {
  double step = 0;
  double sensitivity = 0;  ///< Delta + g sqrt d, rounded up
};
Grid make_grid(double sensitivity, std::size_t dimension);

/// Largest standard deviation of a coordinate in grid steps: 128 of them stay below 2^52, so that the integer noise and
/// its sum with the rounded value are exact in binary64. Noise that was itself rounded would show the value's low bits.
inline constexpr double kMaxStddev = 0x1p45;
inline constexpr double kMaxDiscreteSigma = 0x1p31;  ///< of discrete Gaussian noise: its square must fit 64 bits

/// What every mechanism knows. Its `draw` fills as many independent vectors of `dimension` coordinates as fit.
struct NoiseBase {
  double sensitivity = 0;  ///< Delta of what is released
  std::size_t dimension = 0;
  Grid grid{};
};

/// Density proportional to exp(-epsilon |x| / Delta') (spec 4.1).
struct L2LaplaceNoise : NoiseBase {
  static constexpr std::string_view kName = "l2_laplace";
  double epsilon = 0;
  double scale() const noexcept { return grid.sensitivity / epsilon; }
  double stddev() const noexcept;  ///< of one coordinate: scale sqrt(d + 1)
  Event event() const { return L2LaplaceEvent{epsilon}; }
  void draw(BitSource& bits, std::span<std::int64_t> noise) const;
  /// In natural units: the integers times the grid step.
  void draw_on_grid(BitSource& bits, std::span<double> noise) const;
};

/// N(0, sigma^2 I), sigma = Delta' / mu (spec 4.2).
struct GaussianNoise : NoiseBase {
  static constexpr std::string_view kName = "gaussian";
  double mu = 0;
  double scale() const noexcept { return grid.sensitivity / mu; }
  double stddev() const noexcept { return scale(); }
  Event event() const { return GaussianEvent{mu}; }
  void draw(BitSource& bits, std::span<std::int64_t> noise) const;
  /// In natural units: the integers times the grid step.
  void draw_on_grid(BitSource& bits, std::span<double> noise) const;
};

/// Independent integers P(k) proportional to exp(-epsilon g |k| / (sqrt d Delta')), exact (spec 5.2).
struct DiscreteLaplaceNoise : NoiseBase {
  static constexpr std::string_view kName = "discrete_laplace";
  double epsilon = 0;
  double scale() const noexcept;
  double stddev() const noexcept;
  Event event() const { return DiscreteLaplaceEvent{epsilon}; }
  void draw(BitSource& bits, std::span<std::int64_t> noise) const;
};

/// Independent integers P(k) proportional to exp(-k^2 g^2 / (2 sigma^2)), sigma = Delta' / sqrt(2 rho), exact.
struct DiscreteGaussianNoise : NoiseBase {
  static constexpr std::string_view kName = "discrete_gaussian";
  double rho = 0;
  double scale() const noexcept;
  double stddev() const noexcept { return scale(); }
  Event event() const { return DiscreteGaussianEvent{rho}; }
  void draw(BitSource& bits, std::span<std::int64_t> noise) const;
};

using Mechanism = std::variant<L2LaplaceNoise, GaussianNoise, DiscreteLaplaceNoise, DiscreteGaussianNoise>;

inline Event event_of(const Mechanism& mechanism) {
  return std::visit([](const auto& m) { return m.event(); }, mechanism);
}
inline const NoiseBase& base_of(const Mechanism& mechanism) {
  return std::visit([](const auto& m) -> const NoiseBase& { return m; }, mechanism);
}

/// Which mechanism a plan uses; automatic takes l2_laplace for delta = 0 and gaussian otherwise.
enum class MechanismChoice { automatic, l2_laplace, gaussian, discrete_laplace, discrete_gaussian };
constexpr auto enum_names(MechanismChoice) {
  return std::array{std::pair{std::string_view("auto"), MechanismChoice::automatic},
                    std::pair{std::string_view("l2_laplace"), MechanismChoice::l2_laplace},
                    std::pair{std::string_view("gaussian"), MechanismChoice::gaussian},
                    std::pair{std::string_view("discrete_laplace"), MechanismChoice::discrete_laplace},
                    std::pair{std::string_view("discrete_gaussian"), MechanismChoice::discrete_gaussian}};
}

/// What is to be released: vectors of `dimension` numbers with the given sensitivity, `times` in sequence touching
/// the same row, each time on `parts` disjoint parts by position; more than one part under replace_one only.
struct ReleaseShape {
  double sensitivity = 0;
  std::size_t dimension = 0;
  std::uint64_t times = 1;
  std::uint64_t parts = 1;
};

/// The noise that a plan adds and what the plan promises by it. What it costs is not in here: whoever draws names that.
struct PlannedNoise {
  Mechanism mechanism{};
  double epsilon = 0;
  double delta = 0;      ///< delta_num included
  double delta_num = 0;  ///< the part of delta that pays for the numerical distance from the ideal law
  double distance = 0;   ///< that distance in total variation, over all draws; what a filter charges
};

/// A mechanism calibrated so that all its releases together fit the budget. Their cost follows from the mechanism.
struct Calibrated : PlannedNoise {
  std::uint64_t times = 1;  ///< in sequence, as in ReleaseShape
  std::uint64_t parts = 1;
  Charge charge() const { return {event_of(mechanism), times, parts}; }
};
Calibrated calibrate(MechanismChoice choice, const ReleaseShape& shape, const Budget& budget);

/// The same mechanism, with the same event, for values of a smaller sensitivity: less noise. The mechanism itself where
/// the sensitivity is not smaller or the noise would be too large for its grid.
Mechanism for_sensitivity(const Mechanism& mechanism, double sensitivity);

}  // namespace sotto
