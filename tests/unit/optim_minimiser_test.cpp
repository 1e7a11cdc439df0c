// The certified minimiser: its gradient recomputed in extended precision, its fallback alone, the same bits everywhere.
#include <gtest/gtest.h>

#include "row_table.h"
#include "sensitive_access.h"
#include "sotto/base/error.h"
#include "sotto/linalg/cholesky.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/minimiser.h"

namespace sotto::test {
namespace {

struct Case {
  Loss loss;
  std::uint32_t classes;
  bool sparse;
};
const Case kCases[] = {{Logistic{}, 2, false},       {Logistic{}, 2, true},       {HuberSvm{0.2}, 2, false},
                       {RobustLogistic{}, 2, false}, {RobustLogistic{}, 2, true}, {Softmax{}, 4, false},
                       {Softmax{}, 2, true},         {Logistic{}, 3, false}};

Vector linear_term(std::size_t size, double norm) {
  Vector v(size);
  for (std::size_t i = 0; i < size; ++i)
    v[i] = norm * std::sin(1.0 + static_cast<double>(i)) / std::sqrt(static_cast<double>(size) / 2);
  return v;
}

long double slope_of(const Loss& loss, long double margin) {
  if (const auto* huber = std::get_if<HuberSvm>(&loss)) {
    const long double h = huber->huber_width;
    return margin > 1 + h ? 0 : (margin < 1 - h ? -1 : -(1 + h - margin) / (2 * h));
  }
  const long double slope = -1 / (1 + std::exp(margin));
  return std::holds_alternative<RobustLogistic>(loss) ? std::max(-1.0L, 2 * slope) : slope;
}

/// The gradient of J by its definition.
std::vector<long double> exact_gradient(const RowTable& t, const PerturbedSum& sum, const Vector& w) {
  const std::size_t d = t.facts.features, outputs = w.size() / d;
  std::vector<long double> g(w.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    g[i] = static_cast<long double>(sum.curvature) * w[i] + (sum.linear.empty() ? 0.0L : sum.linear[i]);
  }
  for (std::size_t row = 0; row < t.facts.rows; ++row) {
    std::vector<long double> z(outputs, 0), s(outputs, 0);
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t j = 0; j < d; ++j) z[k] += static_cast<long double>(t.dense[row * d + j]) * w[k * d + j];
    }
    const float label = t.labels[row];
    if (std::holds_alternative<Softmax>(sum.loss)) {
      long double total = 0;
      for (const long double score : z) total += std::exp(score);
      for (std::size_t k = 0; k < outputs; ++k) s[k] = std::exp(z[k]) / total;
      s[t.facts.classes == 2 ? (label > 0 ? 1 : 0) : static_cast<std::size_t>(label)] -= 1;
    } else {
      for (std::size_t k = 0; k < outputs; ++k) {
        const int sign = (outputs == 1 ? label > 0 : label == static_cast<float>(k)) ? 1 : -1;
        s[k] = sign * slope_of(sum.loss, sign * z[k]);
      }
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t j = 0; j < d; ++j) g[k * d + j] += s[k] * t.dense[row * d + j];
    }
  }
  return g;
}

long double norm_of(const std::vector<long double>& g) {
  long double squares = 0;
  for (const long double v : g) squares += v * v;
  return std::sqrt(squares);
}

double norm_of(const Vector& v) { return static_cast<double>(norm_of(std::vector<long double>(v.begin(), v.end()))); }

Vector solve(const RowTable& table, const PerturbedSum& sum, const MinimiserOptions& options, std::size_t block = 100) {
  const RowTableEngine engine(table, block);
  return SensitiveTestAccess::open(minimise(engine, sum, options));
}

TEST(Minimiser, ItsGradientIsBelowTheToleranceForEveryLossAndKind) {
  for (const Case& c : kCases) {
    const RowTable table = planted_table(3000, 9, c.classes, c.sparse);
    for (const double curvature : {0.3, 30.0}) {
      const std::size_t size = std::size_t{outputs_of(c.loss, c.classes)} * 9;
      const Vector linear = linear_term(size, 20);
      const PerturbedSum sum{c.loss, curvature, linear};
      const double tolerance = SumBounds(c.loss, table.facts, curvature).reachable(norm_of(linear));
      const Vector w = solve(table, sum, {.tolerance = tolerance});
      EXPECT_LE(norm_of(exact_gradient(table, sum, w)), tolerance) << name_of(c.loss);
      EXPECT_LT(tolerance, 1e-6);
      // Without the curvature matrix it is plain L-BFGS, and finds the same point.
      const Vector plain = solve(table, sum, {.tolerance = tolerance, .most_curvature_features = 0});
      EXPECT_LE(norm_of(exact_gradient(table, sum, plain)), tolerance) << name_of(c.loss);
      Vector gap = w;
      for (std::size_t i = 0; i < size; ++i) gap[i] -= plain[i];
      EXPECT_LE(norm_of(gap), 2 * tolerance / curvature);
    }
  }
}

/// Most directions are those of a few rows, which a sample may miss.
TEST(Minimiser, RareDirectionsAreFoundWithoutAllRowsInTheFirstMatrix) {
  RowTable table = planted_table(4000, 9);
  for (std::size_t i = 0; i < 4000; ++i) {
    for (std::size_t j = 1; j < 9; ++j) table.dense[i * 9 + j] *= i % 500 == j ? 1.0F : 0.0F;
  }
  const Vector linear = linear_term(9, 20);
  const PerturbedSum sum{Logistic{}, 0.3, linear};
  const double tolerance = SumBounds(Logistic{}, table.facts, 0.3).reachable(norm_of(linear));
  EXPECT_LE(norm_of(exact_gradient(table, sum, solve(table, sum, {.tolerance = tolerance}))), tolerance);
}

/// Their matrix is of few rows, and made once.
TEST(Minimiser, ManyFeaturesReachTheToleranceToo) {
  for (const std::uint32_t classes : {2U, 3U}) {
    const RowTable table = planted_table(700, 510, classes);
    const Loss loss = classes == 2 ? Loss{Logistic{}} : Loss{Softmax{}};
    const Vector linear = linear_term(std::size_t{outputs_of(loss, classes)} * 510, 20);
    const PerturbedSum sum{loss, 0.3, linear};
    const double tolerance = SumBounds(loss, table.facts, 0.3).reachable(norm_of(linear));
    EXPECT_LE(norm_of(exact_gradient(table, sum, solve(table, sum, {.tolerance = tolerance}))), tolerance);
  }
}

/// Counts the passes over a table.
class CountedPasses final : public Engine {
 public:
  explicit CountedPasses(const RowTableEngine& engine) : engine_(engine) {}
  Facts facts() const override { return engine_.facts(); }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t, RowConsumer&) override {}
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    passes += first == 0 ? 1 : 0;
    rows += count;
    engine_.scan_rows(first, count, consumer);
  }
  mutable std::uint64_t passes = 0, rows = 0;

 private:
  const RowTableEngine& engine_;
};

/// The few rows of the matrix miss much of what one-hot columns have: it must not stand in the way.
TEST(Minimiser, ManyRareColumnsTakeFewPasses) {
  constexpr std::uint32_t kColumns = 501;
  RowTable table(kColumns, 2, true);
  std::mt19937_64 bits(5);
  for (int i = 0; i < 5000; ++i) {
    std::vector<double> row(kColumns, 0.0);
    for (int k = 0; k < 5; ++k) row[bits() % kColumns] = 1;
    table.add(row, bits() % 3 == 0 ? 1 : -1);
  }
  const Vector linear = linear_term(kColumns, 20);
  for (const double curvature : {0.1, 0.001}) {
    const RowTableEngine rows(table, 1000);
    const CountedPasses counted(rows);
    minimise(counted, {Logistic{}, curvature, linear}, {.tolerance = 1e-4, .threads = 1});
    EXPECT_LE(counted.passes, 150U) << curvature;
  }
}

/// Enough rows for steps on an eighth of them first, sorted by class, so that the eighth is like the rest only where it
/// is taken from everywhere.
TEST(Minimiser, AnEighthOfTheRowsShowsTheWayAndDecidesNothing) {
  constexpr std::uint32_t kColumns = 501;
  RowTable table(kColumns, 2, true);
  std::mt19937_64 bits(6);
  for (int i = 0; i < 16'777; ++i) {
    std::vector<double> row(kColumns, 0.0);
    for (int k = 0; k < 5; ++k) row[bits() % kColumns] = 1;
    table.add(row, i < 9000 ? 1 : -1);
  }
  const Vector linear = linear_term(kColumns, 20);
  const PerturbedSum sum{Logistic{}, 1, linear};
  const double tolerance = SumBounds(Logistic{}, table.facts, 1).reachable(norm_of(linear));
  const RowTableEngine rows(table, 1000);
  const CountedPasses counted(rows);
  const Vector w = SensitiveTestAccess::open(minimise(counted, sum, {.tolerance = tolerance, .threads = 1}));
  EXPECT_LE(norm_of(exact_gradient(table, sum, w)), tolerance);
  EXPECT_LE(counted.passes, 60U) << "those over an eighth of the rows included";
  EXPECT_EQ(w, solve(table, sum, {.tolerance = tolerance, .threads = 3}, 77));
}

/// The runs of rows that show the way are of one class, all others of the other.
TEST(Minimiser, AnEighthThatIsUnlikeTheRestIsForgotten) {
  constexpr std::uint32_t kColumns = 501;
  constexpr std::uint64_t kRows = 16'032;
  const std::uint64_t run = 128;  // of SomeRows
  RowTable table(kColumns, 2, true);
  std::mt19937_64 bits(7);
  for (std::uint64_t i = 0; i < kRows; ++i) {
    std::vector<double> row(kColumns, 0.0);
    for (int k = 0; k < 4; ++k) row[bits() % kColumns] = bits() % 2 == 0 ? -1 : 1;
    row.back() = 1;
    table.add(row, i / run % 8 == 0 ? 1 : -1);
  }
  const Vector linear = linear_term(kColumns, 30);
  const PerturbedSum sum{Logistic{}, 1e-3, linear};
  const double tolerance = SumBounds(Logistic{}, table.facts, 1e-3).reachable(norm_of(linear));
  const RowTableEngine rows(table, 1000);
  const CountedPasses counted(rows);
  const Vector w = SensitiveTestAccess::open(minimise(counted, sum, {.tolerance = tolerance, .threads = 1}));
  EXPECT_LE(norm_of(exact_gradient(table, sum, w)), tolerance);
  EXPECT_LE(counted.rows, 80 * kRows) << "46 passes without a way that was shown";
}

TEST(Minimiser, ANarrowCornerIsReachedWithoutTheFallback) {
  // Rows that are nearly all one column, hardly any curvature: quasi-Newton steps are many.
  constexpr std::uint64_t kRows = 4000;
  constexpr std::uint32_t kColumns = 501;
  RowTable table(kColumns);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    std::vector<double> row(kColumns, 1.0);
    double score = 0.5 * normal(random);
    for (std::uint32_t j = 1; j < kColumns; ++j) {
      row[j] = 0.01 * normal(random) / (1 + 0.1 * j);
      score += row[j] * (j % 3 == 0 ? 100 : -30);
    }
    table.add(row, score > 0 ? 1 : -1);
  }
  const PerturbedSum sum{HuberSvm{0.01}, 1e-3, {}};
  const double tolerance = std::max(2e-4, SumBounds(sum.loss, table.facts, sum.curvature).reachable(0));
  const RowTableEngine rows(table, 1000);
  const CountedPasses counted(rows);
  const Vector w = SensitiveTestAccess::open(minimise(counted, sum, {.tolerance = tolerance, .threads = 1}));
  EXPECT_LE(norm_of(exact_gradient(table, sum, w)), tolerance);
  EXPECT_LE(counted.rows, 700 * kRows) << "without Newton's steps it falls back to gradient steps";
}

TEST(Minimiser, ANarrowCornerOfSeveralOutputsIsReachedWithoutTheFallback) {
  // Few rows that can be told apart, hardly any curvature: each output has its own rows at the corner.
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int problem = 0; problem < 60; ++problem) {
    const auto columns = static_cast<std::uint32_t>(2 + random() % 30),
               classes = static_cast<std::uint32_t>(3 + random() % 5);
    const std::size_t rows = 30 + random() % 400;
    std::vector<double> teacher(std::size_t{columns} * classes);
    for (double& t : teacher) t = normal(random);
    RowTable table(columns);
    table.facts.classes = classes;
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<double> row(columns);
      for (double& x : row) x = normal(random);
      const double length = norm_of(row);
      for (double& x : row) x /= length;
      std::size_t best = 0;
      double most = -1e9;
      for (std::size_t k = 0; k < classes; ++k) {
        double score = 0;
        for (std::size_t j = 0; j < columns; ++j) score += row[j] * teacher[k * columns + j];
        if (score > most) most = score, best = k;
      }
      table.add(row, static_cast<float>(best));
    }
    const double lambda = std::pow(10.0, -3.0 - static_cast<double>(random() % 4));
    const PerturbedSum sum{HuberSvm{0.004}, lambda * static_cast<double>(rows), {}};
    const double tolerance = std::max(1e-6, SumBounds(sum.loss, table.facts, sum.curvature).reachable(0));
    const RowTableEngine engine(table, 100);
    const CountedPasses counted(engine);
    const Vector w = SensitiveTestAccess::open(minimise(counted, sum, {.tolerance = tolerance, .threads = 1}));
    EXPECT_LE(norm_of(exact_gradient(table, sum, w)), tolerance);
    EXPECT_LE(counted.rows, std::size_t{1500} * classes * rows)
        << rows << " rows, " << columns << " columns, " << classes << " classes";
  }
}

TEST(Minimiser, TheFallbackReachesTheTolerance) {
  for (const Case& c : kCases) {
    const RowTable table = planted_table(40, 3, c.classes, c.sparse);
    const Vector linear = linear_term(std::size_t{outputs_of(c.loss, c.classes)} * 3, 5);
    const PerturbedSum sum{c.loss, 4.0, linear};
    const double tolerance = SumBounds(c.loss, table.facts, 4).reachable(norm_of(linear));
    for (const std::uint32_t quick : {0U, 1U, 2U}) {
      const Vector w = solve(table, sum, {.tolerance = tolerance, .quick_steps = quick});
      EXPECT_LE(norm_of(exact_gradient(table, sum, w)), tolerance) << name_of(c.loss) << " after " << quick;
    }
  }
}

TEST(Minimiser, EveryEngineBlockingAndNumberOfThreadsGivesTheSameBits) {
  const RowTable table = planted_table(5000, 7);
  const PerturbedSum sum{Logistic{}, 3.0, {}};
  const Vector once = solve(table, sum, {.tolerance = 1e-6, .threads = 1}, 5000);
  for (const std::size_t block : {1U, 13U, 777U}) {
    EXPECT_EQ(once, solve(table, sum, {.tolerance = 1e-6, .threads = 3}, block));
  }
  const Vector sparse = solve(planted_table(5000, 7, 2, true), sum, {.tolerance = 1e-6});
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(once[i], sparse[i], 2e-6 / 3);
}

TEST(Minimiser, RoundingStaysBelowItsBound) {
  for (const Case& c : kCases) {
    const RowTable table = planted_table(20000, 40, c.classes, c.sparse);
    const Vector w = linear_term(std::size_t{outputs_of(c.loss, c.classes)} * 40, 50);
    GradientSum plain(c.loss, table.facts, fine_gradients(c.loss, table.facts));
    plain.start(w);
    const RowTableEngine engine(table);
    sum_rows(engine, plain);
    Vector computed = SensitiveTestAccess::open(plain.take());
    const auto exact = exact_gradient(table, {c.loss, 0, {}}, w);
    for (std::size_t i = 0; i < w.size(); ++i) computed[i] -= static_cast<double>(exact[i]);
    const double bound = SumBounds(c.loss, table.facts, 0).gradient_rounding(norm_of(w), 0);
    EXPECT_LE(norm_of(computed), bound) << name_of(c.loss);
    EXPECT_GE(norm_of(computed), 1e-6 * bound) << "the bound is of no use";
  }
}

TEST(Minimiser, TheRadiusHoldsTheMinimiserAndALossWithoutGradientIsRefused) {
  const RowTable table = planted_table(500, 3);
  const Vector linear = linear_term(3, 40);
  const PerturbedSum sum{Logistic{}, 0.05, linear};
  const SumBounds bounds(Logistic{}, table.facts, 0.05);
  const Vector w = solve(table, sum, {.tolerance = bounds.reachable(norm_of(linear))});
  EXPECT_LE(norm_of(w), bounds.radius(norm_of(linear)));
  EXPECT_THROW(SumBounds(Hinge{}, table.facts, 1), Error);
}

TEST(Minimiser, CholeskySolvesAndRefusesWhatIsNotPositive) {
  AlignedVector matrix = {4, 0, 0, 2, 5, 0, -1, 3, 6};  // lower triangle by rows
  Cholesky factor;
  ASSERT_TRUE(factor.factor(matrix, 3, 0.5));
  Vector x = {1, -2, 3};
  const Vector right = {4.5 * 1 + 2 * -2 - 1 * 3, 2 * 1 + 5.5 * -2 + 3 * 3, -1 * 1 + 3 * -2 + 6.5 * 3};
  Vector found = right;
  factor.solve(found.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], x[i], 1e-12);
  EXPECT_FALSE(factor.factor(matrix, 3, -10));
  EXPECT_FALSE(factor);
}

}  // namespace
}  // namespace sotto::test
