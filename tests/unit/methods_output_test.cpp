// Output perturbation of the hinge loss, smoothed: sensitivity, card, and how far its minimum is from hinge's own.
#include <gtest/gtest.h>

#include "row_table.h"
#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/train.h"

namespace sotto::test {
namespace {

constexpr double kWidth = 0.004;  // what the card must say

Model trained(const RowTable& table, double lambda, const Budget& budget) {
  RowTableEngine engine(table);
  TrainRequest request;
  request.problem = {Hinge{}, lambda};
  request.method = Output{};
  request.budget = budget;
  BitSource bits(ReproducibleSeed{5});
  return train(engine, request, bits);
}

/// One against the rest with the hinge loss by coordinates of the dual problem, which needs no smoothness: w = sum of
/// a_i y_i x_i/(lambda m), 0 <= a_i <= 1. mean(a) - (lambda/2)|w|^2 is below every objective.
class DualSolver {
 public:
  DualSolver(const RowTable& table, double lambda) : table_(table), scale_(lambda * rows()), lambda_(lambda) {}

  Vector all_outputs() {
    const std::uint32_t outputs = outputs_of(Hinge{}, table_.facts.classes);
    Vector weights;
    for (std::uint32_t k = 0; k < outputs; ++k) {
      const Vector one = output(k);
      weights.insert(weights.end(), one.begin(), one.end());
    }
    return weights;
  }
  double lower_bound() const { return lower_bound_; }

  double objective(const Vector& weights) const {
    const std::size_t d = table_.facts.features;
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < weights.size() / d; ++k) {
      for (std::size_t i = 0; i < table_.labels.size(); ++i)
        sum += std::max(0.0, 1 - margin(i, static_cast<std::uint32_t>(k), weights.data() + k * d));
    }
    for (const double w : weights) squares += w * w;
    return sum / rows() + lambda_ / 2 * squares;
  }

 private:
  double rows() const { return static_cast<double>(table_.facts.rows); }
  double sign(std::size_t i, std::uint32_t k) const {
    return (table_.facts.classes == 2 ? table_.labels[i] > 0 : table_.labels[i] == static_cast<float>(k)) ? 1 : -1;
  }
  const float* row(std::size_t i) const { return table_.dense.data() + i * table_.facts.features; }
  double margin(std::size_t i, std::uint32_t k, const double* w) const {
    double score = 0;
    for (std::uint32_t j = 0; j < table_.facts.features; ++j) score += double{row(i)[j]} * w[j];
    return sign(i, k) * score;
  }

  Vector output(std::uint32_t k) {
    Vector w(table_.facts.features, 0.0), a(table_.labels.size(), 0.0);
    for (int pass = 0; pass < 300; ++pass) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        double squares = 0;
        for (std::size_t j = 0; j < w.size(); ++j) squares += double{row(i)[j]} * row(i)[j];
        if (squares == 0) continue;
        const double next = std::clamp(a[i] + (1 - margin(i, k, w.data())) * scale_ / squares, 0.0, 1.0);
        for (std::size_t j = 0; j < w.size(); ++j) w[j] += (next - a[i]) * sign(i, k) * row(i)[j] / scale_;
        a[i] = next;
      }
    }
    double mean = 0, squares = 0;
    for (const double each : a) mean += each / rows();
    for (std::size_t i = 0; i < a.size(); ++i) {  // rows of zeros lose 1 whatever the weights
      if (std::all_of(row(i), row(i) + w.size(), [](float v) { return v == 0; })) mean += 1 / rows();
    }
    for (const double each : w) squares += each * each;
    lower_bound_ += mean - lambda_ / 2 * squares;
    return w;
  }

  const RowTable& table_;
  double scale_, lambda_;
  double lower_bound_ = 0;
};

double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(OutputOfHinge, HasTheSensitivityOfTheClosedForm) {
  constexpr double kRows = 10000, kLambda = 5e-4, kStored = 1 + 0x1p-20;
  for (const std::uint32_t classes : {2U, 4U}) {
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      const Output method{.declared_rows = relation == Relation::add_remove ? 10000U : 0U, .tolerance = 0.5};
      const PlanInput input{{10000, 10, 1.0, false, classes}, {Hinge{}, kLambda}, {1, 1e-6, relation}};
      const double diameter = (relation == Relation::replace_one ? 2 : 1) * (classes == 2 ? 1 : 2) * kStored;
      const Plan plan = method.plan(input);
      EXPECT_NEAR(plan.l2_sensitivity, diameter / (kLambda * kRows) + 2 * 0.5 / (kLambda * kRows), 1e-9);
      PlanInput huber = input;
      huber.problem.loss = HuberSvm{.huber_width = kWidth};
      EXPECT_EQ(plan.l2_sensitivity, method.plan(huber).l2_sensitivity);
      EXPECT_EQ(plan.charges.front().event, method.plan(huber).charges.front().event);
    }
  }
}

TEST(OutputOfHinge, TheCardNamesWhatIsMinimisedAndTheModelKeepsItsLoss) {
  const Model model = trained(planted_table(2000, 4), 0.01, {.epsilon = 1});
  EXPECT_EQ(model.loss, "hinge");
  const auto& parameters = model.card.parameters;
  const auto has = [&](const std::string& name, const std::string& value) {
    return std::ranges::find(parameters, std::pair{name, value}) != parameters.end();
  };
  EXPECT_TRUE(has("loss", "huber_svm"));
  EXPECT_TRUE(has("huber_width", "0.004"));
  const std::string remarks = card_text(model.card);
  EXPECT_NE(remarks.find("huber_svm with huber_width 0.004 is minimised in place of hinge"), std::string::npos);
  EXPECT_NE(remarks.find("at most 0.001 above"), std::string::npos) << "h/4";
  EXPECT_NE(remarks.find("at most 0.316 from"), std::string::npos) << "sqrt(h/(4 lambda))";
}

TEST(OutputOfHinge, WithHardlyAnyNoiseTheObjectiveIsWithinTheStatedBoundOfTheLeast) {
  for (const std::uint32_t classes : {2U, 3U}) {
    for (const double lambda : {0.5, 0.01}) {
      const RowTable table = planted_table(8000, 4, classes);
      DualSolver solver(table, lambda);
      const Vector exact = solver.all_outputs();
      ASSERT_LE(solver.objective(exact) - solver.lower_bound(), 1e-5) << "the reference has not converged";
      const Vector weights = trained(table, lambda, {.epsilon = 1e6, .delta = 1e-6}).weights;
      ASSERT_EQ(weights.size(), exact.size());
      const double stated = kWidth / 4 * outputs_of(Hinge{}, classes);
      constexpr double kNoise = 1e-5;
      EXPECT_LE(solver.objective(weights), solver.lower_bound() + stated + kNoise) << classes << ' ' << lambda;
      EXPECT_LE(distance(weights, exact), std::sqrt(stated / lambda) + kNoise) << classes << ' ' << lambda;
      EXPECT_LE(distance(weights, exact), 1e-2) << classes << ' ' << lambda;
    }
  }
}

}  // namespace
}  // namespace sotto::test
