// What: which steps of permutation SGD are bounded together.
// Rule: a span that begins at position p of a pass has at most r (p + 1) steps and at most r/|1 - rho| of them, rho the
//   contraction of the first pass there. Step sizes never rise and fall no faster than 1/t, so within a span sizes differ by
//   a share of at most r, and in a later pass by less.
// Any cut gives a valid bound; this one gives a tight one.
// Fails if wrong: Sensitivity.ManySteps*.
#include "sotto/optim/step_spans.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMaxSingleSteps = std::uint64_t{1} << 18U;
constexpr std::uint64_t kMaxSpans = std::uint64_t{1} << 19U;
constexpr std::uint64_t kMinSpansPerPass = 4096;
constexpr std::uint64_t kSingleAtEnd = 64;  // averages over the last iterates weigh these alone
constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 22U;
constexpr double kSmallShare = 0x1p-10;
constexpr double kMaxShare = 1e6;

/// So many steps that expand more than a hundredfold each have no bound.
[[noreturn]] void refuse_expanding() {
  throw Error(ErrorKind::unsupported,
              "step: the steps are so large that the sensitivity has no useful bound; lower the steps", "step");
}

}  // namespace

StepSpans::StepSpans(const Recipe& recipe, const Facts& facts, double smoothness)
    : recipe_(recipe), steps_per_pass_(recipe.steps_per_pass(facts.rows)) {
  if (recipe.steps(facts.rows) <= kMaxSingleSteps) return;
  for (double share = kSmallShare; !cut(share, smoothness); share *= 2) {
  }
}

bool StepSpans::cut(double share, double smoothness) {
  const std::uint64_t enough = std::max(kMaxSpans / recipe_.passes, kMinSpansPerPass);
  const bool all_alike = recipe_.step.growth == StepRule::Growth::none && recipe_.averaging != Averaging::weighted;
  ends_.clear();
  for (std::uint64_t p = 0; p < steps_per_pass_;) {
    const double rho = recipe_.contraction(recipe_.step(p + 1), smoothness);
    const double grown = all_alike ? 1e18 : share * static_cast<double>(p + 1);
    const double longest = std::min(grown, share / std::max(std::fabs(1 - rho), 1e-300));
    const std::uint64_t left = steps_per_pass_ - p;
    const std::uint64_t room = left > kSingleAtEnd ? left - kSingleAtEnd : 1;
    p += std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::min(longest, 1e18)), 1, room);
    ends_.push_back(p);
    if (ends_.size() > enough && share < kMaxShare) return false;
    if (ends_.size() > kMaxEntries) refuse_expanding();
  }
  return true;
}

StepSpan StepSpans::at(std::uint64_t i) const noexcept {
  const std::uint64_t here = per_pass();
  const std::uint64_t before = i / here * steps_per_pass_;
  const std::uint64_t position = i % here;
  std::uint64_t first = position, last = position + 1;
  if (!ends_.empty()) {
    first = position == 0 ? 0 : ends_[position - 1];
    last = ends_[position];
  }
  const double largest = recipe_.step(before + first + 1);
  return {before + first + 1, before + last, largest, last == first + 1 ? largest : recipe_.step(before + last)};
}

}  // namespace sotto
