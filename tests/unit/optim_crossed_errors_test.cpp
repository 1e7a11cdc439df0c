// Error counts of crossings: against those of the children's weights, on numbers whose sums are exact, ties included.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sotto/linalg/targets.h"
#include "sotto/optim/crossed_errors.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

/// A problem with rows in eighths and weights in quarters: a sum of products is exact in any order.
struct Problem {
  std::uint32_t features;
  std::uint32_t classes;
  std::size_t parents = 3;
  Loss loss = Softmax{};
  std::mt19937 random{7};

  double eighths() { return random() % 3 == 0 ? 0.0 : (static_cast<double>(random() % 17) - 8) / 8; }
  Row row() {
    Row row{std::vector<double>(features), static_cast<float>(random() % classes)};
    for (double& v : row.x) v = eighths();
    if (classes == 2) row.label = row.label > 0 ? 1.0F : -1.0F;
    return row;
  }
  Rows rows(std::size_t count) {
    Rows table(count, features, 1000, classes);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 10 != 9) table.set(i, row());  // every tenth is a zero row
    }
    return table;
  }
  std::size_t dimension() const { return std::size_t{outputs_of(loss, classes)} * features; }
  Vector weights() {
    Vector all(parents * dimension());
    for (double& w : all) w = (static_cast<double>(random() % 9) - 4) / 4;
    return all;
  }
  /// Every cut, with a weight moved in the head, at the cut, in the tail, and at random.
  std::vector<Crossing> crossings() {
    std::vector<Crossing> all;
    const std::size_t last = dimension() - 1;
    for (std::size_t cut = 0; cut <= dimension(); ++cut) {
      for (const std::size_t moved : {std::size_t{0}, std::min(cut, last), last, random() % dimension()}) {
        all.push_back({random() % parents, random() % parents, cut, moved, random() % 2 == 0 ? 0.5 : -0.5});
      }
    }
    std::shuffle(all.begin(), all.end(), random);
    return all;
  }
};

std::vector<Problem> problems() {
  return {{.features = 1, .classes = 2, .loss = Logistic{}},
          {.features = 13, .classes = 2, .loss = Logistic{}},
          {.features = 5, .classes = 2},
          {.features = 1, .classes = 3},
          {.features = 7, .classes = 4, .parents = 13},
          {.features = 70, .classes = 3, .parents = 2, .loss = Logistic{}}};
}

Vector crossed_counts(const Problem& problem, const Vector& parents, const std::vector<Crossing>& crossings,
                      const std::function<void(RowConsumer&)>& feed) {
  CrossedErrors errors(problem.loss, {.features = problem.features, .classes = problem.classes});
  errors.start(parents, crossings);
  feed(errors);
  return SensitiveTestAccess::open(errors.take());
}

TEST(CrossedErrors, AreTheErrorCountsOfTheChildrensWeights) {
  for (Problem& problem : problems()) {
    const Rows rows = problem.rows(101);
    const Vector parents = problem.weights();
    const auto crossings = problem.crossings();
    Vector points;
    for (const Crossing& crossing : crossings) {
      const Vector child = crossed_weights(parents, problem.dimension(), crossing);
      points.insert(points.end(), child.begin(), child.end());
    }
    ErrorCounts plain(problem.loss, rows.facts());
    plain.start(points);
    rows.feed(plain, stored_order(101), 101, false);
    const Vector expected = SensitiveTestAccess::open(plain.take());
    for (const bool sparse : {false, true}) {
      for (const std::size_t block : {1, 7, 16, 101}) {
        EXPECT_EQ(crossed_counts(problem, parents, crossings,
                                 [&](RowConsumer& sum) { rows.feed(sum, stored_order(101), block, sparse); }),
                  expected)
            << problem.features << " features, " << problem.classes << " classes, blocks of " << block;
      }
    }
  }
}

TEST(CrossedErrors, ACrossingIsItsHeadBeforeTheCutAndItsTailFromThereOn) {
  const Vector parents = {1, 2, 3, 10, 20, 30};
  EXPECT_EQ(crossed_weights(parents, 3, {0, 1, 0, 2, 0.5}), (Vector{10, 20, 30.5}));
  EXPECT_EQ(crossed_weights(parents, 3, {0, 1, 2, 0, -0.5}), (Vector{0.5, 2, 30}));
  EXPECT_EQ(crossed_weights(parents, 3, {0, 1, 3, 1, 1}), (Vector{1, 3, 3}));
}

TEST(CrossedErrors, HaveTheSameBitsOnEveryTargetInAnyBlocksDenseOrSparse) {
  // Sums that round: a row must not depend on the rows next to it.
  for (Problem& problem : problems()) {
    std::normal_distribution<double> normal;
    Rows rows(77, problem.features, 1000, problem.classes);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Row row = problem.row();
      for (double& v : row.x) v *= std::exp(5 * normal(problem.random));
      rows.set(i, row);
    }
    Vector parents = problem.weights();
    for (double& w : parents) w *= normal(problem.random);
    const auto crossings = problem.crossings();
    Vector expected;
    for (const std::string& target : kernels::available_targets()) {
      ASSERT_TRUE(kernels::use_target(target));
      for (const std::size_t block : {77, 1, 5, 13}) {
        for (const bool sparse : {false, true}) {
          const Vector counts = crossed_counts(problem, parents, crossings, [&](RowConsumer& sum) {
            rows.feed(sum, stored_order(rows.size()), block, sparse);
          });
          if (expected.empty()) expected = counts;
          EXPECT_EQ(counts, expected) << target << ", blocks of " << block;
        }
      }
    }
    kernels::use_target("");
  }
}

TEST(CrossedErrors, OfPartsAddUpWhenMerged) {
  Problem problem{.features = 6, .classes = 3};
  const Rows rows = problem.rows(60);
  const Vector parents = problem.weights();
  const auto crossings = problem.crossings();
  const Order order = stored_order(60);
  const Vector merged = crossed_counts(problem, parents, crossings, [&](RowConsumer& sum) {
    auto& total = dynamic_cast<RowSum&>(sum);
    for (const auto& [first, last] : {std::pair{0, 11}, {11, 12}, {12, 60}}) {
      const auto part = total.empty_copy();
      rows.feed(*part, {order.begin() + first, order.begin() + last}, 8, first == 0);
      total.merge(*part);
    }
  });
  EXPECT_EQ(merged,
            crossed_counts(problem, parents, crossings, [&](RowConsumer& sum) { rows.feed(sum, order, 60, false); }));
}

TEST(CrossedErrors, MoveByAtMostOneEachWhenARowIsReplaced) {
  for (Problem& problem : problems()) {
    const Vector parents = problem.weights();
    const auto crossings = problem.crossings();
    const auto counts = [&](const Rows& rows) {
      return crossed_counts(problem, parents, crossings,
                            [&](RowConsumer& sum) { rows.feed(sum, stored_order(rows.size()), 9, false); });
    };
    Rows rows = problem.rows(30);
    const Vector before = counts(rows);
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Rows other = rows;
      Row row = problem.row();
      for (double& v : row.x) v *= 100;
      other.set(i, row);
      const Vector after = counts(other);
      for (std::size_t c = 0; c < after.size(); ++c) largest = std::max(largest, std::abs(after[c] - before[c]));
    }
    EXPECT_EQ(largest, 1);
  }
}

TEST(CrossedErrors, StartAgainWithOtherParentsAndFewerCrossings) {
  Problem problem{.features = 6, .classes = 3, .parents = 5};
  const Rows rows = problem.rows(40);
  const auto feed = [&](RowConsumer& sum) { rows.feed(sum, stored_order(40), 40, true); };
  CrossedErrors errors(problem.loss, rows.facts());
  errors.start(problem.weights(), problem.crossings());
  feed(errors);
  problem.parents = 2;
  const Vector parents = problem.weights();
  auto crossings = problem.crossings();
  crossings.resize(10);
  errors.start(parents, crossings);
  feed(errors);
  EXPECT_EQ(SensitiveTestAccess::open(errors.take()), crossed_counts(problem, parents, crossings, feed));
}

}  // namespace
}  // namespace sotto::test
