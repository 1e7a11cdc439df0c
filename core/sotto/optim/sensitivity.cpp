// What: the L2 sensitivity of permutation SGD under replace_one.
// Formula (spec 3.1, 3.2), with rho_t = max(|1 - eta_t lambda|, |1 - eta_t (beta + lambda)|):
//   A_T = alpha_T;  A_t = alpha_t + rho_{t+1} A_{t+1};  c_t = D eta_t A_t / b
//   same order every pass: max_s sum_j c_{s+jn};   fresh order every pass: sum_j max_s c_{s+jn}
// plus 2 sum_t A_t e_t for rounding (spec 5.4), e_t = 4 u (d + b + 4)(max(1, eta_t beta/2) W + eta_t L) + s u eta_t L,
//   s = slope_rounding(), K more terms for K outputs (rounding_terms); derived in docs/notes/sensitivity.md;
//   and 4 u W for each iterate that is added to an average: that addition is rounded too, and a contraction does not
//   shrink it.
// Conditions: convex smooth loss, each row once a pass, divisor b always, projection convex or none.
// Reference: [Hardt16, Lemma 2.5], [Wu17, Lemmas 6 to 8] corrected as in docs/notes/sensitivity.md.
// Fails if wrong: Sensitivity.* (closed forms, steps replayed in extended precision), NeighbourTest.* (distance within
// the claim, tight within 1 percent).
#include "sotto/optim/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/stop.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {
namespace {

constexpr double kUnitRoundoff = 0x1p-53;
constexpr std::uint64_t kMaxPositions = std::uint64_t{1} << 26;
constexpr std::uint64_t kStepsBetweenChecks = 16384;

double contraction(double step, double lambda, double smoothness) noexcept {
  return std::max(std::fabs(1 - step * lambda), std::fabs(1 - step * (smoothness + lambda)));
}

/// W: no iterate is longer than this. |w_t| <= |1 - eta lambda| |w_{t-1}| + eta L, from w_0 = 0; a projection caps it.
double weight_bound(const Recipe& recipe, std::uint64_t steps, double lipschitz) {
  double bound = 0;
  double largest = 0;
  for (std::uint64_t t = 1; t <= steps; ++t) {
    if (t % kStepsBetweenChecks == 0) check_stop();
    const double eta = recipe.step(t);
    bound = std::fabs(1 - eta * recipe.lambda) * bound + eta * lipschitz;
    if (recipe.projection.active()) bound = std::min(bound, recipe.projection.radius);
    largest = std::max(largest, bound);
  }
  return largest;
}

/// e_t without its factor 4 u.
class StepErrors {
 public:
  StepErrors(const Recipe& recipe, const Facts& facts, double weight_bound)
      : constants_(constants_of(recipe.loss, stored_norm(facts), facts.classes)),
        terms_(rounding_terms(recipe.loss, facts, recipe.batch_rows)),
        slopes_(slope_rounding(constants_, stored_norm(facts))),
        weight_bound_(weight_bound) {}
  double of(double eta) const noexcept {
    const double of_weights = std::max(1.0, eta * constants_.smoothness / 2) * weight_bound_;
    return terms_ * of_weights + (terms_ + slopes_ / 4) * eta * constants_.lipschitz;
  }

 private:
  LossConstants constants_;
  double terms_;
  double slopes_;
  double weight_bound_;
};

/// Collects c_t, walked backwards in t, into the bound for the kind of order.
class HitSum {
 public:
  HitSum(bool fresh, std::uint64_t steps_per_pass) : fresh_(fresh), by_position_(fresh ? 0 : steps_per_pass, 0.0) {}
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

}  // namespace

double psgd_step_rounding(const Recipe& recipe, const Facts& facts, double step_size, double weight_bound) {
  return 4 * kUnitRoundoff * StepErrors(recipe, facts, weight_bound).of(step_size);
}

Sensitivity l2_sensitivity(const Recipe& recipe, const Facts& facts, double diameter) {
  const LossConstants constants = constants_of(recipe.loss, stored_norm(facts), facts.classes);
  if (!constants.smooth()) {
    throw Error(ErrorKind::unsupported,
                "loss: " + std::string(name_of(recipe.loss)) +
                    " is not smooth, so permutation SGD has no sensitivity bound; use " + smooth_loss_names(),
                "loss");
  }
  const std::uint64_t per_pass = recipe.steps_per_pass(facts.rows);
  const std::uint64_t steps = recipe.steps(facts.rows);

  Sensitivity result;
  result.weight_bound = weight_bound(recipe, steps, constants.lipschitz);
  const StepErrors errors(recipe, facts, result.weight_bound);

  // The bound for fresh orders holds for a fixed one too; it needs no memory for the positions of a pass.
  HitSum hits(recipe.fresh_order || per_pass > kMaxPositions, per_pass);
  double carried = 0;  // A_t
  double rounding = 0;
  double average_rounding = 0;
  double rho_next = 0;
  const double hit = diameter / static_cast<double>(recipe.batch_rows);
  const double bound = result.weight_bound;
  for (std::uint64_t t = steps; t >= 1; hits.end_pass()) {
    for (std::uint64_t position = per_pass; position-- > 0; --t) {
      if (t % kStepsBetweenChecks == 0) check_stop();
      const double eta = recipe.step(t);
      const double alpha = averaging_weight(recipe.averaging, t, steps);
      carried = alpha + rho_next * carried;
      hits.add(position, hit * eta * carried);
      rounding += carried * errors.of(eta);
      if (mixes_iterates(recipe.averaging) && alpha > 0) average_rounding += bound;
      rho_next = contraction(eta, recipe.lambda, constants.smoothness);
    }
  }
  // Every quantity above is a sum of products of non-negative numbers: a relative error of a few u a step.
  const double outward = 1 + 16 * kUnitRoundoff * static_cast<double>(steps + 16);
  result.rounding = 8 * kUnitRoundoff * (rounding + average_rounding) * outward;
  const double exact = hits.bound() * outward;
  result.total = exact + result.rounding;
  if (!std::isfinite(result.total) || !(result.total < 1e100)) {
    throw Error(ErrorKind::unsupported,
                "step: the steps are so large that the sensitivity has no useful bound; lower the steps or cap them at "
                "2/(beta + 2 lambda) = " +
                    std::to_string(2 / (constants.smoothness + 2 * recipe.lambda)),
                "step");
  }
  if (result.rounding > 0.01 * exact) {
    throw Error(
        ErrorKind::unsupported,
        "passes: rounding of binary64 arithmetic would exceed 1 percent of the sensitivity; take fewer steps, a "
        "larger lambda or a larger batch",
        "passes");
  }
  return result;
}

}  // namespace sotto
