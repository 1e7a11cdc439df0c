// What: which solver, and with which parameters, from public facts and a budget.
// Formula: N = E|v|, the norm of the noise objective perturbation would add with kappa0, at which the Jacobian costs
//   epsilon/4; by the law for delta, or the one for 0 if that is smaller. objective if it is, or N <= 0.02 X m; else
//   dpgd. objective: m lambda = kappa = max(kappa0, X N/50). dpgd: gradients clipped to half the loss's bound; travel
//   (steps x step) such that noise moves the margin of a row of norm X by 1; momentum where that needs over 100 steps.
// Conditions: none on the guarantee, which is the chosen solver's: the rule reads nothing but facts and budget.
// Reference: docs/auto.md, with the figures behind the constants.
// Fails if wrong: Auto.* (the plan is the solver's), Algorithms.*; bench/utility for the choice itself.
#include "sotto/algorithms/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/algorithms/dpgd_shape.h"
#include "sotto/algorithms/row_count.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto {
namespace {

constexpr double kReach = 50;             // of the noise alone: |v| / kappa, in units of 1/X
constexpr double kJacobianShare = 0.25;   // of epsilon, at most
constexpr double kLeastCurvature = 0.01;  // in units of X^2: hardly any regularisation
constexpr double kNoisyShare = 0.02;      // of |v| in X m, above which descent with clipped gradients is better
constexpr double kMarginNoise = 1;
constexpr double kFewestSteps = 10;
constexpr double kMostSteps = 100;
constexpr double kMostMomentum = 0.95;

double stddev_of(const Mechanism& mechanism) {
  return std::visit([](const auto& m) { return m.stddev(); }, mechanism);
}

/// Objective perturbation with its input, and the expected norm of its linear term.
struct PlannedObjective {
  PlanInput input;
  double noise_norm = 0;
};

class Chooser {
 public:
  Chooser(const PlanInput& input, std::uint64_t declared_rows)
      : input_(input),
        declared_rows_(declared_rows),
        rows_(static_cast<double>(row_count(input, declared_rows).nominal)),
        norm_(input.facts.data_norm),
        constants_(constants_of(input.problem.loss, norm_, input.facts.classes)) {}

  AutoChoice choose() const {
    const std::optional<PlannedObjective> with_delta = objective(input_.budget.delta);
    if (input_.budget.delta == 0) return with_delta ? chosen(*with_delta) : descent();
    if (!with_delta) return descent();
    const std::optional<PlannedObjective> pure = objective(0);
    if (pure && pure->noise_norm < with_delta->noise_norm && fits(*pure)) return chosen(*pure);
    return with_delta->noise_norm > kNoisyShare * norm_ * rows_ ? descent() : chosen(*with_delta);
  }

 private:
  AutoChoice chosen(const PlannedObjective& planned) const {
    return {Objective{.declared_rows = declared_rows_}, planned.input};
  }
  /// The law for delta 0 has a numerical delta, which the budget must hold.
  bool fits(const PlannedObjective& planned) const {
    return Objective{.declared_rows = declared_rows_}.plan(planned.input).guarantee.delta <= input_.budget.delta;
  }

  /// Nothing where objective perturbation has no proof for this loss, or the lambda that was given is too small for it.
  std::optional<PlannedObjective> objective(double delta) const {
    PlannedObjective planned{input_};
    planned.input.budget.delta = delta;
    double& lambda = planned.input.problem.lambda;
    const bool given = lambda > 0;
    try {
      if (!given) lambda = least_curvature() / rows_;
      const ObjectiveNoise noise = Objective{.declared_rows = declared_rows_}.noise(planned.input);
      planned.noise_norm = stddev_of(noise.on_objective) * std::sqrt(static_cast<double>(noise.shape.dimension));
      if (!given) lambda = std::max(least_curvature(), norm_ * planned.noise_norm / kReach) / rows_;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      return {};
    }
    return planned;
  }

  /// The kappa at which the Jacobian costs kJacobianShare of epsilon (spec 7.7).
  double least_curvature() const {
    const bool softmax = std::holds_alternative<Softmax>(input_.problem.loss);
    const double others = softmax ? input_.facts.classes - 1.0 : 1.0;
    const double a_row = softmax ? norm_ * norm_ / input_.facts.classes : constants_.smoothness;
    if (!constants_.smooth()) return norm_ * norm_;
    const double share = kJacobianShare * input_.budget.epsilon / others;
    return std::max(a_row / std::expm1(share), kLeastCurvature * norm_ * norm_);
  }

  AutoChoice descent() const {
    Dpgd solver;
    solver.declared_rows = declared_rows_;
    solver.clip = constants_.lipschitz / 2;
    solver.bound = DescentBound::composition;
    solver.passes = 1;
    const double one = stddev_of(dpgd_composition(solver, dpgd_shape(solver, input_), input_).mechanism);
    const double step = 1 / ((constants_.smooth() ? constants_.smoothness : norm_ * norm_) + input_.problem.lambda);
    const double travel = kMarginNoise * rows_ / (norm_ * one);
    if (input_.budget.delta == 0) {
      // Pure noise of a sum grows with the number of sums, so that few of them are worth having.
      solver.passes = static_cast<std::uint32_t>(std::clamp(std::pow(travel / step, 2.0 / 3), 1.0, kMostSteps));
      solver.step_size = step;
      return {solver, input_};
    }
    const double steps = std::clamp(travel / step, kFewestSteps, kMostSteps);
    solver.passes = static_cast<std::uint32_t>(steps);
    solver.momentum = std::clamp(1 - kMostSteps * step / travel, 0.0, kMostMomentum);
    solver.step_size = std::min(travel / solver.passes * (1 - solver.momentum), step * (1 + solver.momentum));
    return {solver, input_};
  }

  PlanInput input_;
  std::uint64_t declared_rows_;
  double rows_;
  double norm_;
  LossConstants constants_;
};

/// The solver with the parameters that are not its defaults.
std::string text_of(const AutoChoice& choice) {
  return std::visit(
      [&]<class Solver>(const Solver& solver) {
        std::string text =
            fmt::format("auto chose {}: lambda={}", Solver::kName, value_text(choice.input.problem.lambda));
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
  check_input(input);
  return Chooser(input, declared_rows).choose();
}

Plan Auto::plan(const PlanInput& input) const {
  const AutoChoice choice = choose(input);
  Plan plan = std::visit([&](const auto& solver) { return solver.plan(choice.input); }, choice.solver);
  plan.method = kName;
  if (choice.input.budget.delta < input.budget.delta) {
    plan.remarks.insert(plan.remarks.begin(), "the law of the noise is the one for delta 0, which is smaller here");
  }
  plan.remarks.insert(plan.remarks.begin(), text_of(choice));
  return plan;
}

Vector Auto::run(const Run& run) const {
  const AutoChoice choice = choose(run.input);
  const Run same{run.engine, run.curator, choice.input, run.progress};
  return std::visit([&](const auto& solver) { return solver.run(same); }, choice.solver);
}

}  // namespace sotto
