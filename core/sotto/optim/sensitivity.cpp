// What: the L2 sensitivity of permutation SGD under replace_one.
// Formula (spec 3.1, 3.2), with rho_t = max(|1 - eta_t lambda|, |1 - eta_t (beta + lambda)|):
//   A_T = alpha_T;  A_t = alpha_t + rho_{t+1} A_{t+1};  c_t = D eta_t A_t / b
//   same order every pass: max_s sum_j c_{s+jn};   fresh order every pass: sum_j max_s c_{s+jn}
// plus 2 sum_t A_t e_t for rounding (spec 5.4, step_rounding.h), and what averages round.
// Conditions: convex smooth loss, each row once per pass, divisor b always, projection convex or none.
// Reference: [Hardt16, Lemma 2.5], [Wu17, Lemmas 6 to 8] corrected as in docs/notes/sensitivity.md.
// Fails if wrong: Sensitivity.* (closed forms, many steps bounded together against one by one), NeighbourTest.* (distance
// within the claim, tight within 1 percent).
#include "sotto/optim/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/stop.h"
#include "sotto/optim/step_rounding.h"
#include "sotto/optim/step_spans.h"

namespace sotto {
namespace {

constexpr double kUnitRoundoff = 0x1p-53;
constexpr std::uint64_t kSpansBetweenChecks = 16384;
constexpr double kLittle = 0.01;  // of the bound; more is told on the card
constexpr double kMaxShare = 0.25;

/// Everything about a run that the bounds below need.
struct Course {
  const Recipe& recipe;
  LossConstants constants;
  std::uint64_t steps;

  double contraction(double eta) const noexcept { return recipe.contraction(eta, constants.smoothness); }
  double decay(double eta) const noexcept { return std::fabs(1 - eta * recipe.lambda); }
};

/// 1 + g + ... + g^(count - 1), rounded up.
double geometric_sum(double g, double count) noexcept {
  if (g == 1) return count;
  if (g == 0) return 1;
  return std::expm1(count * std::log(g)) / (g - 1) * (1 + 0x1p-40);
}

void refuse_useless(double bound, const Course& course) {
  if (std::isfinite(bound) && bound < 1e100) return;
  throw Error(ErrorKind::unsupported,
              "step: the steps are so large that the sensitivity has no useful bound; lower the steps or cap them at "
              "2/(beta + 2 lambda) = " +
                  std::to_string(2 / (course.constants.smoothness + 2 * course.recipe.lambda)),
              "step");
}

void refuse_vanishing(double total) {
  if (total > 1e-100) return;
  throw Error(ErrorKind::unsupported, "step: the steps are so short that their squares vanish; take longer ones",
              "step");
}

/// W: no computed iterate is longer than this. |w_t| <= |1 - eta lambda| |w_{t-1}| + eta L + e_t, from w_0 = 0; a
/// projection caps it. Over a span the factor is largest at one of its ends, since it is convex in eta.
double weight_bound(const Course& course, const StepSpans& spans, const StepRounding& rounding) {
  double bound = 0;
  double largest = 0;
  const double radius = course.recipe.projection.radius;
  for (std::uint64_t i = 0; i < spans.count(); ++i) {
    if (i % kSpansBetweenChecks == 0) check_stop();
    const StepSpan span = spans.at(i);
    const double factor = std::max(course.decay(span.largest), course.decay(span.smallest)) +
                          2 * std::max(rounding.growth(span.largest), rounding.growth(span.smallest));
    const double added = span.largest * course.constants.lipschitz + 2 * rounding.length(span.largest);
    if (span.count() == 1) {
      bound = factor * bound + added;
    } else {
      const double count = static_cast<double>(span.count());
      bound = std::pow(factor, count) * bound + added * geometric_sum(factor, count);
    }
    if (course.recipe.projection.active()) bound = std::min(bound, radius + 2 * rounding.length(span.largest));
    if (!std::isfinite(bound)) refuse_useless(bound, course);
    largest = std::max(largest, bound);
  }
  return largest * (1 + 0x1p-16);  // a factor is off by at most 4 u, a power of it by that for each step
}

/// Collects the largest c_t of spans, walked backwards, into the bound for the kind of order.
class HitSum {
 public:
  HitSum(bool fresh, std::uint64_t spans_per_pass) : fresh_(fresh), by_position_(fresh ? 0 : spans_per_pass, 0.0) {}
  void add(std::uint64_t position, double c) noexcept {
    if (fresh_) {
      largest_ = std::max(largest_, c);
    } else {
      by_position_[position] += c;
    }
  }
  void end_pass() noexcept {
    total_ += largest_;
    largest_ = 0;
  }
  double bound() const noexcept {
    return fresh_ ? total_ : *std::max_element(by_position_.begin(), by_position_.end());
  }

 private:
  bool fresh_;
  std::vector<double> by_position_;
  double largest_ = 0;
  double total_ = 0;
};

/// A_t, walked backwards over spans of steps.
class Carried {
 public:
  explicit Carried(const Course& course) : course_(course) {}

  /// The largest A_t of the span; then the walk stands before its first step.
  double largest_over(const StepSpan& span) noexcept {
    const double last = weight(span.last) + next_contraction_ * carried_;
    const double more = static_cast<double>(span.count() - 1);
    double largest = last;
    carried_ = last;
    if (more > 0) {
      // With one factor for all steps A_t moves from `last` towards its limit or away from it, so an end is the largest.
      const double factor = largest_contraction(span);
      const double alpha = std::max(weight(span.first), weight(span.last));
      const double added = alpha > 0 ? alpha * geometric_sum(factor, more) : 0;
      largest = std::max(last, std::pow(factor, more) * last + added);
      carried_ = product_over(span, more) * last + added;
    }
    next_contraction_ = course_.contraction(span.largest);
    return largest;
  }

 private:
  double weight(std::uint64_t t) const noexcept { return averaging_weight(course_.recipe.averaging, t, course_.steps); }
  /// At least the product of the contractions of all steps of the span but the first. Where they are 1 - eta lambda with
  /// eta = a/(growth + offset), their logarithms are concave in t, so their mean is at most that of the mean step.
  double product_over(const StepSpan& span, double more) const noexcept {
    const double lambda = course_.recipe.lambda;
    const bool shrinks = span.largest * (course_.constants.smoothness + 2 * lambda) <= 2;
    const StepRule& step = course_.recipe.step;
    const bool one_formula = span.smallest == span.largest || span.largest < step.cap;
    if (shrinks && one_formula && step.decays_concavely() && span.largest * lambda <= 0.5) {
      const double middle = step.at((static_cast<double>(span.first) + 1 + static_cast<double>(span.last)) / 2);
      return std::exp(more * std::log1p(-lambda * middle));
    }
    return std::pow(largest_contraction(span), more);
  }
  /// At one of the ends, since it is convex in the size of a step.
  double largest_contraction(const StepSpan& span) const noexcept {
    return std::max(course_.contraction(span.largest), course_.contraction(span.smallest));
  }

  const Course& course_;
  double carried_ = 0;  // A_{t+1}
  double next_contraction_ = 0;
};

void refuse_rough_loss(const Recipe& recipe, const LossConstants& constants) {
  if (constants.smooth()) return;
  throw Error(ErrorKind::unsupported,
              "loss: " + std::string(name_of(recipe.loss)) +
                  " is not smooth, so permutation SGD has no sensitivity bound; use " + smooth_loss_names(),
              "loss");
}

/// Both parts of the bound, for any amount of rounding.
Sensitivity bound_of(const Recipe& recipe, const Facts& facts, double diameter) {
  const Course course{recipe, constants_of(recipe.loss, stored_norm(facts), facts.classes), recipe.steps(facts.rows)};
  refuse_rough_loss(recipe, course.constants);
  const StepSpans spans(recipe, facts, course.constants.smoothness);
  const StepRounding rounding(recipe, facts);
  Sensitivity result;
  result.weight_bound = weight_bound(course, spans, rounding);

  HitSum hits(recipe.fresh_order, spans.per_pass());
  Carried carried(course);
  double of_steps = 0;
  double of_average = 0;
  const double hit = diameter / static_cast<double>(recipe.batch_rows);
  for (std::uint64_t i = spans.count(); i-- > 0;) {
    if (i % kSpansBetweenChecks == 0) check_stop();
    const StepSpan span = spans.at(i);
    const double count = static_cast<double>(span.count());
    const double largest = carried.largest_over(span);
    if (!std::isfinite(largest)) refuse_useless(largest, course);
    hits.add(i % spans.per_pass(), hit * span.largest * largest);
    const double error =
        std::max(rounding.of(span.largest, result.weight_bound), rounding.of(span.smallest, result.weight_bound));
    of_steps += count * largest * error;
    if (mixes_iterates(recipe.averaging) && averaging_weight(recipe.averaging, span.last, course.steps) > 0) {
      of_average += count * rounding.of_average(result.weight_bound);
    }
    if (i % spans.per_pass() == 0) hits.end_pass();
  }
  // Every quantity above is a sum of products of non-negative numbers: a relative error of a few u for each step.
  const double outward = 1 + 16 * kUnitRoundoff * static_cast<double>(course.steps + 16);
  result.rounding = 2 * (of_steps + of_average + rounding.of_finish(result.weight_bound)) * outward;
  result.total = hits.bound() * outward + result.rounding;
  refuse_useless(result.total, course);
  refuse_vanishing(result.total);
  return result;
}

/// Rounding as a share of the rest.
double share_of_rounding(const Sensitivity& bound) noexcept { return bound.rounding / (bound.total - bound.rounding); }

std::vector<Precision> offered(const Recipe& recipe, const Facts& facts) {
  // A sparse iterate is a scale times its weights, and a scale of one number would lose what pairs keep.
  if (facts.sparse) return {Precision::plain};
  if (outputs_of(recipe.loss, facts.classes) > 1) return {Precision::plain, Precision::weights};
  return {Precision::plain, Precision::weights, Precision::margins};
}

}  // namespace

Sensitivity l2_sensitivity(const Recipe& recipe, const Facts& facts, double diameter) {
  const Sensitivity bound = bound_of(recipe, facts, diameter);
  if (share_of_rounding(bound) <= kMaxShare) return bound;
  const std::string remedy =
      recipe.lambda > 0 ? "a larger lambda or fewer passes" : "a larger batch, shorter steps or fewer passes";
  throw Error(ErrorKind::unsupported,
              "passes: rounding of binary64 arithmetic would exceed a quarter of the sensitivity; take " + remedy,
              "passes");
}

void add_rounding_remarks(const Sensitivity& bound, Precision precision, std::vector<std::string>& remarks) {
  switch (precision) {
    case Precision::plain: break;
    case Precision::weights: remarks.emplace_back("so many short steps that each weight is kept as two numbers"); break;
    case Precision::margins:
      remarks.emplace_back(
          "so many short steps that each weight is kept as two numbers and margins are computed from both");
      break;
  }
  const double share = share_of_rounding(bound);
  if (share < kLittle) return;
  remarks.push_back(fmt::format("rounding of the arithmetic is {:.1f} percent of the sensitivity, and is paid for",
                                std::ceil(1000 * share) / 10));
}

Precision needed_precision(const Recipe& recipe, const Facts& facts, double diameter) {
  Recipe tried = recipe;
  Precision best = Precision::plain;
  double least = std::numeric_limits<double>::infinity();
  for (const Precision precision : offered(recipe, facts)) {
    tried.precision = precision;
    const double share = share_of_rounding(bound_of(tried, facts, diameter));
    if (share < least) best = precision;
    least = std::min(least, share);
    if (least <= kLittle) break;
  }
  return best;
}

}  // namespace sotto
