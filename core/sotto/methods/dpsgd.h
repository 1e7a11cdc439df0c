#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"
#include "sotto/methods/sampled_descent.h"

namespace sotto {

/// SGD on Poisson batches of clipped gradients, noise on every batch sum (spec 7.4). All iterates may leave.
struct Dpsgd {
  static constexpr std::string_view kName = "dpsgd";
  static constexpr std::string_view kSummary = "SGD on secret random batches, noise on every batch sum; any loss";
  static constexpr std::string_view kReference = "[Abadi16, Algorithm 1], accounted by [Zhu22]";
  double passes = 10;
  std::uint64_t batch_rows = 0;
  double step_size = 0;
  double momentum = 0;
  double clip = 0;
  double radius = 0;
  SampledAccounting accounting = SampledAccounting::pld;
  std::uint64_t declared_rows = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("passes", &Dpsgd::passes, "expected passes over the rows"),
        field("batch_rows", &Dpsgd::batch_rows,
              "expected rows a step, the divisor of every batch sum; 0 = 500, or a 2000th of the rows if that is more"),
        field("step_size", &Dpsgd::step_size, "the step; 0 = 1/(beta + lambda)"),
        field("momentum", &Dpsgd::momentum, "share of the last step that is kept (heavy ball), below 1"),
        field("clip", &Dpsgd::clip, "a row's gradient is scaled to at most this norm; 0 = the loss's own bound"),
        field("radius", &Dpsgd::radius, "project the weights onto this ball after each step; 0 = no projection"),
        field("accounting", &Dpsgd::accounting, "how the noise is found: pld, rdp (SGD-MA) or advanced (SGD-Adv)"),
        field("declared_rows", &Dpsgd::declared_rows,
              "add_remove only: the public constant used for the number of rows")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
