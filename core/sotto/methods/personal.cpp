// What: weights on rows that give each position its own epsilon.
// Formula: a row of weight v moves what is noised by at most v D S + R, the noise is calibrated to D S + R (R:
//   rounding, grid), so its shift is (v h + 1 - h) of the whole, h = plan.weighted_share. Position i may have the shift
//   r_i = epsilon_i/epsilon (pure) or mu_i/mu (Gaussian), delta_G(mu_i; epsilon_i) = delta; v_i = 1 - (1 - r_i)/h.
//   Sampled: a shift r under noise s is a shift 1 under s/r, so r_i = s/s_i, s_i the noise that keeps (epsilon_i,
//   delta) over the same steps at the same rate.
// Conditions: replace_one; shifts are proportional to D: noisy sums, sampled or not, permutation SGD, hidden state,
//   correlated noise. Not objective perturbation, whose Jacobian does not shrink with v.
// Reference: [Song13, section 3] remark, [Jorgensen15]; spec 7.2; docs/notes/personal.md.
// Fails if wrong: Personal.* (neighbours by position, independent weights, noise as without)
#include "sotto/methods/personal.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/solve.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr double kDown = 1 - 0x1p-40;

double sampled_shift(const PoissonSampledEvent& step, std::uint64_t steps, double epsilon, double delta) {
  const ReleasePlan releases{PlanNoise::gaussian, Sampling::poisson, step.rate, 0, steps};
  return step.noise / noise_for(releases, {epsilon, delta, Relation::replace_one}, AccountantChoice::pld);
}

/// The share of the whole shift at which the promise is (epsilon, the plan's delta), rounded down.
double allowed_shift(const PlannedNoise& noise, const Charge& charge, double epsilon) {
  const double times = static_cast<double>(charge.times);
  const double numerical = (1 + std::exp(epsilon)) * noise.distance;
  if (const auto* step = std::get_if<PoissonSampledEvent>(&charge.event)) {
    return sampled_shift(*step, charge.times, epsilon, (noise.delta - numerical) * kDown);
  }
  return std::visit(
      [&]<class M>(const M& m) {
        if constexpr (requires { m.mu; }) {
          return gaussian_mu(epsilon, (noise.delta - numerical) * kDown) / (m.mu * std::sqrt(times));
        } else if constexpr (requires { m.rho; }) {
          return std::sqrt(zcdp_rho(epsilon, noise.delta) / (m.rho * times));
        } else {
          return epsilon / (m.epsilon * times);
        }
      },
      noise.mechanism);
}

/// 32 bits, as rows carry it; rounded down.
float stored_weight(double weight) {
  const auto stored = static_cast<float>(weight);
  return stored > weight ? std::nextafter(stored, 0.0F) : stored;
}

PersonalClass class_of(double epsilon, const Plan& plan) {
  PersonalClass one;
  one.epsilon = std::min(epsilon, plan.guarantee.epsilon);
  one.delta = plan.guarantee.delta;
  if (epsilon >= plan.guarantee.epsilon) return one;
  const double shift = std::min(1.0, allowed_shift(*plan.noise, plan.charges.front(), epsilon)) * kDown;
  const double weight = 1 - (1 - shift) / plan.weighted_share;
  require(weight > 0, "personal_epsilons",
          "one of them, " + number_text(epsilon) +
              ", is too small beside the largest: what pays for rounding alone would exceed it");
  one.weight = stored_weight(weight);
  return one;
}

}  // namespace

namespace {

void add_level(PersonalEpsilons& personal, double epsilon) {
  require(epsilon > 0 && std::isfinite(epsilon), "personal_epsilons", "must all be finite numbers above 0");
  const auto place = std::ranges::lower_bound(personal.levels, epsilon, std::greater{});
  if (place != personal.levels.end() && *place == epsilon) return;
  personal.levels.insert(place, epsilon);
  require(personal.levels.size() <= PersonalEpsilons::kMaxLevels, "personal_epsilons",
          "must have at most 64 distinct values; round them down to a few");
}

std::uint8_t level_of(const PersonalEpsilons& personal, double epsilon) {
  const auto place = std::ranges::lower_bound(personal.levels, epsilon, std::greater{});
  return static_cast<std::uint8_t>(place - personal.levels.begin());
}

}  // namespace

PersonalEpsilons personal_epsilons(std::span<const double> by_position) {
  PersonalEpsilons personal;
  for (const double epsilon : by_position) add_level(personal, epsilon);
  personal.level_of.reserve(by_position.size());
  for (const double epsilon : by_position) personal.level_of.push_back(level_of(personal, epsilon));
  return personal;
}

PersonalEpsilons personal_epsilons(std::span<const EpsilonRun> runs) {
  PersonalEpsilons personal;
  for (const EpsilonRun& run : runs) add_level(personal, run.epsilon);
  for (const EpsilonRun& run : runs) {
    personal.level_of.insert(personal.level_of.end(), run.count, level_of(personal, run.epsilon));
  }
  return personal;
}

void apply_personal(Plan& plan, const PersonalEpsilons& personal, const PlanInput& input) {
  if (input.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported,
                "personal_epsilons: belong to positions, which the neighbours of replace_one share and those of "
                "add_remove do not",
                "personal_epsilons");
  }
  if (!plan.not_private.empty()) {
    throw Error(ErrorKind::unsupported,
                "personal_epsilons: are shares of a guarantee, and this plan has none: " + plan.not_private.front(),
                "personal_epsilons");
  }
  if (!(plan.weighted_share > 0) || !plan.noise || plan.charges.size() != 1) {
    throw Error(
        ErrorKind::unsupported,
        "personal_epsilons: " + plan.method +
            " has no proof that what a row reveals shrinks with its weight (of objective perturbation the "
            "Jacobian does not, of minimisers the tolerance); use dpgd, dpsgd, bst14, correlated, bolt_on or scs13",
        "personal_epsilons");
  }
  require(personal.level_of.size() == input.facts.rows, "personal_epsilons",
          "are " + std::to_string(personal.level_of.size()) + ", the data have " + std::to_string(input.facts.rows) +
              " rows");
  require(personal.levels.front() <= input.budget.epsilon, "personal_epsilons",
          "must not exceed epsilon, the budget, which is the largest and is what is charged");
  plan.personal.clear();
  for (const double epsilon : personal.levels) plan.personal.push_back(class_of(epsilon, plan));
  for (const std::uint8_t level : personal.level_of) ++plan.personal[level].positions;
  plan.remarks.emplace_back(
      "personal epsilons are public and belong to positions; a row of a smaller epsilon counts less in the risk that "
      "is "
      "minimised, by the weight of its class");
}

}  // namespace sotto
