// What binary64 may lose on the way, against extended precision: norms of long rows, slopes, whole steps (spec 5.4).
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "sensitive_access.h"
#include "sotto/files/block_file/sound_rows.h"
#include "sotto/linalg/kernels.h"
#include "sotto/optim/psgd.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/optim/sensitivity.h"
#include "sotto/optim/step_rounding.h"

namespace sotto {
namespace {

constexpr long double kUnit = 0x1p-53L;

template <class Number>
long double exact_norm(const std::vector<Number>& x) {
  long double sum = 0;
  for (const Number v : x) sum += static_cast<long double>(v) * static_cast<long double>(v);
  return std::sqrt(sum);
}

/// A one in every lane, and behind it squares just below half a unit in the last place of 1: each is rounded away.
std::vector<float> row_of_lost_squares(std::size_t features) {
  std::vector<float> row(features, std::nextafter(0x1.6a09e6p-27F, 0.0F));
  std::fill_n(row.begin(), kernels::kLanes, 1.0F);
  return row;
}

TEST(Rounding, ANormThatIsRoundedUpIsNeverBelowTheExactOne) {
  for (const std::size_t n : {1U, 17U, 1000U, 1U << 17U, 1U << 21U}) {
    const std::vector<float> lost = row_of_lost_squares(std::max<std::size_t>(n, kernels::kLanes));
    const std::vector<double> wide(lost.begin(), lost.end());
    EXPECT_GE(kernels::norm_at_least(lost.data(), lost.size()), exact_norm(lost)) << n;
    EXPECT_GE(kernels::norm_at_least(wide.data(), wide.size()), exact_norm(wide)) << n;
    EXPECT_LE(kernels::norm_at_least(lost.data(), lost.size()), exact_norm(lost) * (1 + 0x1p-30L)) << n;
  }
}

TEST(Rounding, ALongRowOfAFileThatIsLongerThanItsSumShowsIsNotSound) {
  const std::vector<float> row = row_of_lost_squares(std::size_t{1} << 21U);
  const double limit = 4 * (1 + 1e-12);  // the exact norm is 4 (1 + 7e-12), the computed one 4
  ASSERT_GT(exact_norm(row), limit);
  Facts facts{1, static_cast<std::uint32_t>(row.size()), limit / (1 + 0x1p-20), false};
  EXPECT_FALSE(row_is_sound(row.data(), row.size(), 1, facts));
  facts.data_norm *= 1 + 1e-9;
  EXPECT_TRUE(row_is_sound(row.data(), row.size(), 1, facts));
}

TEST(Rounding, ClippedGradientsOfLongRowsKeepTheClip) {
  for (const std::size_t features : {std::size_t{1000}, std::size_t{1} << 21U}) {
    const std::vector<float> row = row_of_lost_squares(features);
    const float label = 1;
    RowBlock rows;
    rows.rows = 1;
    rows.features = static_cast<std::uint32_t>(features);
    rows.dense = row.data();
    rows.labels = &label;
    const double clip = 1;
    RowGradients gradients(Hinge{}, {1, rows.features, 5.0, false}, clip);
    const std::vector<double> weights(features, 0.0);
    std::vector<double> sum(features, 0.0);
    gradients.add(rows, weights.data(), sum.data());
    EXPECT_LE(exact_norm(sum), clip) << features;
    EXPECT_GE(exact_norm(sum), clip * (1 - 0x1p-30L)) << features;
  }
}

long double exact_slope(const HuberSvm& loss, long double margin) {
  const long double h = loss.huber_width;
  return -std::clamp((1 + h - margin) / (2 * h), 0.0L, 1.0L);
}

TEST(Rounding, SlopesOfNarrowHuberLossesAreWithinTheirBoundAndNeverSteeperThanOne) {
  std::mt19937_64 random(3);
  long double beyond_eight = 0;
  for (const double h : {1.1e-6, 3e-6, 1e-3, 0.1, 7.0, 1e5}) {
    const HuberSvm loss{h};
    const double norm = 3;
    const long double bound = slope_rounding(loss.constants(norm), norm) * kUnit;
    std::uniform_real_distribution<double> band(1 - 1.01 * h, 1 + 1.01 * h);
    for (int i = 0; i < 20000; ++i) {
      const double margin = i == 0 ? 1 - h : i == 1 ? std::nextafter(1 - h, 2.0) : band(random);
      const double slope = loss.slope(margin);
      ASSERT_GE(slope, -1);
      ASSERT_LE(slope, 0);
      const long double error = std::abs(slope - exact_slope(loss, margin));
      ASSERT_LE(error, bound) << h << " at " << margin;
      beyond_eight = std::max(beyond_eight, error / (8 * kUnit));
    }
  }
  EXPECT_GT(beyond_eight, 1000) << "a bound of 8 units would do";
}

/// Rows and labels of one feature or several.
struct Rows {
  std::uint32_t features;
  std::vector<float> x, labels;
  RowBlock first(std::size_t count) const {
    RowBlock block;
    block.rows = count;
    block.features = features;
    block.dense = x.data();
    block.labels = labels.data();
    return block;
  }
};

Vector weights_after(const Recipe& recipe, const Rows& rows, std::size_t count) {
  Psgd psgd(recipe, {count, rows.features, 1.0, false});
  psgd.consume(rows.first(count));
  return SensitiveTestAccess::open(std::move(psgd).finish());
}

/// How far the last step of the run over all rows is from the exact step at the computed weights before it.
long double last_step_error(const Recipe& recipe, const Rows& rows) {
  const std::size_t all = rows.labels.size(), before = all - recipe.batch_rows;
  const Vector from = weights_after(recipe, rows, before), to = weights_after(recipe, rows, all);
  std::vector<long double> gradient(rows.features, 0);
  for (std::size_t i = before; i < all; ++i) {
    long double margin = 0;
    for (std::size_t k = 0; k < rows.features; ++k)
      margin += from[k] * static_cast<long double>(rows.x[i * rows.features + k]);
    const long double label = rows.labels[i];
    const long double slope = label * exact_slope(std::get<HuberSvm>(recipe.loss), label * margin);
    for (std::size_t k = 0; k < rows.features; ++k) gradient[k] += slope * rows.x[i * rows.features + k];
  }
  const long double eta = recipe.step(all / recipe.batch_rows);
  long double squares = 0;
  for (std::size_t k = 0; k < rows.features; ++k) {
    const long double exact = from[k] - eta * (static_cast<long double>(recipe.lambda) * from[k] +
                                               gradient[k] / static_cast<long double>(recipe.batch_rows));
    squares += (to[k] - exact) * (to[k] - exact);
  }
  return std::sqrt(squares);
}

/// Rows that build up weights, and a last batch of one row many times, in the middle of the corner if that can be.
Rows rows_to_the_corner(const Recipe& recipe, std::uint32_t features, std::mt19937_64& random) {
  std::uniform_real_distribution<float> entry(0.2F, 0.9F);
  const std::size_t built = 4 * recipe.batch_rows;
  Rows rows{features, std::vector<float>((built + recipe.batch_rows) * features), {}};
  rows.labels.assign(built + recipe.batch_rows, 1.0F);
  const float scale = 0.3F / std::sqrt(static_cast<float>(features));
  for (std::size_t i = 0; i < built * features; ++i) rows.x[i] = scale * entry(random);
  const Vector w = weights_after(recipe, rows, built);
  std::vector<double> direction(features);
  double margin = 0, squares = 0;
  for (std::size_t k = 0; k < features; ++k) {
    direction[k] = entry(random);
    margin += w[k] * direction[k];
    squares += direction[k] * direction[k];
  }
  const double length = std::min(1 / margin, 0.999 / std::sqrt(squares));
  for (std::size_t i = built; i < rows.labels.size(); ++i) {
    for (std::size_t k = 0; k < features; ++k) rows.x[i * features + k] = static_cast<float>(length * direction[k]);
  }
  return rows;
}

TEST(Rounding, StepsOfAnySizeAreWithinTheirBoundOfTheExactOne) {
  std::mt19937_64 random(5);
  long double above_old = 0, nearest = 1e9;
  for (const double h : {1e-4, 1e-2, 0.5}) {
    for (const double size : {1.0, 3.0, 20.0}) {  // beta eta from 1 to 100,000
      for (const std::uint32_t features : {1U, 2U, 40U}) {
        for (const std::uint64_t batch : {1U, 6U}) {
          Recipe recipe;
          recipe.loss = HuberSvm{h};
          recipe.lambda = 0.01;
          recipe.step = {std::numeric_limits<double>::infinity(), size, 1, StepRule::Growth::none};
          recipe.batch_rows = batch;
          const double most = 5 * size * (1 + 0x1p-20);  // five steps of a gradient of at most 1
          const Facts facts{5 * batch, features, 1.0, false};
          const double bound = StepRounding(recipe, facts).of(size, most);
          const double terms = features + static_cast<double>(batch) + 4;
          for (int trial = 0; trial < 20; ++trial) {
            const long double error = last_step_error(recipe, rows_to_the_corner(recipe, features, random));
            ASSERT_LE(error, bound) << h << ' ' << size << ' ' << features << ' ' << batch;
            above_old = std::max(above_old, error / (4 * kUnit * terms * (most + size)));
            nearest = std::min(nearest, bound / error);
          }
        }
      }
    }
  }
  EXPECT_GT(above_old, 1) << "4 u (d + b + 4)(W + eta L) would do for steps above 2/beta";
  EXPECT_LT(nearest, 100);
}

TEST(Rounding, EveryPartOfTheBoundOfAStepHasItsFactor) {
  Recipe recipe;
  recipe.loss = Logistic{};
  recipe.lambda = 0.5;
  recipe.batch_rows = 7;
  const Facts facts{100, 33, 1.0, false};
  const double unit = 0x1p-53 * 1.01, norm = 1 + 0x1p-20, beta = 0.25 * norm * norm, s = 3 + 4, w = 10, eta = 0.4;
  const double gradient = (7 + 3 + 8.5) * norm, weights = 0.2 + 2 * 0.8 + 1;
  const double plain = unit * (weights * w + eta * (beta * s * w + gradient));
  EXPECT_NEAR(StepRounding(recipe, facts).of(eta, w), plain, 1e-6 * plain);
  EXPECT_NEAR(StepRounding(recipe, facts).of_average(w), 4 * unit * w, 1e-12 * unit);
  recipe.projection.radius = 10;
  EXPECT_NEAR(StepRounding(recipe, facts).of(eta, w) - plain, unit * (33.0 / 16 + 10) * 10, 1e-6 * plain);
  recipe.projection.radius = 0;
  Facts sparse = facts;
  sparse.sparse = true;
  EXPECT_NEAR(StepRounding(recipe, sparse).of(eta, w) - plain, unit * (w + eta * beta * w), 1e-6 * plain);
  recipe.precision = Precision::weights;
  const double pairs = unit * eta * ((4 * 0.5 + beta * (s + 1)) * w + gradient + 3 * norm);
  EXPECT_NEAR(StepRounding(recipe, facts).of(eta, w), pairs, 1e-6 * pairs);
  EXPECT_NEAR(StepRounding(recipe, facts).of_finish(w), 4 * unit * w, 1e-12 * unit);
  recipe.precision = Precision::margins;
  const double once = unit * eta * ((4 * 0.5 + beta * 1.01) * w + gradient + 3 * norm);
  EXPECT_NEAR(StepRounding(recipe, facts).of(eta, w), once, 1e-5 * once);
}

using Wide = boost::multiprecision::cpp_bin_float_quad;  // 113 bits

Wide wide_slope(const Loss& loss, const Wide& margin) {
  if (const auto* huber = std::get_if<HuberSvm>(&loss)) {
    const Wide h = huber->huber_width;
    const Wide slope = (1 + h - margin) / (2 * h);
    return slope < 0 ? Wide(0) : slope > 1 ? Wide(-1) : Wide(-slope);
  }
  return -1 / (1 + exp(margin));
}

/// The same run in exact arithmetic, as far as 113 bits are that; one row per batch or several.
std::vector<Wide> wide_run(const Recipe& recipe, const Rows& rows) {
  const std::size_t d = rows.features;
  std::vector<Wide> w(d, 0), sum(d, 0), gradient(d, 0);
  const std::size_t steps = rows.labels.size() / recipe.batch_rows;
  for (std::size_t t = 1; t <= steps; ++t) {
    std::fill(gradient.begin(), gradient.end(), Wide(0));
    for (std::size_t i = (t - 1) * recipe.batch_rows; i < t * recipe.batch_rows; ++i) {
      Wide margin = 0;
      for (std::size_t k = 0; k < d; ++k) margin += w[k] * Wide(rows.x[i * d + k]);
      const Wide slope = rows.labels[i] * wide_slope(recipe.loss, rows.labels[i] * margin);
      for (std::size_t k = 0; k < d; ++k) gradient[k] += slope * Wide(rows.x[i * d + k]);
    }
    const Wide eta = recipe.step(t), alpha = averaging_weight(recipe.averaging, t, steps);
    for (std::size_t k = 0; k < d; ++k) {
      w[k] -= eta * (Wide(recipe.lambda) * w[k] + gradient[k] / Wide(recipe.batch_rows));
      sum[k] += alpha * w[k];
    }
  }
  return sum;
}

/// How far the computed result is from the exact one, as a share of what one run may lose.
double share_of_bound(const Recipe& recipe, const Rows& rows) {
  const std::size_t count = rows.labels.size();
  const Vector computed = weights_after(recipe, rows, count);
  const std::vector<Wide> exact = wide_run(recipe, rows);
  Wide squares = 0;
  for (std::size_t k = 0; k < rows.features; ++k) squares += (exact[k] - computed[k]) * (exact[k] - computed[k]);
  double rounding = 0;
  try {
    rounding = l2_sensitivity(recipe, {count, rows.features, 1.0, false}, 2).rounding;
  } catch (const Error&) {
    return 0;  // not offered, so there is nothing to keep
  }
  return 2 * static_cast<double>(sqrt(squares)) / rounding;
}

/// First rows that build up a weight, then rows whose steps are just below half a unit of it: plain sums lose each.
Rows rows_that_vanish(const Recipe& recipe, std::size_t count) {
  Rows rows{1, std::vector<float>(count, 1.0F), std::vector<float>(count, 1.0F)};
  double weight = 0;
  for (std::size_t t = 1; t <= count / 2; ++t) weight += recipe.step(t);
  for (std::size_t i = count / 2; i < count; ++i) {
    rows.x[i] = static_cast<float>(0.9 * std::exp2(std::floor(std::log2(weight)) - 53) / recipe.step(i + 1));
  }
  return rows;
}

Rows random_rows(std::size_t count, std::uint32_t features, std::mt19937_64& random) {
  std::normal_distribution<float> entry;
  Rows rows{features, std::vector<float>(count * features), std::vector<float>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    float squares = 0;
    for (std::size_t k = 0; k < features; ++k) {
      rows.x[i * features + k] = entry(random);
      squares += rows.x[i * features + k] * rows.x[i * features + k];
    }
    for (std::size_t k = 0; k < features; ++k) rows.x[i * features + k] *= 0.999F / std::sqrt(squares);
    rows.labels[i] = random() % 3 == 0 ? -1.0F : 1.0F;
  }
  return rows;
}

TEST(Rounding, AMillionVanishingStepsAreWithinTheBoundAndNearIt) {
  Recipe recipe;
  recipe.loss = HuberSvm{1e5};  // straight but for rounding: every step counts in full
  recipe.step = {std::numeric_limits<double>::infinity(), 0.5, 1, StepRule::Growth::none};
  const Rows rows = rows_that_vanish(recipe, 1000000);
  const double plain = share_of_bound(recipe, rows);
  EXPECT_LE(plain, 1);
  EXPECT_GE(plain, 0.01);
  recipe.precision = Precision::weights;
  EXPECT_LE(share_of_bound(recipe, rows), 1);
}

/// A step size whose third is rounded by nearly a unit, always the same way.
double badly_rounded_by_three() {
  double worst = 0, error = 0;
  for (double eta = 0x1p-16; eta < 0x1p-15; eta += 0x1p-28) {
    const long double third = eta / 3.0L;
    const long double lost = std::abs(third - static_cast<double>(third)) / third;
    if (lost > error) worst = eta, error = static_cast<double>(lost);
  }
  return worst;
}

TEST(Rounding, StepsRoundedTheSameWayEveryTimeAreWithinTheBoundOfPairsAndNearIt) {
  Recipe recipe;
  recipe.loss = HuberSvm{0.4};  // the margin stays where the slope is -1
  recipe.batch_rows = 3;
  recipe.step = {std::numeric_limits<double>::infinity(), badly_rounded_by_three(), 1, StepRule::Growth::none};
  Rows rows{1, std::vector<float>(60000, 1.0F), std::vector<float>(60000, 1.0F)};
  for (std::size_t i = 2; i < rows.x.size(); i += 3) rows.x[i] = 0.5F;  // three equal rows would undo the rounding
  for (const Precision precision : {Precision::weights, Precision::margins}) {
    recipe.precision = precision;
    const double share = share_of_bound(recipe, rows);
    EXPECT_LE(share, 1);
    EXPECT_GE(share, 0.01);
  }
}

TEST(Rounding, WholeRunsAreWithinTheirBoundInEveryArithmetic) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit;
  double worst[3] = {0, 0, 0};
  for (int trial = 0; trial < 24; ++trial) {
    Recipe recipe;
    recipe.loss = trial % 3 == 0 ? Loss{Logistic{}} : Loss{HuberSvm{std::pow(10.0, -3 * unit(random))}};
    recipe.lambda = trial % 2 == 0 ? 0 : std::pow(10.0, -4 * unit(random));
    const double beta = constants_of(recipe.loss, 1.0).smoothness;
    const double size = 2 / (beta + 2 * recipe.lambda) * std::pow(10.0, -3 * unit(random));
    const StepRule::Growth growths[] = {StepRule::Growth::none, StepRule::Growth::linear, StepRule::Growth::root};
    recipe.step = {size, 10 * size, 1, growths[random() % 3]};
    recipe.batch_rows = 1 + random() % 7;
    recipe.averaging = random() % 2 == 0 ? Averaging::last : Averaging::uniform;
    const Rows rows = random_rows(recipe.batch_rows * 200, static_cast<std::uint32_t>(1 + random() % 40), random);
    for (const Precision precision : {Precision::plain, Precision::weights, Precision::margins}) {
      recipe.precision = precision;
      const double share = share_of_bound(recipe, rows);
      ASSERT_LE(share, 1) << trial << ' ' << static_cast<int>(precision);
      double& seen = worst[static_cast<int>(precision)];
      seen = std::max(seen, share);
    }
  }
  for (const double seen : worst) EXPECT_GT(seen, 1e-4);
}

}  // namespace
}  // namespace sotto
