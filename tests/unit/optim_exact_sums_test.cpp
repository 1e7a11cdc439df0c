// Sums over rows are sums of integers: against a reference of 128 bits, in any order and cut, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sensitive_access.h"
#include "sotto/base/error.h"
#include "sotto/linalg/targets.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/recipe.h"
#include "sotto/optim/second_moments.h"
#include "sotto/optim/views/whitened_rows.h"

namespace sotto {
namespace {

struct Case {
  Loss loss;
  std::uint32_t classes;
  std::uint32_t features;
};
const Case kCases[] = {{Hinge{}, 2, 1},    {Hinge{}, 2, 13},   {Logistic{}, 2, 28}, {HuberSvm{}, 2, 300},
                       {Softmax{}, 3, 20}, {Softmax{}, 7, 33}, {Logistic{}, 4, 9}};

/// Rows with values on which ties are frequent: odd multiples of half a step of 2^-32 and others.
struct Table {
  Facts facts;
  std::vector<float> dense, labels, values;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;

  Table(std::uint64_t rows, const Case& of, bool sparse) : facts{rows, of.features, 1.0, sparse, of.classes} {
    std::mt19937_64 random(11);
    const float most = 1 / std::sqrt(static_cast<float>(of.features));
    for (std::uint64_t i = 0; i < rows; ++i) {
      const auto pick = static_cast<float>(random() % of.classes);
      labels.push_back(of.classes == 2 ? 2 * pick - 1 : pick);
      for (std::uint32_t j = 0; j < of.features; ++j) {
        const float tie = std::ldexp(static_cast<float>(2 * (random() % 1000) + 1), -33);
        const float any = most * std::ldexp(static_cast<float>(random() % 0x1000000), -24);
        const float v = random() % 3 == 0 ? 0.0F : random() % 2 == 0 ? tie : any;
        dense.push_back(random() % 2 == 0 ? v : -v);
        if (v == 0) continue;
        columns.push_back(j);
        values.push_back(dense.back());
      }
      offsets.push_back(values.size());
    }
  }
  RowBlock view() const {
    RowBlock block{labels.size(), facts.features, labels.data(), nullptr, nullptr, nullptr, nullptr};
    if (!facts.sparse) {
      block.dense = dense.data();
      return block;
    }
    block.offsets = offsets.data();
    block.columns = columns.data();
    block.values = values.data();
    return block;
  }
};

Vector point(std::size_t size) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Vector w(size);
  for (double& v : w) v = normal(random);
  return w;
}

/// Every row's gradient by itself in binary64, divided by the step, rounded by the library and summed in 128 bits.
Vector reference(const Case& of, const Table& table, const RowGrid& grid, const Vector& w) {
  RowGradients gradients(of.loss, table.facts);
  std::vector<WideInteger> sums(w.size(), 0);
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    Vector row(w.size(), 0.0);
    gradients.add(table.view().slice(i, 1), w.data(), row.data());
    for (std::size_t j = 0; j < row.size(); ++j) sums[j] += std::llrint(row[j] / grid.step);
  }
  Vector values;
  for (const WideInteger sum : sums) values.push_back(static_cast<double>(sum) * grid.step);
  return values;
}

Vector gradient(const Case& of, const Table& table, const RowGrid& grid, const Vector& w) {
  GradientSum sum(of.loss, table.facts, grid);
  sum.start(w);
  sum.consume(table.view());
  return SensitiveTestAccess::open(sum.take());
}

double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(RowGrid, IsTheFinestThatKeepsAllSumsBinary64) {
  for (const double bound : {0.3, 1.0, 1.000001, 7e5, 1e-20}) {
    for (const std::uint64_t rows : {1ULL, 1000ULL, 1ULL << 21U, 10'000'000'000ULL, 1ULL << 40U, 1ULL << 49U}) {
      const RowGrid grid = narrow_grid(bound, rows);
      int exponent = 0;
      EXPECT_EQ(std::frexp(grid.step, &exponent), 0.5);
      const auto most = [&](double step) { return static_cast<double>(rows) * (bound / step + 1); };
      EXPECT_LE(most(grid.step), 0x1p53);
      EXPECT_GE(grid.step, 0x1p-32 * bound);
      EXPECT_TRUE(most(grid.step / 2) > 0x1p53 * (1 - 1e-9) || grid.step / 2 < 0x1p-32 * bound) << bound << " " << rows;
    }
    const RowGrid fine = fine_grid(bound);
    EXPECT_LE(bound / fine.step, 0x1p51 * (1 - 0x1p-21));
    EXPECT_GT(bound / fine.step, 0x1p50 * (1 - 0x1p-19));
    EXPECT_LT(static_cast<double>(fine.room) * (bound / fine.step + 1), 0x1p62);
  }
  EXPECT_THROW(narrow_grid(1, std::uint64_t{1} << 50U), Error);
}

TEST(ExactSums, AreThoseOfA128BitReferenceOnEveryInstructionSet) {
  for (const Case& of : kCases) {
    for (const bool sparse : {false, true}) {
      const Table table(3000, of, sparse);
      const Vector w = point(weight_count(of.loss, table.facts));
      const double bound = gradient_bound(of.loss, table.facts);
      for (const RowGrid& grid : {narrow_grid(bound, 3000), narrow_grid(bound, 1ULL << 45U), fine_grid(bound)}) {
        const Vector expected = reference(of, table, grid, w);
        for (const std::string& target : kernels::available_targets()) {
          ASSERT_TRUE(kernels::use_target(target));
          EXPECT_EQ(gradient(of, table, grid, w), expected) << name_of(of.loss) << " " << sparse << " " << target;
        }
        kernels::use_target("");
      }
    }
  }
}

TEST(ExactSums, HaveTheSameBitsInAnyOrderAndCut) {
  std::mt19937_64 random(8);
  for (const Case& of : kCases) {
    const Table dense(3000, of, false), sparse(3000, of, true);
    // A sparse dot product adds in the order of the stored entries: scores are equal to the bit where weights are 0.
    const Vector w(weight_count(of.loss, dense.facts), 0.0);
    for (const RowGrid& grid :
         {narrow_grid(gradient_bound(of.loss, dense.facts), 3000), fine_gradients(of.loss, dense.facts)}) {
      const Vector expected = gradient(of, dense, grid, w);
      EXPECT_EQ(gradient(of, sparse, grid, w), expected) << "sparse rows";
      GradientSum total(of.loss, dense.facts, grid);
      total.start(w);
      std::vector<std::size_t> starts;
      for (std::size_t at = 0; at < 3000; at += 1 + random() % 200) starts.push_back(at);
      starts.push_back(3000);
      std::vector<std::size_t> order(starts.size() - 1);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      std::unique_ptr<RowSum> parts[3] = {total.empty_copy(), total.empty_copy(), total.empty_copy()};
      for (const std::size_t i : order) {
        const RowBlock rows = (random() % 2 == 0 ? dense : sparse).view();
        parts[random() % 3]->consume(rows.slice(starts[i], starts[i + 1] - starts[i]));
      }
      for (const int i : {2, 0, 1}) total.merge(*parts[i]);
      EXPECT_EQ(SensitiveTestAccess::open(total.take()), expected) << name_of(of.loss);
    }
  }
}

TEST(ExactSums, HaveTheSameBitsForAnyCutAtAnyWeights) {
  for (const Case& of : kCases) {
    for (const bool sparse : {false, true}) {
      const Table table(3000, of, sparse);
      const Vector w = point(weight_count(of.loss, table.facts));
      const RowGrid grid = narrow_grid(gradient_bound(of.loss, table.facts), 3000);
      const Vector expected = gradient(of, table, grid, w);
      for (const std::size_t size : {1U, 7U, 255U, 1000U}) {
        GradientSum sum(of.loss, table.facts, grid);
        sum.start(w);
        for (std::size_t end = 3000; end > 0; end -= std::min(end, size)) {
          const std::size_t count = std::min(end, size);
          sum.consume(table.view().slice(end - count, count));
        }
        EXPECT_EQ(SensitiveTestAccess::open(sum.take()), expected) << name_of(of.loss) << " " << sparse << " " << size;
      }
    }
  }
}

/// One row of equal values.
Table constant_row(std::uint32_t features, float value) {
  Table table(1, {Hinge{}, 2, features}, false);
  std::fill(table.dense.begin(), table.dense.end(), value);
  table.labels[0] = -1;  // the gradient at 0 is the row
  return table;
}

TEST(ExactSums, ATieIsNotBrokenByTheOtherRows) {
  const RowGrid grid = narrow_grid(1, 100);
  const auto step = static_cast<float>(grid.step);
  for (const std::uint32_t features : {1U, 5U, 40U}) {
    const Table odd = constant_row(features, step), tie = constant_row(features, step / 2);
    const Vector w(features, 0.0);
    GradientSum sum(Hinge{}, odd.facts, grid);
    sum.start(w);
    sum.consume(odd.view());
    sum.consume(tie.view());
    EXPECT_EQ(SensitiveTestAccess::open(sum.take()), Vector(features, grid.step)) << "1.5 would become 2";
  }
}

/// Rows of norm just below 1 whose coordinates all lie just above the middle of two steps of a coarse grid.
TEST(ExactSums, NeighboursAreWithinTheSensitivityAndComeCloseToIt) {
  constexpr std::uint32_t kFeatures = 28;
  const Table one = constant_row(kFeatures, 0.1875001F), other = constant_row(kFeatures, -0.1875001F);
  const RowGrid grid = narrow_grid(gradient_bound(Hinge{}, one.facts), 1ULL << 49U);
  ASSERT_EQ(grid.step, 0.125);
  const Vector w(kFeatures, 0.0);
  const Case of{Hinge{}, 2, kFeatures};
  const Vector a = gradient(of, one, grid, w), b = gradient(of, other, grid, w);
  const LossConstants constants = constants_of(Hinge{}, 1, 2);
  const double replaced = constants.diameter_replace_one + added_distance(grid, kFeatures, true);
  EXPECT_LE(distance(a, b), replaced);
  EXPECT_GE(distance(a, b), 0.99 * replaced);
  const double added = constants.diameter_add_remove + added_distance(grid, kFeatures, false);
  EXPECT_LE(distance(a, Vector(kFeatures, 0.0)), added);
  EXPECT_GE(distance(a, Vector(kFeatures, 0.0)), 0.99 * added);
  EXPECT_GE(row_rounding(grid, kFeatures), distance(a, Vector(kFeatures, 0.1875001F)));
  EXPECT_LE(0.99 * row_rounding(grid, kFeatures), distance(a, Vector(kFeatures, 0.1875001F)));
}

TEST(ExactSums, MomentsOfNeighboursAreWithinTheirSensitivityOnACoarseGrid) {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal;
  const Facts facts{1, 12, 1.0, false};
  const RowGrid grid = narrow_grid(outer_distance(stored_norm(facts), false), 1ULL << 46U);
  const auto moments = [&] {
    std::vector<float> x(12);
    float squares = 0;
    for (float& v : x) {
      v = normal(random);
      squares += v * v;
    }
    for (float& v : x) v /= std::sqrt(squares) * 1.000001F;
    const float label = 1;
    SecondMoments sum(facts, grid);
    sum.consume({1, 12, &label, x.data(), nullptr, nullptr, nullptr});
    return SensitiveTestAccess::open(sum.take());
  };
  const Vector nothing(SecondMoments::packed_size(12), 0.0);
  const auto bound = [&](bool replaced) {
    return outer_distance(stored_norm(facts), replaced) + added_distance(grid, nothing.size(), replaced);
  };
  for (int i = 0; i < 500; ++i) {
    const Vector one = moments();
    EXPECT_LE(distance(one, moments()), bound(true));
    EXPECT_LE(distance(one, nothing), bound(false));
  }
}

TEST(ExactSums, ARowAddsNothingOutOfBoundsAtWeightsThatAreNoNumbers) {
  const Case of{Logistic{}, 2, 3};
  const Table table(50, of, false);
  const RowGrid grid = narrow_grid(gradient_bound(of.loss, table.facts), 50);
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    for (std::size_t i = 0; i < 50; ++i) {
      GradientSum sum(of.loss, table.facts, grid);
      const Vector w{bad, 1, -bad};
      sum.start(w);
      sum.consume(table.view().slice(i, 1));
      EXPECT_LE(distance(SensitiveTestAccess::open(sum.take()), Vector(3, 0.0)), grid.bound + row_rounding(grid, 3));
    }
  }
}

/// The product of a map and a sum, where most of it cancels, against integers.
TEST(ExactSums, AMapTimesASumIsRoundedOnce) {
  const RowGrid grid = fine_grid(1);
  IntegerSum sum(3, grid);
  std::mt19937_64 random(9);
  WideInteger exact[3] = {};
  for (int i = 0; i < 100000; ++i) {
    std::uint64_t rows = 1;
    std::int64_t* lanes = sum.lanes_for(rows);
    ASSERT_EQ(rows, 1U);
    for (std::size_t j = 0; j < 3; ++j) {
      const auto value = static_cast<std::int64_t>((std::uint64_t{1} << 49U) + random() % (1U << 30U));
      lanes[j] += value;
      exact[j] += value;
    }
  }
  const std::int64_t map[9] = {40000001, -20000003, -19999998, 1, 1 << 25, -(1 << 25), 3, 5, -7};
  Whitening whitening{3, Vector(map, map + 9)};
  const Vector image = whitening.times(sum);
  for (std::size_t k = 0; k < 3; ++k) {
    WideInteger expected = 0;
    for (std::size_t j = 0; j < 3; ++j) expected += map[3 * k + j] * exact[j];
    EXPECT_EQ(image[k], static_cast<double>(expected) * grid.step) << k;
  }
}

}  // namespace
}  // namespace sotto
