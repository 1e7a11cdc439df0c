#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"

namespace sotto {

/// SGD in scan order whose noise is correlated over steps, so that it cancels in the weights (spec 7.10). All iterates
/// may leave.
struct Correlated {
  static constexpr std::string_view kName = "correlated";
  static constexpr std::string_view kSummary = "permutation SGD, noise on every batch sum that cancels over steps";
  static constexpr std::string_view kReference = "[Denisov22], [Choquette23], factors of [Fichtenberger23]";
  std::uint32_t passes = 5;
  std::uint64_t batch_rows = 0;
  double step_size = 0;
  double radius = 0;
  RowOrder order = RowOrder::fixed;

  static constexpr auto fields() {
    return std::tuple{
        field("passes", &Correlated::passes, "passes over the rows"),
        field("batch_rows", &Correlated::batch_rows, "rows a step; 0 = a fiftieth of the rows"),
        field("step_size", &Correlated::step_size,
              "the step; 0 = from rows, steps and budget, at most 1/(beta + lambda)"),
        field("radius", &Correlated::radius, "project the weights onto this ball after each step; 0 = no projection"),
        field("order", &Correlated::order, "order of the rows: fixed shuffle or as stored; fresh is refused")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
