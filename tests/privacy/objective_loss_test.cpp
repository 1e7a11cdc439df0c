// Objective perturbation: the exact privacy loss of neighbours, from the density of the minimiser, against the claim.
// The minimiser w of sum l0 + (kappa/2)|w|^2 + v.w determines v, so that its density is that of v times the determinant
// of the Hessian. delta(epsilon) = E (1 - exp(epsilon - loss))_+ is estimated from draws of v.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "planned.h"
#include "sotto/methods/objective.h"

namespace sotto::test {
namespace {

using Point = std::vector<double>;
using Matrix = std::vector<Point>;
struct Row {
  Point x;
  int label;
};
using Table = std::vector<Row>;

/// Gaussian elimination: solves in place and returns ln det of a positive definite matrix.
double solve(Matrix a, Point& b) {
  double log_det = 0;
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    log_det += std::log(a[i][i]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double f = a[r][i] / a[i][i];
      for (std::size_t c = i; c < n; ++c) a[r][c] -= f * a[i][c];
      b[r] -= f * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) b[i] -= a[i][c] * b[c];
    b[i] /= a[i][i];
  }
  return log_det;
}

/// Slope and curvature of the losses of a margin that are looked at, written down again.
struct AtMargin {
  double slope, curvature;
};
AtMargin at_margin(const Loss& loss, double margin) {
  if (std::holds_alternative<RobustLogistic>(loss)) {
    const double share = 1 / (1 + std::exp(margin));
    return margin > 0 ? AtMargin{-2 * share, 2 * share * (1 - share)} : AtMargin{-1, 0};
  }
  // Huber SVM of half-width 1/2: its slope is 1 around 0, so that gradients of opposite rows differ by 2.
  return {-std::clamp(1.5 - margin, 0.0, 1.0), margin > 0.5 && margin < 1.5 ? 1.0 : 0.0};
}

/// Gradient and Hessian of the sum without its linear term; classes 1: a loss of the margin with labels +1 and -1;
/// else softmax.
struct Objective2 {
  const Table& table;
  std::size_t classes;
  double curvature;
  Loss loss;

  void at(const Point& w, Point& g, Matrix& h) const {
    const std::size_t n = w.size(), d = n / classes;
    g.assign(n, 0);
    h.assign(n, Point(n, 0));
    for (std::size_t i = 0; i < n; ++i) g[i] = curvature * w[i], h[i][i] = curvature;
    for (const Row& row : table) {
      Point slope(classes), p(classes);
      double total = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        double z = 0;
        for (std::size_t j = 0; j < d; ++j) z += row.x[j] * w[k * d + j];
        total += p[k] = std::exp(z);
      }
      if (classes == 1) {
        const double sign = row.label > 0 ? 1 : -1, margin = sign * std::log(p[0]);
        const AtMargin here = at_margin(loss, margin);
        slope[0] = sign * here.slope;
        p[0] = here.curvature;
      } else {
        for (std::size_t k = 0; k < classes; ++k) slope[k] = (p[k] /= total) - (row.label == static_cast<int>(k));
      }
      for (std::size_t k = 0; k < classes; ++k) {
        for (std::size_t j = 0; j < d; ++j) g[k * d + j] += slope[k] * row.x[j];
        for (std::size_t l = 0; l < classes; ++l) {
          const double second = classes == 1 ? p[0] : (k == l ? p[k] : 0) - p[k] * p[l];
          for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i < d; ++i) h[k * d + j][l * d + i] += second * row.x[j] * row.x[i];
          }
        }
      }
    }
  }
};

struct Pair {
  Table first, second;
};

/// Newton's method, steps halved until the gradient shrinks; returns ln det of the Hessian at the minimiser w.
double minimise(const Objective2& sum, const Point& v, Point& w) {
  const std::size_t n = w.size();
  Point g, step, next(n);
  Matrix h;
  const auto size_at = [&](const Point& at) {
    sum.at(at, g, h);
    double size = 0;
    for (std::size_t k = 0; k < n; ++k) size += std::pow(g[k] += v[k], 2);
    return size;
  };
  std::fill(w.begin(), w.end(), 0.0);
  double size = size_at(w);
  for (int i = 0; i < 200 && size > 1e-18; ++i) {
    step = g;
    solve(h, step);
    for (double length = 1; length > 1e-9; length /= 2) {
      for (std::size_t k = 0; k < n; ++k) next[k] = w[k] - length * step[k];
      if (const double there = size_at(next); there < size) {
        w = next, size = there;
        break;
      }
    }
  }
  EXPECT_LE(size, 1e-18) << "not solved";
  step = g;
  return solve(h, step);
}

/// delta(epsilon) of (first, second) with noise of this size, by draws.
double measured_delta(const Pair& pair, const PlanInput& input, const double (&noise)[2], int draws = 4000) {
  const auto [sigma, epsilon] = noise;
  const std::size_t classes = outputs_of(input.problem.loss, input.facts.classes);
  const std::size_t n = classes * pair.first.front().x.size();
  const double curvature = input.problem.lambda * static_cast<double>(input.facts.rows);
  const Objective2 one{pair.first, classes, curvature, input.problem.loss};
  const Objective2 other{pair.second, classes, curvature, input.problem.loss};
  std::mt19937_64 random(static_cast<std::uint64_t>(draws));
  std::normal_distribution<double> normal(0, sigma);
  Point v(n), w(n), g, step;
  Matrix h;
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    for (double& value : v) value = normal(random);
    const double log_det = minimise(one, v, w);
    double before = 0, after = 0;
    other.at(w, g, h);
    for (std::size_t k = 0; k < n; ++k) before += v[k] * v[k], after += g[k] * g[k];
    step = g;
    const double loss = (after - before) / (2 * sigma * sigma) + log_det - solve(h, step);
    if (loss > epsilon) sum += -std::expm1(epsilon - loss);
  }
  return sum / draws;
}

PlanInput input_of(double curvature, const Budget& budget, const Loss& loss, std::uint32_t features,
                   std::uint32_t classes = 2) {
  return {{1000, features, 1.0, false, classes}, {loss, curvature / 1000}, budget};
}

double sigma_of(const PlanInput& input) {
  const Objective method{.declared_rows = input.budget.relation == Relation::add_remove ? 1000U : 0U};
  return std::get<GaussianNoise>(objective_noise_of(method, input).on_objective).scale();
}

Table with(Table rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

std::vector<Table> backgrounds(std::size_t d) {
  Point along(d, 0), across(d, 0);
  along[0] = 1;
  across[d - 1] = 0.7;
  return {{{Point(d, 0), 1}}, with(Table(4, {along, 1}), Table(2, {across, 0}))};
}

std::vector<std::pair<Row, Row>> replacements(std::size_t d) {
  Point x(d, 0), y(d, 0);
  x[0] = 1;
  y[d - 1] = -1;
  Point minus = x;
  minus[0] = -1;
  return {{{x, 1}, {minus, 1}}, {{x, 0}, {minus, 0}}, {{x, 1}, {y, 1}}, {{y, 1}, {x, 0}}};
}

struct Worst {
  double claimed = 0, halved = 0;
};

/// The pair whose delta is largest with the noise of the plan, then measured by other draws, and the same with half of
/// the noise.
Worst worst_of(const PlanInput& input) {
  const double sigma = sigma_of(input);
  const Budget& budget = input.budget;
  double largest = -1;
  Pair worst;
  for (const Table& background : backgrounds(input.facts.features)) {
    for (const auto& [here, there] : replacements(input.facts.features)) {
      Pair pair{with(background, {here}), with(background, {there})};
      if (budget.relation == Relation::add_remove) pair.second = background;
      for (int way = 0; way < 2; ++way) {
        const double delta = measured_delta(pair, input, {sigma, budget.epsilon});
        if (delta > largest) largest = delta, worst = pair;
        std::swap(pair.first, pair.second);
      }
    }
  }
  constexpr int kMany = 40000;
  return {measured_delta(worst, input, {sigma, budget.epsilon}, kMany),
          measured_delta(worst, input, {sigma / 2, budget.epsilon})};
}

TEST(ObjectiveLoss, OfReplacedRowsStaysBelowTheClaimAndHalfTheNoiseDoesNot) {
  for (const Loss& loss : {Loss(HuberSvm{0.5}), Loss(RobustLogistic{})}) {
    for (const double curvature : {8.0, 50.0}) {
      const Worst worst = worst_of(input_of(curvature, {.epsilon = 1, .delta = 0.02}, loss, 2));
      EXPECT_LE(worst.claimed, 0.02);
      EXPECT_GE(worst.claimed, 0.002) << "the pairs have no power";
      EXPECT_GT(worst.halved, 0.04);
    }
  }
}

TEST(ObjectiveLoss, OfAddedRowsStaysBelowTheClaimAndHalfTheNoiseDoesNot) {
  for (const Loss& loss : {Loss(HuberSvm{0.5}), Loss(RobustLogistic{})}) {
    for (const double curvature : {3.0, 50.0}) {
      const Worst worst = worst_of(input_of(curvature, {1, 0.02, Relation::add_remove}, loss, 2));
      EXPECT_LE(worst.claimed, 0.02);
      EXPECT_GE(worst.claimed, 0.002) << "the pairs have no power";
      EXPECT_GT(worst.halved, 0.04);
    }
  }
}

TEST(ObjectiveLoss, OfSoftmaxStaysBelowTheClaimAndHalfTheNoiseDoesNot) {
  const Worst replaced = worst_of(input_of(10, {.epsilon = 1, .delta = 0.02}, Softmax{}, 1, 3));
  EXPECT_LE(replaced.claimed, 0.02);
  const Worst added = worst_of(input_of(10, {1, 0.02, Relation::add_remove}, Softmax{}, 1, 3));
  EXPECT_LE(added.claimed, 0.02);
  EXPECT_GT(added.halved, 0.02);
}

TEST(ObjectiveLoss, WithoutTheJacobianTheClaimWouldBreak) {
  // Many rows that hold the minimiser where the differing row is curved, and little noise: the loss is the determinant
  // alone, and noise calibrated as if that cost nothing would claim a delta that does not hold.
  const double curvature = 2, epsilon = 0.45;
  const Budget budget{epsilon, 1e-3, Relation::add_remove};
  const PlanInput input = input_of(curvature, budget, HuberSvm{0.5}, 1);
  const double with_it = sigma_of(input);
  ObjectiveShape shape = objective_shape(input, curvature);
  EXPECT_NEAR(shape.log_determinant, std::log(1 + 1.0 / 2), 1e-5);
  shape.log_determinant = 0;
  const double without = std::get<GaussianNoise>(calibrate_objective(shape, budget).on_objective).scale();
  EXPECT_GT(with_it, 2 * without);
}

}  // namespace
}  // namespace sotto::test
