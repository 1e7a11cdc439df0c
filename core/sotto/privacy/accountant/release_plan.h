#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "sotto/base/catalog.h"
#include "sotto/privacy/event.h"

namespace sotto {

/// How the rows of a step are chosen. A shuffled pass is `none`: it gets no amplification. with_replacement is one row
/// drawn from all rows; several draws may take a row twice and have no proof (spec 6.2).
enum class Sampling { none, poisson, fixed, with_replacement };
constexpr auto enum_names(Sampling) {
  return std::array{std::pair{std::string_view("none"), Sampling::none},
                    std::pair{std::string_view("poisson"), Sampling::poisson},
                    std::pair{std::string_view("fixed"), Sampling::fixed},
                    std::pair{std::string_view("with_replacement"), Sampling::with_replacement}};
}

enum class PlanNoise { gaussian, laplace, l2_laplace, discrete_laplace, discrete_gaussian };
constexpr auto enum_names(PlanNoise) {
  return std::array{std::pair{std::string_view("gaussian"), PlanNoise::gaussian},
                    std::pair{std::string_view("laplace"), PlanNoise::laplace},
                    std::pair{std::string_view("l2_laplace"), PlanNoise::l2_laplace},
                    std::pair{std::string_view("discrete_laplace"), PlanNoise::discrete_laplace},
                    std::pair{std::string_view("discrete_gaussian"), PlanNoise::discrete_gaussian}};
}

/// The same noisy sum released `steps` times, over all rows or over a sample of them.
struct ReleasePlan {
  PlanNoise mechanism = PlanNoise::gaussian;
  Sampling sampling = Sampling::poisson;
  double rate = 1;
  double noise = 0;
  std::uint64_t steps = 1;
  std::optional<std::uint64_t> draws = {};

  static constexpr auto fields() {
    return std::tuple{
        field("mechanism", &ReleasePlan::mechanism, "law of the noise"),
        field("sampling", &ReleasePlan::sampling, "how the rows of a step are chosen"),
        field("rate", &ReleasePlan::rate,
              "share of the rows in a step, public; 1: all rows; with_replacement: one row of 1/rate rows"),
        field(
            "noise", &ReleasePlan::noise,
            "standard deviation of Gaussian noise, or scale of Laplace noise, over the norm of one row's contribution"),
        field("steps", &ReleasePlan::steps, "number of releases"),
        field("draws", &ReleasePlan::draws,
              "with_replacement, to be given there: rows drawn in a step; only 1 has a proof")};
  }
  /// The event under the relation: a row that is replaced moves a sum over all rows by twice its norm.
  Event event(Relation relation) const;
};

}  // namespace sotto
