// What: which solver, and with which parameters, from public facts and a budget.
// Formula: N = E|v| for one gradient sum, by the law for delta (Gaussian) and the one for 0 (L2-Laplace). whitened_dpgd
//   if N > 0.0002 X m by the Gaussian and the noise of second moments is at most 0.3 of the largest they may be; else
//   objective by the law for 0 if its N is at most 1.15 times the other, or by the Gaussian if N <= 0.0002 X m; else
//   dpgd. objective: m lambda = max(X N/40 (losses straight at negative margins: 30), what makes the Jacobian cost
//   epsilon/4, 1e-6 m X^2), and robust_logistic in place of logistic if N > 0.0002 X m. dpgd: gradients clipped to half their bound
//   (whitened: 0.3; several scores: 1/4), travel (steps x step) such that noise moves a margin by 1.25 (whitened: 2;
//   several scores: 1.75) at norm X; momentum beyond 200 steps (whitened: 50); no clip if N <= 0.0002 X m. The same T
//   steps on Poisson batches, by dpsgd, where P = max(6, mu sqrt(T)/2, m mu^2/weights) passes are at most T/4.
//   Without delta, rows are projected to k = max(10, (epsilon m/scores)^(2/3)/4) features first if 3 k <= d.
// Conditions: none on the guarantee, which is the chosen solver's: the rule reads nothing but facts and budget.
// Reference: docs/auto.md, with the figures behind the constants.
// Fails if wrong: Auto.* (the plan is the solver's), Methods.*; bench/utility for the choice itself.
#include "sotto/methods/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/data/projection.h"
#include "sotto/methods/auto_descent.h"
#include "sotto/methods/dpgd_shape.h"
#include "sotto/methods/row_count.h"

namespace sotto {
namespace {

constexpr double kReach = 40;                   // of the noise alone: its norm over kappa, in units of 1/X
constexpr double kStraightReach = 30;           // the same for losses that are straight at negative margins
constexpr double kProjectedReach = 20;          // the same of projected rows
constexpr double kProjected = 0.25;             // features kept, in units of (epsilon m/scores)^(2/3),
constexpr double kMinProjected = 10;            // and at least; more than a third of all are not worth the loss
constexpr std::uint64_t kProjectionKey = 1984;  // public: one map for all, whatever the rows
constexpr double kJacobianShare = 0.25;         // of epsilon, at most
constexpr double kMaxJacobian = 0.9;            // the same for a lambda that was given
constexpr double kMinCurvature = 0.01;          // in units of X^2: hardly any regularisation
constexpr double kMinLambda = 1e-6;             // the same: with less, the certificate of many rows costs more noise
constexpr double kNoisyShare = 0.0002;          // of |v| in X m, above which descent with clipped gradients is better
constexpr double kMomentsNoise = 0.3;           // largest eigenvalue of the noise over the most the moments may have
constexpr double kPureWorth = 1.15;             // so much more noise is accepted for a guarantee without delta
constexpr double kMinSteps = 10;
constexpr double kMinPasses = 6;        // of sampled descent, in all its steps
constexpr double kSampledNoise = 0.5;   // in units of what a row adds to a batch: with less, sampling loses its worth
constexpr double kSampledShare = 0.25;  // of the passes of full scans: more are not worth a secret sample
constexpr double kMuchWork = 3e8;       // products of full scans: a few tenths of a second

/// How gradient descent goes.
struct DescentRule {
  double clip;           ///< of the loss's bound on a gradient; 0: none but that bound
  double margin_noise;   ///< of a row of norm X; of the gap between two scores where there are several
  double most_steps;     ///< then momentum, then longer steps make up for more
  double most_momentum;  ///< makes up for rows that are short in some directions
  double steepest;       ///< a step, of (1 + momentum)/beta: from 2 on not stable, unless gradients are clipped
};
constexpr double kStable = 1.75;
constexpr DescentRule kPlain{0.5, 1.25, 200, 0.95, kStable};
/// A gradient of many scores reaches its bound only where all of a row's weight goes to one wrong class.
constexpr DescentRule kSeveral{0.25, 1.75, 200, 0.9, 12};
/// Where every direction of the rows has its share of the norm, few long steps get as far.
constexpr DescentRule kWhitened{0.3, 2, 50, 0.8, 30};

double stddev_of(const Mechanism& mechanism) {
  return std::visit([](const auto& m) { return m.stddev(); }, mechanism);
}

class Chooser {
 public:
  Chooser(const PlanInput& input, const Auto& method)
      : input_(input),
        declared_rows_(method.declared_rows),
        intervals_(method.intervals),
        rows_(static_cast<double>(row_count(input, declared_rows_).nominal)),
        norm_(input.facts.data_norm),
        constants_(constants_of(input.problem.loss, norm_, input.facts.classes)) {}

  Dpgd descent_alone() const {
    require(intervals_ == 0, "intervals",
            "belong to objective perturbation, which only a ledger that adds deltas takes");
    DescentRule rule = several() ? kSeveral : kPlain;
    if (!is_much(noise_norm(input_.budget.delta))) {  // clipping would be a bias for nothing
      rule.clip = 0;
      rule.steepest = kStable;
    }
    return scans(rule);
  }
  AutoChoice choose() const {
    require(intervals_ == 0 || !input_.personal, "intervals",
            "belong to objective perturbation, which has no proof for personal epsilons");
    if (intervals_ != 0) return with_intervals();
    if (input_.personal) return descent();  // a row's weight shrinks its sums; the others have no proof for it
    if (input_.budget.delta == 0) return proven(0) ? without_delta() : descent();
    const double pure = noise_norm(0);
    const double gaussian = noise_norm(input_.budget.delta);
    if (!proven(std::min(pure, gaussian))) return descent();
    const bool noisy = is_much(gaussian);
    if (noisy) {
      if (std::optional<AutoChoice> whitened = whitens()) return std::move(*whitened);
    }
    if (pure < kPureWorth * gaussian) {
      if (AutoChoice choice = objective(0, pure); fits(choice)) return choice;
    }
    return noisy ? descent() : objective(input_.budget.delta, gaussian);
  }

 private:
  /// Intervals are derived for objective perturbation alone.
  AutoChoice with_intervals() const {
    const double pure = noise_norm(0);
    if (input_.budget.delta == 0) return objective(0, pure);
    const double gaussian = noise_norm(input_.budget.delta);
    if (pure < kPureWorth * gaussian) {
      if (AutoChoice choice = objective(0, pure); fits(choice)) return choice;
    }
    return objective(input_.budget.delta, gaussian);
  }

  /// Noise by the law for 0 grows with the number of weights, what a random projection loses shrinks with it.
  AutoChoice without_delta() const {
    const std::uint32_t kept = projected_features();
    if (kept == 0) return objective(0, noise_norm(0));
    Chooser images = *this;
    images.projected_ = true;
    images.input_.facts.features = kept;
    images.input_.facts.sparse = false;
    AutoChoice choice = images.objective(0, images.noise_norm(0));
    choice.projected_features = kept;
    return choice;
  }
  /// 0: all are kept. A lambda that was given is one for the weights of the rows themselves.
  std::uint32_t projected_features() const {
    if (input_.problem.lambda > 0) return 0;
    const auto outputs = static_cast<double>(outputs_of(input_.problem.loss, input_.facts.classes));
    const double signal = input_.budget.epsilon * rows_ / outputs;
    const double kept = std::ceil(std::max(kMinProjected, kProjected * std::pow(signal, 2.0 / 3)));
    const double features = input_.facts.features;
    if (3 * kept > features || kept * features > static_cast<double>(Projection::kMaxEntries)) return 0;
    return static_cast<std::uint32_t>(kept);
  }

  /// The expected norm of the noise that one gradient sum needs, by the law for this delta.
  double noise_norm(double delta) const {
    PlanInput input = input_;
    input.budget.delta = delta;
    const Dpgd one{.passes = 1, .bound = DescentBound::composition, .declared_rows = declared_rows_};
    const DescentShape shape = dpgd_shape(one, input);
    return stddev_of(dpgd_composition(one, shape, input).mechanism) * std::sqrt(static_cast<double>(shape.weights));
  }

  /// Whether objective perturbation has a proof for this loss, and epsilon is enough for a lambda that was given.
  bool proven(double noise) const {
    try {
      return objective_shape(input_, curvature(input_.problem.loss, noise)).log_determinant <=
             kMaxJacobian * input_.budget.epsilon;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      return false;
    }
  }
  /// The law for delta 0 has a numerical delta, which the budget must hold.
  bool fits(AutoChoice& choice) const {
    choice.plan = std::get<Objective>(choice.solver).plan(choice.input);
    return choice.plan->guarantee.delta <= input_.budget.delta;
  }

  AutoChoice objective(double delta, double noise) const {
    AutoChoice choice{Objective{.declared_rows = declared_rows_, .intervals = intervals_}, input_, 0, {}};
    choice.input.budget.delta = delta;
    if (straightens(noise)) choice.input.problem.loss = straightened(input_.problem.loss);
    // The lambda itself, not its product with the rows and back: a lambda that was given stays as it is.
    if (input_.problem.lambda == 0) choice.input.problem.lambda = curvature(choice.input.problem.loss, noise) / rows_;
    return choice;
  }
  /// Whether the noise is worth a bias: a row's gradient of the logistic loss is half its bound where training starts,
  /// that of the robust one all of it.
  bool straightens(double noise) const { return input_.problem.lambda == 0 && intervals_ == 0 && is_much(noise); }
  bool is_much(double noise) const { return noise > kNoisyShare * norm_ * rows_; }

  /// m lambda: as given, or by the noise, and at least what makes the Jacobian cost kJacobianShare of epsilon
  /// (spec 7.7).
  double curvature(const Loss& loss, double noise) const {
    if (input_.problem.lambda > 0) return input_.problem.lambda * rows_;
    const LossConstants constants = constants_of(loss, norm_, input_.facts.classes);
    if (!constants.smooth()) return norm_ * norm_;
    const RowCurvature row = row_curvature(loss, norm_, input_.facts.classes);
    const double reach = projected_ ? kProjectedReach : is_straight_below_zero(loss) ? kStraightReach : kReach;
    const double least = row.mean / std::expm1(kJacobianShare * input_.budget.epsilon / row.corners);
    return std::max({least, norm_ * noise / reach, std::max(kMinCurvature, kMinLambda * rows_) * norm_ * norm_});
  }

  /// Whether second moments are worth their noise, and the sums not too long for images of rows. A table with more than
  /// whitened sums cover is then refused.
  std::optional<AutoChoice> whitens() const {
    if (several() || input_.problem.lambda > 0 || input_.facts.features > kMaxWhitenedFeatures) return std::nullopt;
    try {
      const WhitenedDpgd solver = whitened();
      if (whitening_noise(solver, input_) > kMomentsNoise) return std::nullopt;
      return AutoChoice{solver, input_, 0, solver.plan(input_)};
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      return std::nullopt;
    }
  }

  /// The descent for what the moments leave of the budget.
  WhitenedDpgd whitened() const {
    WhitenedDpgd solver;
    DescentRule rule = kWhitened;
    rule.margin_noise *= std::sqrt(1 - solver.share);
    const Dpgd steps = scans(rule);
    solver.passes = steps.passes;
    solver.step_size = steps.step_size;
    solver.momentum = steps.momentum;
    solver.clip = steps.clip;
    solver.declared_rows = declared_rows_;
    return solver;
  }

  AutoChoice descent() const {
    const Dpgd full = descent_alone();
    if (std::optional<AutoChoice> sampled = sampled_like(full)) return std::move(*sampled);
    return {full, input_, 0, {}};
  }

  /// The same steps on secret batches. A batch needs little more than the noise of a full scan in proportion to its
  /// rows unless that is small against one row, and the randomness of the batch hides in it as long as weights are
  /// many.
  std::optional<AutoChoice> sampled_like(const Dpgd& full) const {
    const auto weights = static_cast<double>(weight_count(input_.problem.loss, input_.facts));
    const double steps = full.passes;
    if (input_.budget.delta == 0 || input_.personal || rows_ * weights * steps < kMuchWork) return std::nullopt;
    const Mechanism noise = one_sum(full);
    const double mu = base_of(noise).sensitivity / stddev_of(noise);
    const double passes = std::max({kMinPasses, kSampledNoise * mu * std::sqrt(steps), rows_ * mu * mu / weights});
    if (passes > kSampledShare * steps) return std::nullopt;
    Dpsgd solver;
    solver.passes = passes;
    solver.batch_rows = static_cast<std::uint64_t>(std::ceil(passes * rows_ / steps));
    solver.step_size = full.step_size;
    solver.momentum = full.momentum;
    solver.clip = full.clip;
    solver.declared_rows = declared_rows_;
    try {
      return AutoChoice{solver, input_, 0, solver.plan(input_)};
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      return std::nullopt;
    }
  }

  Mechanism one_sum(Dpgd solver) const {
    solver.passes = 1;
    solver.momentum = 0;
    return dpgd_composition(solver, dpgd_shape(solver, input_), input_).mechanism;
  }

  bool several() const { return outputs_of(input_.problem.loss, input_.facts.classes) > 1; }

  Dpgd scans(const DescentRule& rule) const {
    Dpgd solver;
    solver.declared_rows = declared_rows_;
    solver.clip = rule.clip * constants_.lipschitz;
    solver.bound = DescentBound::composition;
    const double one = stddev_of(one_sum(solver));
    const double step = 1 / ((constants_.smooth() ? constants_.smoothness : norm_ * norm_) + input_.problem.lambda);
    const double travel = rule.margin_noise / std::sqrt(several() ? 2 : 1) * rows_ / (norm_ * one);
    if (input_.budget.delta == 0) {
      // Pure noise of a sum grows with the number of sums, so that few of them are worth having.
      solver.passes = static_cast<std::uint32_t>(std::clamp(std::pow(travel / step, 2.0 / 3), 1.0, rule.most_steps));
      solver.step_size = step;
      return solver;
    }
    const double steps = std::clamp(travel / step, kMinSteps, rule.most_steps);
    solver.passes = static_cast<std::uint32_t>(steps);
    solver.momentum = std::clamp(1 - rule.most_steps * step / travel, 0.0, rule.most_momentum);
    // The gradient of a lambda that was given is not clipped.
    const double steepest = input_.problem.lambda > 0 ? std::min(rule.steepest, kStable) : rule.steepest;
    solver.step_size =
        std::min(travel / solver.passes * (1 - solver.momentum), steepest * step * (1 + solver.momentum));
    return solver;
  }

  PlanInput input_;
  bool projected_ = false;  // input_ has images of rows
  std::uint64_t declared_rows_;
  double intervals_;
  double rows_;
  double norm_;
  LossConstants constants_;
};

/// Asked for the declared number of rows: neither the choice nor a refusal of it may tell a private one.
Chooser chooser(const Auto& method, const PlanInput& input) {
  check_input(input);
  PlanInput declared = input;
  if (input.budget.relation == Relation::add_remove) declared.facts.rows = method.declared_rows;
  return {declared, method};
}

/// The solver with the parameters that are not its defaults.
std::string text_of(const AutoChoice& choice, const Loss& asked) {
  return std::visit(
      [&]<class Solver>(const Solver& solver) {
        std::string text =
            fmt::format("auto chose {}: lambda={}", Solver::kName, value_text(choice.input.problem.lambda));
        const std::string_view loss = name_of(choice.input.problem.loss);
        if (loss != name_of(asked)) text += fmt::format(" loss={}", loss);
        if (choice.projected_features > 0) text += fmt::format(" projected_features={}", choice.projected_features);
        const Solver plain;
        for_each_field_deep(solver, [&](std::string_view name, const auto& value, std::string_view) {
          std::string usual;
          for_each_field_deep(plain, [&](std::string_view other, const auto& field, std::string_view) {
            if (other == name) usual = value_text(field);
          });
          if (value_text(value) != usual) text += fmt::format(" {}={}", name, value_text(value));
        });
        return text;
      },
      choice.solver);
}

}  // namespace

AutoChoice Auto::choose(const PlanInput& input) const {
  AutoChoice choice = chooser(*this, input).choose();
  if (!choice.plan) {
    choice.plan = std::visit([&](const auto& solver) { return solver.plan(choice.input); }, choice.solver);
  }
  choice.input.facts.rows = input.facts.rows;
  choice.plan->work.rows.require_count(input.facts.rows);
  return choice;
}

Dpgd auto_descent(const Auto& method, const PlanInput& input) { return chooser(method, input).descent_alone(); }

Plan Auto::plan(const PlanInput& input) const {
  const AutoChoice choice = choose(input);
  Plan plan = *choice.plan;
  plan.method = kName;
  plan.work.rows.facts = plan_for(input).work.rows.facts;
  if (choice.input.budget.delta < input.budget.delta) {
    plan.remarks.insert(plan.remarks.begin(), "the law of the noise is the one for delta 0, which is smaller here");
  }
  if (choice.projected_features > 0) {
    plan.remarks.push_back(fmt::format(
        "rows are seen through a public random projection from {} to {} features and clipped again; the released "
        "weights are taken back through it and are those of the features themselves",
        input.facts.features, choice.projected_features));
    plan.parameters.insert(plan.parameters.begin(), {"projected_features", std::to_string(choice.projected_features)});
    plan.work.projection = GaussianProjection{choice.projected_features, kProjectionKey};
  }
  plan.parameters.insert(plan.parameters.begin(), {"solver", std::string(name_of(choice.solver))});
  plan.remarks.insert(plan.remarks.begin(), text_of(choice, input.problem.loss));
  return plan;
}

}  // namespace sotto
