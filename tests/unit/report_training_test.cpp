#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "sotto/engines/in_memory.h"
#include "sotto/random/samplers.h"
#include "sotto/report/curves.h"
#include "sotto/report/html.h"
#include "sotto/report/replan.h"
#include "sotto/report/smaller_budget.h"
#include "sotto/report/training.h"
#include "sotto/train.h"

namespace sotto::report {
namespace {

constexpr double kE = 2.718281828459045;

PlanInput input_of(double epsilon, double delta, Relation relation = Relation::replace_one) {
  return {{2000, 4, 1.0, false, 2}, {Logistic{}, 0.01}, {epsilon, delta, relation}};
}

PrivacyCard card_of(const Method& method, const PlanInput& input) { return make_card(make_plan(method, input)); }

Model model_of(const PrivacyCard& card) {
  Model model;
  model.weights = {1, -0.5, 0.25, 0};
  model.card = card;
  return model;
}

Model train_again(const Method& method, const PlanInput& input, const RowBlock& rows, std::uint64_t seed) {
  TrainRequest request;
  request.problem = input.problem;
  request.method = method;
  request.budget = input.budget;
  InMemoryEngine engine(input.facts, rows);
  BitSource bits(ReproducibleSeed{seed});
  return train(engine, request, bits);
}

RowBlock three_rows() {
  static const std::vector<float> kDense{1, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0}, kLabels{1, -1, -1};
  RowBlock rows;
  rows.rows = 3;
  rows.features = 4;
  rows.dense = kDense.data();
  rows.labels = kLabels.data();
  return rows;
}

TEST(Replan, EveryMethodsCardLeadsBackToItsPlan) {
  for_each_member<Method>([](auto tag) {
    using Method = typename decltype(tag)::type;
    for (const double delta : {0.0, 1e-6}) {
      const PlanInput input = input_of(1, delta);
      Method method = Method{};
      PrivacyCard card;
      try {
        card = card_of(method, input);
      } catch (const Error&) {
        continue;  // takes no such budget
      }
      // Not private, or a delta of its own far below the budget's: then the budget cannot be told from the card.
      if (!(card.epsilon > 0) || card.delta < 0.9 * delta) continue;
      const auto known = replan(card);
      ASSERT_TRUE(known) << Method::kName << " at delta " << delta;
      EXPECT_EQ(known->plan.guarantee.epsilon, card.epsilon) << Method::kName;
    }
  });
}

/// Every pair of numbers that follows "epsilon " and "delta " in this form.
std::vector<std::pair<double, double>> guarantees_in(const std::string& text, const char* form) {
  std::vector<std::pair<double, double>> found;
  const std::regex pattern(form);
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    found.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
  }
  return found;
}

TEST(Printed, NoGuaranteeIsBelowWhatHolds) {
  PrivacyCard card = card_of(Output{}, input_of(1.0000004, 1.2349e-6));
  card.epsilon = 1.0000004;
  card.delta = 1.2349e-6;
  card.personal = {{1.0000004, 1.2349e-6, 3, 1}};
  card.events = {{"gaussian", "mu", 0.12345678, 1, 1}, {"poisson_sampled", "noise", 1.23456789, 1, 1}};
  card.budget.enforced = true;
  card.budget.epsilon = 1.0000004;
  card.budget.delta = 1.2349e-6;
  const std::string text = card_text(card);
  const auto on_card = guarantees_in(text, "epsilon ([0-9.e+-]+), delta ([0-9.e+-]+[0-9])");
  EXPECT_EQ(on_card.size(), 3u) << "guarantee, personal, ledger\n" << text;
  EXPECT_NE(text.find("gaussian mu 0.123457,"), std::string::npos) << text;
  EXPECT_NE(text.find("poisson_sampled noise 1.23456,"), std::string::npos) << "less noise costs more\n" << text;
  TrainingReport report;
  report.name = "model";
  report.model = model_of(card);
  const std::string page = html_of(report);
  const auto in_large_type = guarantees_in(
      page, R"re(<span class="number">([^<]*)</span><small>epsilon</small></div><div><span class="number">([^<]*)<)re");
  EXPECT_EQ(in_large_type.size(), 1u);
  const auto personal = guarantees_in(page, "epsilon ([0-9.]+), delta ([0-9.e-]+) for 3 public positions");
  EXPECT_EQ(personal.size(), 1u);
  const auto in_words = guarantees_in(page, "factor of ([0-9.]+), up to a probability of ([0-9.]+e-[0-9]+)");
  ASSERT_EQ(in_words.size(), 1u);
  EXPECT_GE(in_words[0].first, std::exp(1.0000004));
  EXPECT_GE(in_words[0].second, 1.2349e-6);
  for (const auto& all : {on_card, in_large_type, personal}) {
    for (const auto& [epsilon, delta] : all) {
      EXPECT_GE(epsilon, 1.0000004) << text;
      EXPECT_LT(epsilon, 1.002);
      EXPECT_GE(delta, 1.2349e-6) << text;
      EXPECT_LT(delta, 1.25e-6);
    }
  }
}

TEST(Printed, CostsOfThousandsAreRoundedUpToo) {
  EXPECT_EQ(short_number_up(22026.2), "22,027");
  EXPECT_EQ(short_number_up(1.23401), "1.235");
  EXPECT_EQ(short_number_up(0), "0");
  EXPECT_EQ(short_number_up(1e-6), "1e-6");
  EXPECT_EQ(short_number_up(1.2e8 + 1), "120,100,000");
  EXPECT_EQ(short_number_up(1.2e18), "1.2e18");
}

TEST(Replan, ParametersThatWereSetAreKept) {
  const Method method = BoltOn{.sgd = {.passes = 7, .batch_rows = 13}};
  const auto known = replan(card_of(method, input_of(0.5, 0)));
  ASSERT_TRUE(known);
  EXPECT_EQ(std::get<BoltOn>(known->method).sgd.passes, 7u);
  const auto larger = plan_at(*known, 1);
  ASSERT_TRUE(larger);
  EXPECT_NEAR(std::get<L2LaplaceNoise>(larger->noise->mechanism).scale() * 2,
              std::get<L2LaplaceNoise>(known->plan.noise->mechanism).scale(), 1e-12);
}

TEST(Replan, CardsOfOlderVersionsAreReadUnlessTheirNoiseWasOfFloatGrade) {
  PrivacyCard card = card_of(Scs13{}, input_of(1, 1e-6));
  card.parameters.emplace_back("noise_path", "safe");
  EXPECT_TRUE(replan(card));
  card.parameters.back().second = "fast";
  EXPECT_FALSE(replan(card));
}

TEST(Replan, ACardThatPromisesOtherThanItsPlanIsNotBelieved) {
  const PrivacyCard card = card_of(BoltOn{}, input_of(1, 1e-6));
  ASSERT_TRUE(replan(card));
  PrivacyCard half = card;
  half.noise.scale /= 2;
  EXPECT_FALSE(replan(half));
  PrivacyCard with_bounds = card;
  BoundsCost bounds;
  bounds.relation = "replace_one";
  bounds.epsilon = 0.5;
  add_bounds_cost(with_bounds, bounds);
  EXPECT_FALSE(replan(with_bounds));
  PrivacyCard other = card;
  other.method = "unheard_of";
  EXPECT_FALSE(replan(other));
}

TEST(ReportCurves, ThePromiseIsTheCurveOfEpsilonAndDelta) {
  for (const TradeOffPoint& p : trade_off_of(1, 0.01)) {
    EXPECT_NEAR(p.beta, std::max({0.0, 0.99 - kE * p.alpha, (0.99 - p.alpha) / kE}), 1e-12);
  }
}

TEST(ReportCurves, TheCurveOfGaussianNoiseIsAboveThePromiseAndNeverAboveTheExactOne) {
  const Plan plan = make_plan(BoltOn{}, input_of(1, 1e-6));
  const double mu = std::get<GaussianNoise>(plan.noise->mechanism).mu;
  const auto curve = trade_off_of(profile_of(plan));
  const auto promise = trade_off_of(1, plan.guarantee.delta);
  ASSERT_EQ(curve.size(), promise.size());
  double gain = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_GE(curve[i].beta, promise[i].beta - 1e-12);
    gain = std::max(gain, curve[i].beta - promise[i].beta);
    // The point at alpha = 1/2 of mu-GDP is Phi(-mu).
    if (curve[i].alpha == 0.5) {
      EXPECT_LE(curve[i].beta, 0.5 * std::erfc(mu / std::sqrt(2.0)));
      EXPECT_NEAR(curve[i].beta, 0.5 * std::erfc(mu / std::sqrt(2.0)), 2e-3);
    }
  }
  EXPECT_GT(gain, 0.1);
}

/// Means of |noise|^2 and |noise|^4 of what is released at the smaller budget from nothing but noise.
std::pair<double, double> moments(double delta, double small, double large) {
  const Plan made = make_plan(BoltOn{}, input_of(large, delta)), smaller = make_plan(BoltOn{}, input_of(small, delta));
  EXPECT_TRUE(can_add_noise(made, smaller));
  EXPECT_FALSE(can_add_noise(smaller, made));
  BitSource bits(ReproducibleSeed{7});
  constexpr int kDraws = 60000;
  double second = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    std::array<double, 4> weights{};
    draw_normal(bits, weights);
    double size = 1;
    if (const auto* laplace = std::get_if<L2LaplaceNoise>(&made.noise->mechanism)) {
      size = laplace->scale() * std::sqrt(2 * draw_gamma(bits, 2.5));  // (d + 1) / 2 of four dimensions
    } else {
      size = std::get<GaussianNoise>(made.noise->mechanism).scale();
    }
    for (double& w : weights) w *= size;
    add_noise(made, smaller, bits, weights);
    double squares = 0;
    for (const double w : weights) squares += w * w;
    second += squares / kDraws;
    fourth += squares * squares / kDraws;
  }
  return {second, fourth};
}

TEST(SmallerBudget, MoreNoiseGivesTheLawOfTheSmallerEpsilon) {
  // Norm of L2-Laplace noise in d = 4 is Gamma(4) times b: E r^2 = 4*5 b^2, E r^4 = 4*5*6*7 b^4.
  const Plan laplace = make_plan(BoltOn{}, input_of(0.3, 0));
  const double b = std::get<L2LaplaceNoise>(laplace.noise->mechanism).scale();
  const auto [second, fourth] = moments(0, 0.3, 1);
  EXPECT_NEAR(second / (20 * b * b), 1, 0.02);
  EXPECT_NEAR(fourth / (840 * std::pow(b, 4)), 1, 0.08);
  // Gaussian: E r^2 = d s^2, E r^4 = d (d + 2) s^4.
  const Plan gaussian = make_plan(BoltOn{}, input_of(0.3, 1e-6));
  const double s = std::get<GaussianNoise>(gaussian.noise->mechanism).scale();
  const auto [square, quartic] = moments(1e-6, 0.3, 1);
  EXPECT_NEAR(square / (4 * s * s), 1, 0.02);
  EXPECT_NEAR(quartic / (24 * std::pow(s, 4)), 1, 0.05);
}

TEST(SmallerBudget, NoiseElsewhereThanOnTheWeightsIsNotGuessed) {
  const Plan objective = make_plan(Objective{}, input_of(1, 0)), smaller = make_plan(Objective{}, input_of(0.5, 0));
  EXPECT_FALSE(can_add_noise(objective, smaller));
}

TEST(TrainingReport, APrivateModelGetsCurvesAndBudgets) {
  const TrainingReport report = training_report("m.json", model_of(card_of(BoltOn{}, input_of(1, 1e-6))));
  EXPECT_FALSE(report.promised.empty());
  EXPECT_FALSE(report.mechanism.empty());
  ASSERT_EQ(report.budgets.size(), 11u);
  for (std::size_t i = 1; i < report.budgets.size(); ++i) {
    EXPECT_LT(report.budgets[i].stddev, report.budgets[i - 1].stddev);
  }
  const std::string html = html_of(report);
  EXPECT_NE(html.find("class=\"verdict private\""), std::string::npos);
  EXPECT_EQ(html.find("class=\"verdict not_private\""), std::string::npos);
  EXPECT_NE(html.find("No budget was enforced"), std::string::npos);
}

TEST(TrainingReport, AStampedModelIsShownAsNotPrivateEverywhere) {
  PrivacyCard card = card_of(BoltOn{}, input_of(1, 0));
  card.is_private = false;
  card.not_private_because = {"its noise was seeded <b>"};
  const TrainingReport report = training_report("m.json", model_of(card));
  const std::string html = html_of(report);
  EXPECT_NE(html.find("class=\"verdict not_private\""), std::string::npos);
  EXPECT_EQ(html.find("class=\"verdict private\""), std::string::npos);
  EXPECT_NE(html.find("Its noise was seeded &lt;b&gt;."), std::string::npos);
  EXPECT_NE(html.find("claimed"), std::string::npos);
  EXPECT_EQ(html.find("promised (ε"), std::string::npos);
  EXPECT_EQ(html.find("times in 100"), std::string::npos) << "no limit of a risk without a promise";
  EXPECT_NE(html.find("class=\"tag\""), std::string::npos);
}

TEST(TrainingReport, ALossThatIsNotSmoothHasNoLeastObjective) {
  PlanInput input = input_of(1, 1e-6);
  input.problem.loss = Hinge{};
  TrainingReport report = training_report("m.json", model_of(card_of(Scs13{}, input)));
  const RowBlock rows = three_rows();
  report.held_out = held_out(report, rows);
  report.held_out->convergence = convergence(report.model, *report.plan, rows, train_again);
  EXPECT_FALSE(report.held_out->convergence.after.empty());
  EXPECT_FALSE(report.held_out->convergence.least.has_value());
  EXPECT_NE(html_of(report).find("id=\"convergence\""), std::string::npos);
  EXPECT_EQ(html_of(report).find("least, without privacy"), std::string::npos);
}

TEST(TrainingReport, HeldOutRowsAreMarkedUnlessTheyArePublic) {
  TrainingReport report = training_report("m.json", model_of(card_of(BoltOn{}, input_of(1, 1e-6))));
  const RowBlock rows = three_rows();
  report.held_out = held_out(report, rows);
  EXPECT_EQ(report.held_out->evaluation.accuracy, 1);
  ASSERT_EQ(report.held_out->smaller.size(), 5u);
  for (const AccuracyAt& at : report.held_out->smaller) {
    EXPECT_LT(at.epsilon, 1);
    EXPECT_GE(at.mean, 0);
    EXPECT_LE(at.mean, 1);
  }
  report.held_out->convergence = convergence(report.model, *report.plan, rows, train_again);
  ASSERT_EQ(report.held_out->convergence.after.size(), 5u);  // 1, 2, 5, 10 and 20 passes: the model has made 10
  for (const ObjectiveAfter& at : report.held_out->convergence.after) {
    EXPECT_GE(at.mean, report.held_out->convergence.least.value());
  }
  EXPECT_GE(report.held_out->convergence.model, report.held_out->convergence.least.value());
  EXPECT_NE(html_of(report).find("id=\"convergence\""), std::string::npos);
  EXPECT_NE(html_of(report).find("So this measurement is not private"), std::string::npos);
  EXPECT_EQ(html_of(report).find("class=\"tag\">not private</span></span></li><li>"), std::string::npos);
  EXPECT_FALSE(to_json(report)["held_out"]["private"].get<bool>());
  report.held_out->is_public = true;
  EXPECT_EQ(html_of(report).find("So this measurement is not private"), std::string::npos);
}

TEST(TrainingReport, ABaselineWithoutAPromiseHasAPage) {
  const TrainingReport report = training_report("m.json", model_of(card_of(Noiseless{}, input_of(1, 0))));
  const std::string html = html_of(report);
  EXPECT_NE(html.find("class=\"verdict not_private\""), std::string::npos);
}

TEST(TrainingReport, APrivateNumberOfRowsIsNotTold) {
  Method method = Dpgd{.declared_rows = 3000};
  const PrivacyCard card = card_of(method, input_of(1, 1e-6, Relation::add_remove));
  const TrainingReport report = training_report("m.json", model_of(card));
  const std::string html = html_of(report);
  EXPECT_NE(html.find("a private number of rows"), std::string::npos);
  EXPECT_EQ(html.find("2,000"), std::string::npos);
}

}  // namespace
}  // namespace sotto::report
