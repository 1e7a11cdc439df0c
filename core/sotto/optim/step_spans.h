#pragma once
#include <cstdint>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/optim/recipe.h"

namespace sotto {

/// Steps first..last of a run, counted from 1, and their largest and smallest sizes.
struct StepSpan {
  std::uint64_t first;
  std::uint64_t last;
  double largest;
  double smallest;
  std::uint64_t count() const noexcept { return last - first + 1; }
};

/// The steps of a run in spans, the same positions in every pass. In a short run each step is a span of its own. In a long
/// one, steps lie in one span when their sizes and the contraction over all of them differ by a small share, so that the
/// number of spans does not grow with the rows.
class StepSpans {
 public:
  StepSpans(const Recipe& recipe, const Facts& facts, double smoothness);

  std::uint64_t per_pass() const noexcept { return ends_.empty() ? steps_per_pass_ : ends_.size(); }
  std::uint64_t count() const noexcept { return recipe_.passes * per_pass(); }
  /// The i-th span of the run.
  StepSpan at(std::uint64_t i) const noexcept;

 private:
  bool cut(double share, double smoothness);

  const Recipe& recipe_;
  std::uint64_t steps_per_pass_;
  std::vector<std::uint64_t> ends_;  // positions after the last of each span; empty: every step by itself
};

}  // namespace sotto
