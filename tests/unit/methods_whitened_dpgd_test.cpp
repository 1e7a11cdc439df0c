// Descent on whitened rows: what the moments and the sums may reveal is what the plan pays for, images of rows stay
// within the declared norm, and the weights are those of the features themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "descent_tables.h"
#include "row_table.h"
#include "sensitive_access.h"
#include "sotto/base/error.h"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/symmetric_eigen.h"
#include "sotto/methods/method.h"
#include "sotto/optim/second_moments.h"
#include "sotto/optim/views/whitened_rows.h"

namespace sotto::test {
namespace {

Vector moments_of(const RowTable& table) {
  SecondMoments moments(table.facts, narrow_grid(outer_distance(table.facts.data_norm, false), 1000));
  moments.consume(table.view());
  return SensitiveTestAccess::open(moments.take());
}
double apart(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}
RowTable one_row(const std::vector<double>& x) {
  RowTable table(static_cast<std::uint32_t>(x.size()));
  table.add(x, 1);
  return table;
}

TEST(SecondMoments, AreTheSumOfProductsDenseAndSparse) {
  for (const bool sparse : {false, true}) {
    const RowTable table = planted_table(60, 4, 2, sparse);
    const Vector matrix = unpack_triangle(moments_of(table), 4);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < 4; ++k) {
        double sum = 0;
        for (std::size_t row = 0; row < 60; ++row) sum += double{table.dense[row * 4 + i]} * table.dense[row * 4 + k];
        EXPECT_NEAR(matrix[i * 4 + k], sum, 60 * 0x1p-32);
      }
    }
  }
}

TEST(SecondMoments, OfNeighboursAreWithinTheSensitivityAndReachIt) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const double replaced = outer_distance(1, true), added = outer_distance(1, false);
  for (int i = 0; i < 2000; ++i) {
    const Vector a = moments_of(one_row({normal(random), normal(random), normal(random)}));
    const Vector b = moments_of(one_row({normal(random), normal(random), normal(random)}));
    EXPECT_LE(apart(a, b), replaced * (1 + 1e-6));
    EXPECT_LE(apart(a, Vector(a.size(), 0.0)), added * (1 + 1e-6));
  }
  EXPECT_GE(apart(moments_of(one_row({1, 0})), moments_of(one_row({0, 1}))), 0.999999 * replaced);
  EXPECT_GE(apart(moments_of(one_row({1, 0})), Vector(3, 0.0)), 0.999999 * added);
}

/// A map that stretches the last feature.
Whitening stretching(std::size_t features, double by) {
  Whitening whitening{features, Vector(features * features, 0.0)};
  for (std::size_t i = 0; i < features; ++i) whitening.matrix[i * features + i] = i + 1 == features ? by : 0.5;
  whitening.matrix[1] = 0.25;  // not symmetric
  return whitening;
}
/// Keeps the rows it is fed.
class Keeper final : public RowConsumer {
 public:
  explicit Keeper(std::size_t features) : features_(features) {}
  void consume(const RowBlock& block) noexcept override {
    for (std::size_t i = 0; i < block.rows; ++i) {
      Vector row(features_, 0.0);
      if (block.sparse()) {
        for (std::uint64_t e = block.offsets[i]; e < block.offsets[i + 1]; ++e) row[block.columns[e]] = block.values[e];
      } else {
        for (std::size_t k = 0; k < features_; ++k) row[k] = block.dense[i * features_ + k];
      }
      rows.push_back(row);
    }
  }
  std::vector<Vector> rows;

 private:
  std::size_t features_;
};

TEST(WhitenedRows, HaveImagesOfAtMostTheDeclaredNormAndKeepTheirDirection) {
  for (const bool sparse : {false, true}) {
    const RowTable table = planted_table(700, 6, 2, sparse);
    const RowTableEngine engine(table);
    const Whitening whitening = stretching(6, 300);
    const WhitenedRows images(engine, whitening);
    Keeper before(6), after(6);
    engine.scan_rows(100, 600, before);
    images.scan_rows(100, 600, after);
    ASSERT_EQ(after.rows.size(), 600U);
    std::size_t scaled = 0;
    for (std::size_t i = 0; i < 600; ++i) {
      const Vector& x = before.rows[i];
      const Vector& y = after.rows[i];
      const Vector whole = whitening.times(x), image = whitening.times(y);
      const double length = kernels::norm(image.data(), 6), own = kernels::norm(whole.data(), 6);
      EXPECT_LE(length, 1.0);
      EXPECT_GE(length, 0.9999 * std::min(1.0, own));
      scaled += own > 1;
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(y[k] * own, x[k] * length, 1e-4 * own);
    }
    EXPECT_GT(scaled, 100U);
    EXPECT_LT(scaled, 600U);
  }
}

TEST(WhitenedRows, HaveTheGradientOfTheirImages) {
  const RowTable table = planted_table(50, 3);
  const RowTableEngine engine(table);
  const Whitening whitening = stretching(3, 20);
  const WhitenedRows images(engine, whitening);
  const Vector weights{0.3, -2, 0.7};  // of images
  const Vector own = whitening.transposed_times(weights);
  for (const double clip : {HUGE_VAL, 0.4}) {
    WhitenedGradient sum(Logistic{}, table.facts, fine_gradients(Logistic{}, table.facts, clip), clip, whitening);
    sum.start(own);
    sum_rows(images, sum, 1);
    const Vector found = SensitiveTestAccess::open(sum.take());
    Keeper rows(3);
    images.scan_rows(0, 50, rows);
    Vector expected(3, 0.0);
    for (std::size_t i = 0; i < 50; ++i) {
      const Vector z = whitening.times(rows.rows[i]);
      const double margin = table.labels[i] * kernels::dot(z.data(), weights.data(), 3);
      const double slope = std::min(1 / (1 + std::exp(margin)), clip);
      for (std::size_t k = 0; k < 3; ++k) expected[k] -= table.labels[i] * slope * z[k];
    }
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], 1e-5);
  }
}

PlanInput input_for(Relation relation) {
  return {{20000, 20, 1.0, false}, {Logistic{}, 0}, {.epsilon = 1, .delta = 1e-6, .relation = relation}};
}
WhitenedDpgd method_for(Relation relation) {
  return {.passes = 50, .declared_rows = relation == Relation::add_remove ? 20000U : 0U};
}

TEST(WhitenedDpgd, BothNoisesTogetherCostTheBudgetAndNoMore) {
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    const Plan plan = method_for(relation).plan(input_for(relation));
    ASSERT_EQ(plan.charges.size(), 2U);
    double squares = 0;
    for (const Charge& charge : plan.charges) {
      const double mu = std::get<GaussianEvent>(charge.event).mu;
      squares += mu * mu * static_cast<double>(charge.times);
    }
    EXPECT_EQ(plan.charges[0].times, 50U);
    EXPECT_EQ(plan.charges[1].times, 1U);
    const double moments = std::get<GaussianEvent>(plan.charges[1].event).mu;
    EXPECT_NEAR(moments * moments / squares, 0.1, 1e-3);
    // delta_G at the composed mu, by its definition.
    const double mu = std::sqrt(squares);
    const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
    const double delta = phi(-1 / mu + mu / 2) - std::exp(1.0) * phi(-1 / mu - mu / 2);
    EXPECT_LE(delta, 1e-6);
    EXPECT_GE(delta, 0.99e-6);
    EXPECT_LE(plan.guarantee.delta, 1e-6);
    EXPECT_GT(*plan.distance, 0);
    // A row of norm 1 moves a sum of gradients by at most 2, or by 1.
    const double width = relation == Relation::replace_one ? 2 : 1;
    EXPECT_GE(plan.l2_sensitivity, width);
    EXPECT_LE(plan.l2_sensitivity, width * 1.001);
  }
}

TEST(WhitenedDpgd, FindsWhatLiesInADirectionOfLittleVariance) {
  // The first feature is all there is of most rows; a second one, 250 times shorter, decides.
  RowTable table(3);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20000; ++i) {
    const double side = random() % 2 == 0 ? 1 : -1;
    table.add({0.99, 0.004 * side + 0.0006 * normal(random), 0.003 * normal(random)}, side);
  }
  RowTableEngine engine(table);
  const PlanInput input{table.facts, {Logistic{}, 0}, {.epsilon = 1, .delta = 1e-9}};
  const auto errors = [&](const auto& method) {
    BitSource bits(ReproducibleSeed{8});
    Curator curator(bits);
    const Vector weights = charge_and_run(method.plan(input), engine, curator);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 20000; ++i) {
      wrong += table.labels[i] * kernels::dot(table.dense.data() + 3 * i, weights.data(), 3) <= 0;
    }
    return wrong;
  };
  EXPECT_LT(errors(WhitenedDpgd{.passes = 30}), 200U);
  EXPECT_GT(errors(Dpgd{.passes = 30, .bound = DescentBound::composition}), 400U);
}

/// Rows of 12 features whose lengths fall by `ratio` from one to the next, a planted rule in all of them.
RowTable falling_table(double ratio) {
  RowTable table(12);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<double> x(12);
    double margin = 0, scale = 0.25;
    for (double& value : x) {
      value = scale * normal(random);
      margin += value / scale;
      scale *= ratio;
    }
    table.add(x, margin + normal(random) > 0 ? 1 : -1);
  }
  return table;
}

/// The weights that the descent has without noise, in plain loops over the images of the rows.
Vector descent_by_hand(const RowTable& table, const WhitenedDpgd& method, double floor, bool spread) {
  const std::size_t d = table.facts.features, m = table.labels.size();
  const SymmetricEigen eigen = symmetric_eigen(unpack_triangle(moments_of(table), d), d);
  Vector roots(d);
  double length = 0;
  for (std::size_t i = 0; i < d; ++i) {
    roots[i] = std::pow(eigen.values[i] + floor, spread ? -0.25 : -0.5);
    length += eigen.values[i] * roots[i] * roots[i];
  }
  for (double& root : roots) root *= std::sqrt(static_cast<double>(m) / (0.2 * length));
  const Whitening map{d, recombine(eigen, roots)};
  std::vector<Vector> images;
  for (std::size_t i = 0; i < m; ++i) {
    images.push_back(map.times(Vector(table.dense.begin() + i * d, table.dense.begin() + (i + 1) * d)));
    kernels::scale(1 / std::max(1.0, kernels::norm(images.back().data(), d)), images.back().data(), d);
  }
  Vector u(d, 0.0), velocity = u, total = u;
  const double step = spread ? std::min(method.step_size, 10 * (1 + method.momentum) / 0.25) : method.step_size;
  const double slope_bound = method.clip > 0 ? method.clip : 1;
  for (std::uint32_t t = 0; t < method.passes; ++t) {
    Vector gradient(d, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      const double margin = table.labels[i] * kernels::dot(images[i].data(), u.data(), d);
      const double slope = std::min(1 / (1 + std::exp(margin)), slope_bound);
      kernels::axpy(-table.labels[i] * slope / static_cast<double>(m), images[i].data(), gradient.data(), d);
    }
    for (std::size_t k = 0; k < d; ++k) {
      velocity[k] = method.momentum * velocity[k] + gradient[k];
      u[k] -= step * velocity[k];
    }
    if (!spread) {
      total = u;
    } else if (t >= 0.7 * method.passes) {
      kernels::axpy(1 / std::round(0.3 * method.passes), u.data(), total.data(), d);
    }
  }
  return map.transposed_times(total);
}

TEST(WhitenedDpgd, IsTheDescentOfItsFormulaOnNarrowAndOnSpreadRows) {
  for (const bool spread : {false, true}) {
    const RowTable table = falling_table(spread ? 0.9 : 0.75);
    RowTableEngine engine(table);
    const PlanInput input{table.facts, {Logistic{}, 0}, {.epsilon = 25, .delta = 1e-3}};
    for (const double step : {4.0, 100.0}) {
      const WhitenedDpgd method{.passes = 20, .step_size = step, .momentum = 0.5, .clip = 0.3};
      const Plan plan = method.plan(input);
      BitSource bits(ReproducibleSeed{4});
      Curator curator(bits);
      const Vector found = charge_and_run(plan, engine, curator);
      const double sigma = std::sqrt(2.0) / std::get<GaussianEvent>(plan.charges[1].event).mu;
      const Vector expected = descent_by_hand(table, method, 0.3 * sigma * std::sqrt(24.0), spread);
      EXPECT_LE(apart(found, expected), 0.15 * kernels::norm(expected.data(), expected.size())) << spread << step;
      const Vector other = descent_by_hand(table, method, 0.3 * sigma * std::sqrt(24.0), !spread);
      EXPECT_GE(apart(found, other), 0.25 * kernels::norm(expected.data(), expected.size())) << spread << step;
    }
  }
}

TEST(WhitenedDpgd, PromisesTheLargestEpsilonInReachWhereMoreIsAsked) {
  PlanInput input = input_for(Relation::replace_one);
  input.budget.epsilon = 5;
  const Plan within = WhitenedDpgd{.passes = 20}.plan(input);
  EXPECT_EQ(within.guarantee.epsilon, 5);
  input.budget.epsilon = 1e4;
  const Plan beyond = WhitenedDpgd{.passes = 20}.plan(input);
  EXPECT_LT(beyond.guarantee.epsilon, 100);
  EXPECT_GT(beyond.guarantee.epsilon, 5);
  EXPECT_LE(beyond.guarantee.delta, input.budget.delta);
  EXPECT_LE(composed_delta(beyond.charges, beyond.guarantee.epsilon) +
                (1 + std::exp(beyond.guarantee.epsilon)) * beyond.distance.value(),
            input.budget.delta * (1 + 1e-12));
}

TEST(WhitenedDpgd, RefusesWhatItHasNoUseFor) {
  PlanInput input = input_for(Relation::replace_one);
  input.budget.delta = 0;
  EXPECT_THROW(WhitenedDpgd{}.plan(input), Error);
  input = input_for(Relation::replace_one);
  input.facts.features = kMaxWhitenedFeatures + 1;
  EXPECT_THROW(WhitenedDpgd{}.plan(input), Error);
  input = input_for(Relation::replace_one);
  EXPECT_THROW(WhitenedDpgd{.share = 0.6}.plan(input), Error);
  EXPECT_THROW(WhitenedDpgd{.share = 0}.plan(input), Error);
}

}  // namespace
}  // namespace sotto::test
