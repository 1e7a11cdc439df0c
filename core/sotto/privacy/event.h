#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "sotto/privacy/budget.h"

/// What a release costs. An event holds exactly the numbers an accountant needs; its comment is its definition.
namespace sotto {

/// Noise with density proportional to exp(-epsilon |x| / sensitivity) in the L2 norm: pure epsilon.
struct L2LaplaceEvent {
  static constexpr std::string_view kName = "l2_laplace";
  double epsilon = 0;
};
/// Independent integer noise P(k) proportional to exp(-|k| / scale) in each coordinate: pure epsilon.
struct DiscreteLaplaceEvent {
  static constexpr std::string_view kName = "discrete_laplace";
  double epsilon = 0;
};
/// Gaussian noise whose standard deviation is sensitivity / mu: mu-GDP, exactly.
struct GaussianEvent {
  static constexpr std::string_view kName = "gaussian";
  double mu = 0;
};
/// Discrete Gaussian noise: rho-zCDP.
struct DiscreteGaussianEvent {
  static constexpr std::string_view kName = "discrete_gaussian";
  double rho = 0;
};

using Event = std::variant<L2LaplaceEvent, DiscreteLaplaceEvent, GaussianEvent, DiscreteGaussianEvent>;

/// One line of a plan: the event happens `times` in sequence to the same rows, each time on `parts` disjoint parts
/// fixed by position, which compose in parallel (spec 6.3). Noise is drawn times * parts times.
struct Charge {
  Event event{};
  std::uint64_t times = 1;
  std::uint64_t parts = 1;
  std::uint64_t draws() const noexcept { return times * parts; }
};

/// delta spent by charges of one kind at the given epsilon, without delta_num: 0 for pure events whose sum is at most
/// epsilon, the Gaussian or zCDP profile otherwise; 1 where nothing is promised. Events of several kinds are refused.
double composed_delta(std::span<const Charge> charges, double epsilon);

}  // namespace sotto
