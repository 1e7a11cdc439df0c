// Objective and output perturbation and the published baselines: noise against independent values, refusals, releases.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>

#include "planned.h"
#include "refusals.h"
#include "row_table.h"
#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/accountant/objective.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/train.h"

namespace sotto::test {
namespace {

constexpr Relation kReplace = Relation::replace_one;
constexpr Relation kAddRemove = Relation::add_remove;

PlanInput input_of(double curvature, const Budget& budget, const Loss& loss = Logistic{}, std::uint32_t classes = 2) {
  constexpr std::uint64_t kRows = 10000;
  return {{kRows, 10, 1.0, false, classes}, {loss, curvature / kRows}, budget};
}

double noise_stddev(const ObjectiveNoise& noise) {
  return std::visit([](const auto& m) { return m.stddev(); }, noise.on_objective);
}

/// delta_G by the textbook formula in double; good enough where it is not tiny.
double delta_g(double mu, double e) {
  const boost::math::normal_distribution<double> n;
  return cdf(n, -e / mu + mu / 2) - std::exp(e) * cdf(n, -e / mu - mu / 2);
}

/// Spec 7.7 written down again, from L, sigma and mu_o.
double spec_delta(Relation relation, double epsilon, double c, double sigma, double mu_o) {
  const double x = epsilon - c;
  const auto s = [&](double mu) { return std::sqrt(mu * mu + mu_o * mu_o); };
  if (relation == kAddRemove) return delta_g(s(1 / sigma), x) + delta_g(mu_o, x);
  return delta_g(s(2 / sigma), x) + 2 * delta_g(s(1 / sigma), x) + delta_g(mu_o, x);
}
double softmax_delta(Relation relation, double epsilon, double classes, double curvature, const double (&noise)[2]) {
  const double x = epsilon - (classes - 1) * std::log(1 + 1 / (classes * curvature));
  const auto s = [&](double mu) { return std::sqrt(mu * mu + noise[1] * noise[1]); };
  const double one = std::sqrt(2.0) / noise[0];
  if (relation == kAddRemove) return (classes - 1) * delta_g(s(one), x) + delta_g(noise[1], x);
  return (classes - 1) * (classes - 1) * delta_g(s(2 * one), x) + 2 * (classes - 1) * delta_g(s(one), x) +
         delta_g(noise[1], x);
}

double mu_of_release(const ObjectiveNoise& noise) { return std::get<GaussianNoise>(noise.on_release).mu; }

TEST(ObjectivePlans, NoiseIsThatOfAnIndependentComputation) {
  // Standard deviation on the scale of the sum at delta = 1e-9, replace_one.
  const auto sigma = [](double curvature, double epsilon) {
    return noise_stddev(objective_noise_of(Objective{}, input_of(curvature, {.epsilon = epsilon, .delta = 1e-9})));
  };
  EXPECT_NEAR(sigma(250, 0.1), 101.4, 0.15);
  EXPECT_NEAR(sigma(25, 0.1), 111.1, 0.15);
  EXPECT_NEAR(sigma(250, 1), 11.00, 0.02);
}

TEST(ObjectivePlans, TheRobustLossNeedsTheNoiseOfHubersWithTheSameConstants) {
  for (const Relation relation : {kReplace, kAddRemove}) {
    for (const double delta : {0.0, 1e-9}) {
      const Objective method{.declared_rows = relation == kAddRemove ? 10000U : 0U};
      const Budget budget{1, delta, relation};
      EXPECT_EQ(noise_stddev(objective_noise_of(method, input_of(20, budget, RobustLogistic{}))),
                noise_stddev(objective_noise_of(method, input_of(20, budget, HuberSvm{1.0}))));
    }
  }
}

TEST(ObjectivePlans, DeltaIsThatOfTheSpecWrittenDownAgain) {
  for (const Relation relation : {kReplace, kAddRemove}) {
    for (const double epsilon : {0.3, 1.0, 4.0}) {
      Objective method;
      if (relation == kAddRemove) method.declared_rows = 10000;
      const Budget budget{epsilon, 1e-5, relation};
      const ObjectiveNoise noise = objective_noise_of(method, input_of(5, budget));
      const double c = std::log(1 + 0.25 / 5);
      const double delta = spec_delta(relation, epsilon, c, noise_stddev(noise), mu_of_release(noise));
      EXPECT_LE(delta, 1e-5 * 1.0001);
      EXPECT_GE(delta, 1e-5 * 0.999);
      EXPECT_NEAR(noise.delta(), delta, 1e-9);
      // Half the noise, a Jacobian forgotten or the other relation's formula would not do.
      EXPECT_GT(spec_delta(relation, epsilon, c, noise_stddev(noise) / 2, mu_of_release(noise)), 1.1e-5);

      const ObjectiveNoise many = objective_noise_of(method, input_of(5, budget, Softmax{}, 4));
      const double both[] = {noise_stddev(many), mu_of_release(many)};
      EXPECT_LE(softmax_delta(relation, epsilon, 4, 5, both), 1e-5 * 1.0001);
      EXPECT_GE(softmax_delta(relation, epsilon, 4, 5, both), 1e-5 * 0.999);
    }
  }
}

TEST(ObjectivePlans, PureNoiseSpendsWhatTheJacobianLeaves) {
  const ObjectiveNoise noise = objective_noise_of(Objective{}, input_of(5, {.epsilon = 1}));
  const auto& v = std::get<L2LaplaceNoise>(noise.on_objective);
  const auto& w = std::get<L2LaplaceNoise>(noise.on_release);
  EXPECT_NEAR(v.epsilon + w.epsilon + std::log(1 + 0.25 / 5), 1, 1e-6);
  EXPECT_LE(v.epsilon + w.epsilon + std::log(1 + 0.25 / 5), 1);
  EXPECT_NEAR(v.scale() * v.epsilon, 2, 1e-5);
  EXPECT_EQ(noise.event(), Event(PureEvent{std::get<PureEvent>(noise.event()).epsilon}));
}

TEST(ObjectivePlans, TheReleaseIsNearlyFreeAndItsToleranceCanBeCertified) {
  for (const double epsilon : {0.1, 1.0}) {
    const PlanInput input = input_of(10, {.epsilon = epsilon, .delta = 1e-9});
    const ObjectiveNoise noise = objective_noise_of(Objective{}, input);
    const double on_weights = std::visit([](const auto& m) { return m.stddev(); }, noise.on_release);
    EXPECT_LT(on_weights * 10, 0.01 * noise_stddev(noise)) << "the curvature times the noise of the weights";
    const SumBounds bounds(Logistic{}, input.facts, 10);
    EXPECT_GE(noise.tolerance - noise.rounding(), bounds.reachable(noise.norm_bound()) * (1 - 1e-12));
    EXPECT_NEAR(on_weights * mu_of_release(noise), 2 * noise.tolerance / 10, 1e-3 * noise.tolerance);
  }
}

TEST(ObjectivePlans, RefuseWhatHasNoProof) {
  const Budget budget{.epsilon = 1, .delta = 1e-6};
  EXPECT_REFUSED(invalid_argument, "lambda", Objective{}.plan(input_of(0, budget)));
  EXPECT_REFUSED(unsupported, "lambda",
                 Objective{}.plan(input_of(0.1, {.epsilon = 0.5, .delta = 1e-6})));  // below ln(1 + 0.25/0.1)
  EXPECT_REFUSED(unsupported, "loss", Objective{}.plan(input_of(5, budget, Hinge{})));
  EXPECT_REFUSED(unsupported, "loss", Objective{}.plan(input_of(5, budget, Logistic{}, 3)));
  EXPECT_REFUSED(invalid_argument, "tolerance", Objective{.tolerance = 1e-14}.plan(input_of(5, budget)));
  EXPECT_REFUSED(invalid_argument, "tolerance",
                 Objective{.tolerance = 2.5}.plan(input_of(5, budget)));  // one row changes the sum by 2 at most
  EXPECT_REFUSED(invalid_argument, "declared_rows", Objective{.declared_rows = 100}.plan(input_of(5, budget)));
  EXPECT_REFUSED(invalid_argument, "declared_rows", Objective{}.plan(input_of(5, {1, 1e-6, kAddRemove})));
  EXPECT_REFUSED(unsupported, "intervals", Output{.intervals = 0.2}.plan(input_of(5, budget, Hinge{})));
  EXPECT_REFUSED(invalid_argument, "lambda", Output{}.plan(input_of(0, budget)));
  EXPECT_REFUSED(invalid_argument, "tolerance", Output{.tolerance = 1e-14}.plan(input_of(5, budget)));
  EXPECT_REFUSED(invalid_argument, "tolerance", Output{.tolerance = 2.5}.plan(input_of(5, budget)));
  EXPECT_REFUSED(unsupported, "loss", Lbfgs{}.plan(input_of(5, budget, Hinge{})));
  EXPECT_REFUSED(unsupported, "delta", Cms11{}.plan(input_of(5, budget)));
  EXPECT_REFUSED(unsupported, "loss", Cms11{}.plan(input_of(5, {.epsilon = 1}, HuberSvm{})));
  EXPECT_REFUSED(unsupported, "delta", Kst12{}.plan(input_of(5, {.epsilon = 1})));
  EXPECT_REFUSED(unsupported, "loss", Amp{}.plan(input_of(5, budget, Softmax{}, 3)));
}

TEST(ObjectivePlans, UnderAddRemoveTheRowCountEntersNothing) {
  PlanInput one = input_of(5, {1, 1e-6, kAddRemove}), other = one;
  other.facts.rows += 1;
  for (const Method& method : {Method(Objective{.declared_rows = 9000}), Method(Output{.declared_rows = 9000})}) {
    const std::string card = card_json(make_card(make_plan(method, one)));
    EXPECT_EQ(card, card_json(make_card(make_plan(method, other))));
  }
}

TEST(ObjectiveEvents, AccountantsTreatThemOrSayWhyNot) {
  const ObjectiveNoise noise = objective_noise_of(Objective{}, input_of(5, {.epsilon = 1, .delta = 1e-6}));
  const Event event = noise.event();
  const AccountReport report = account_delta(event, kReplace, 1);
  EXPECT_NEAR(report.line(AccountantChoice::pure).value->upper, 1e-6, 1e-9);
  EXPECT_LE(report.line(AccountantChoice::pure).value->upper, 1e-6);
  EXPECT_TRUE(report.line(AccountantChoice::rdp).value);
  EXPECT_GE(report.line(AccountantChoice::rdp).value->upper, 1e-6);
  for (const AccountantChoice none : {AccountantChoice::zcdp, AccountantChoice::gdp, AccountantChoice::pld}) {
    EXPECT_FALSE(report.line(none).refused.empty());
  }
  EXPECT_EQ(account_delta(event, kReplace, 0.9).line(AccountantChoice::pure).value->upper, 1);
  const Filter sum = Filter::open(FilterKind::sum, {.epsilon = 1, .delta = 1e-6});
  EXPECT_TRUE(sum.fits(sum.cost_of(event)));
  EXPECT_GT(sum.cost_of(event).delta, 0U);
  EXPECT_GT(Filter::open(FilterKind::rdp, {.epsilon = 3, .delta = 1e-6}).cost_of(event).loss, 0U);
  EXPECT_THROW(Filter::open(FilterKind::zcdp, {.epsilon = 3, .delta = 1e-6}).cost_of(event), Error);
  EXPECT_NE(event_text(event).find("release_mu="), std::string::npos);
}

TEST(ObjectiveEvents, TheDivergenceIsTheMomentOfTheCutLoss) {
  // E exp(t max(0, G)) for G ~ N(mu^2/2, mu^2) by a sum over a fine grid: with one shift and no release the bound adds
  // only the mass where G < 0 to it.
  const double mu = 0.8, t = 3, c = 0.05;
  double moment = 0, below = 0;
  for (double g = -20; g < 20; g += 1e-4) {
    const double density = std::exp(-std::pow(g - mu * mu / 2, 2) / (2 * mu * mu)) / (mu * std::sqrt(2 * M_PI));
    moment += 1e-4 * density * std::exp(t * std::max(0.0, g));
    if (g >= 0) below += 1e-4 * density;
  }
  const double rdp = objective_rdp({1, c, 1e-6, {{mu, 1}}}, 1 + t);
  EXPECT_NEAR(rdp, c + std::log(moment + below) / t, 1e-5);
  EXPECT_GE(rdp, c + std::log(moment) / t);
  EXPECT_NEAR(objective_rdp({1, c, 0.2, {{mu, 1}}}, 1 + t) - rdp, (1 + t) * 0.04 / 2, 1e-9);
}

TEST(ObjectivePlans, OutputHasTheSensitivityOfACertifiedMinimiser) {
  const auto sensitivity = [](const Output& method, const Budget& budget, const Loss& loss, std::uint32_t classes) {
    return method.plan(input_of(5, budget, loss, classes)).l2_sensitivity;
  };
  EXPECT_NEAR(sensitivity({.tolerance = 0.5}, {.epsilon = 1}, Logistic{}, 2), (2 + 2 * 0.5) / 5, 1e-5);
  EXPECT_NEAR(sensitivity({}, {.epsilon = 1}, Logistic{}, 2), 2.0 / 5, 2e-4);
  EXPECT_NEAR(sensitivity({}, {.epsilon = 1}, Logistic{}, 4), 4.0 / 5, 4e-4);
  EXPECT_NEAR(sensitivity({}, {.epsilon = 1}, Softmax{}, 4), 2 * std::sqrt(2.0) / 5, 4e-4);
  const Budget added{1, 0, kAddRemove};
  EXPECT_NEAR(sensitivity({.declared_rows = 10000}, added, Softmax{}, 4), std::sqrt(2.0) / 5, 2e-4);
}

TEST(Baselines, Cms11HasItsPublishedNoise) {
  const PlanInput input = input_of(5, {.epsilon = 1});
  const ObjectiveNoise noise = objective_noise_of(Cms11{}, input);
  EXPECT_NEAR(std::get<L2LaplaceNoise>(noise.on_objective).epsilon, 0.99 - 2 * std::log(1 + 0.25 / 5), 1e-6);
  EXPECT_EQ(noise.shape.curvature, 5);
  EXPECT_GT(noise_stddev(noise), noise_stddev(objective_noise_of(Objective{}, input)));
  // Too little curvature: raised, and half of epsilon is left.
  const ObjectiveNoise raised = objective_noise_of(Cms11{}, input_of(0.1, {.epsilon = 0.1}));
  EXPECT_NEAR(std::get<L2LaplaceNoise>(raised.on_objective).epsilon, 0.0495, 1e-9);
  EXPECT_NEAR(raised.shape.curvature, 0.25 / std::expm1(0.099 / 4), 1e-4);
  EXPECT_LE(std::get<PureEvent>(raised.event()).epsilon, 0.1);
}

TEST(Baselines, Kst12AndAmpHaveTheirPublishedNoiseAndStayWithinTheirGuarantee) {
  for (const double epsilon : {0.1, 1.0}) {
    const PlanInput input = input_of(250, {.epsilon = epsilon, .delta = 1e-9});
    EXPECT_NEAR(noise_stddev(objective_noise_of(Kst12{}, input)), epsilon < 1 ? 262 : 26.5, 0.5);
    EXPECT_NEAR(noise_stddev(objective_noise_of(Amp{}, input)), epsilon < 1 ? 167 : 16.7, 0.5);
    for (const Plan& plan : {Kst12{}.plan(input), Amp{}.plan(input)}) {
      EXPECT_LE(plan.guarantee.delta, 1e-9);
      EXPECT_FALSE(plan.remarks.empty());
    }
  }
  const double raised = objective_noise_of(Amp{}, input_of(1, {.epsilon = 0.1, .delta = 1e-9})).shape.curvature;
  EXPECT_NEAR(raised, 202, 0.1);
}

Model trained(const RowTable& table, const Method& method, const Budget& budget, const Loss& loss = Logistic{}) {
  RowTableEngine engine(table);
  TrainRequest request;
  request.problem = {loss, 0.01};
  request.method = method;
  request.budget = budget;
  BitSource bits(ReproducibleSeed{5});
  return train(engine, request, bits);
}

double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(ObjectiveTraining, WithAHugeBudgetEverySolverReachesTheMinimiser) {
  const RowTable table = planted_table(60000, 4);
  const Vector exact = trained(table, Lbfgs{}, {.epsilon = 1}).weights;
  for (const Budget& budget : {Budget{.epsilon = 1e4}, Budget{.epsilon = 1e4, .delta = 1e-6}}) {
    for (const Method& method :
         {Method(Objective{}), Method(Output{}), Method(Cms11{}), Method(Kst12{}), Method(Amp{})}) {
      try {
        const Model model = trained(table, method, budget);
        EXPECT_LE(distance(model.weights, exact), 1e-2) << model.card.method;
        EXPECT_GT(distance(model.weights, exact), 1e-9) << model.card.method;
      } catch (const Error& e) {
        EXPECT_EQ(e.field(), "delta") << name_of(method) << e.what();
      }
    }
  }
}

TEST(ObjectiveTraining, SoftmaxReleasesAllItsWeightVectors) {
  const RowTable table = planted_table(20000, 4, 3);
  const Vector exact = trained(table, Lbfgs{}, {.epsilon = 1}, Softmax{}).weights;
  ASSERT_EQ(exact.size(), 12U);
  const Model private_one = trained(table, Objective{}, {.epsilon = 8, .delta = 1e-6}, Softmax{});
  EXPECT_LE(distance(private_one.weights, exact), 0.05);
  EXPECT_EQ(private_one.card.events.front().event, "objective");
  const Model rest = trained(table, Output{}, {.epsilon = 8, .delta = 1e-6}, Logistic{});
  EXPECT_EQ(rest.weights.size(), 12U);
}

TEST(ObjectiveTraining, UnderAddRemoveATableBeyondTheDeclarationIsRefused) {
  const RowTable table = planted_table(700, 2);
  EXPECT_THROW(trained(table, Objective{.declared_rows = 10}, {1, 1e-6, kAddRemove}), Error);
  EXPECT_NO_THROW(trained(table, Objective{.declared_rows = 500}, {1, 1e-6, kAddRemove}));
}

TEST(ObjectiveCurator, ChargesOnceAndDrawsBothNoises) {
  const PlanInput input = input_of(5, {.epsilon = 1, .delta = 1e-6});
  const ObjectiveNoise noise = objective_noise_of(Objective{}, input);
  BitSource bits(ReproducibleSeed{1});
  Curator curator(bits);
  const auto zero = [](std::span<const double> linear) { return Sensitive<Vector>(Vector(linear.size(), 0.0)); };
  EXPECT_THROW(curator.release_minimiser(noise, zero), Error) << "not charged";
  curator.charge({noise.event(), 2, 1});
  EXPECT_THROW(curator.release(Sensitive<Vector>(Vector(10)), noise.on_release), Error) << "another event";
  double squares = 0;
  const Vector out = curator.release_minimiser(noise, [&](std::span<const double> linear) {
    for (const double v : linear) squares += v * v;
    return zero(linear);
  });
  EXPECT_GT(std::sqrt(squares / 10), noise_stddev(noise) / 3);
  EXPECT_LT(std::sqrt(squares / 10), noise_stddev(noise) * 3);
  const double released = std::visit([](const auto& m) { return m.stddev(); }, noise.on_release);
  double release_squares = 0;
  for (const double v : out) release_squares += v * v;
  EXPECT_GT(std::sqrt(release_squares / 10), released / 3) << "the noise of the release is off";
  EXPECT_LT(std::sqrt(release_squares / 10), released * 3);
  EXPECT_THROW(curator.release_minimiser(noise, [](auto) { return Sensitive<Vector>(Vector(3)); }), Error);
}

}  // namespace
}  // namespace sotto::test
