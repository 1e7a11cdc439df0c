#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "sotto/methods/plan.h"

namespace sotto {

/// Which theorem bounds a run of noisy gradient descent. composition: every noised sum may leave. hidden_state: the
/// last weights alone leave. automatic: whichever needs less noise.
enum class DescentBound { automatic, composition, hidden_state };
constexpr auto enum_names(DescentBound) {
  return std::array{std::pair{std::string_view("auto"), DescentBound::automatic},
                    std::pair{std::string_view("composition"), DescentBound::composition},
                    std::pair{std::string_view("hidden_state"), DescentBound::hidden_state}};
}

/// Noisy gradient descent over all rows, or over fixed batches in turn (spec 7.5).
struct Dpgd {
  static constexpr std::string_view kName = "dpgd";
  static constexpr std::string_view kSummary = "gradient descent on full scans or cyclic batches, noise on every step";
  static constexpr std::string_view kReference = "[Dong22, Corollary 3.3] or [Bok24]";
  std::uint32_t passes = 0;
  std::uint64_t batch_rows = 0;
  double step_size = 0;
  double momentum = 0;
  DescentAverage averaging = DescentAverage::last;
  double radius = 0;
  double clip = 0;
  DescentBound bound = DescentBound::automatic;
  MechanismChoice mechanism = MechanismChoice::automatic;
  std::uint64_t declared_rows = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("passes", &Dpgd::passes, "passes over the rows; 0 = from rows, step and budget, at most 200"),
        field("batch_rows", &Dpgd::batch_rows, "rows a step, batches fixed and in stored order; 0 = all rows"),
        field("step_size", &Dpgd::step_size, "the step; 0 = 1/(beta + lambda)"),
        field("momentum", &Dpgd::momentum,
              "share of the last step that is kept (heavy ball), below 1; composition only"),
        field("averaging", &Dpgd::averaging, "last weights, or tail: mean of the last half of them; composition only"),
        field("radius", &Dpgd::radius, "project the weights onto this ball after each step; 0 = none that acts"),
        field("clip", &Dpgd::clip,
              "a row's gradient is scaled to at most this norm; 0 = the loss's own bound; composition only"),
        field("bound", &Dpgd::bound, "composition, hidden_state (lambda above 0), or auto: whichever needs less noise"),
        field("mechanism", &Dpgd::mechanism, "law of the noise under composition; auto follows delta"),
        field("declared_rows", &Dpgd::declared_rows,
              "add_remove only: the public constant used for the number of rows")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
