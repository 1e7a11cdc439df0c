// Scores of bounds: recomputed row by row, and how far one row moves them apart.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "data_testing.h"
#include "sensitive_access.h"
#include "sotto/data/bound_counts.h"
#include "sotto/files/column_counts.h"
#include "sotto/files/complete.h"

namespace sotto::testing {
namespace {

using Numbers = std::vector<double>;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

enum class Side { below, above };

/// Both kinds of candidates at once.
std::vector<double> some_grid() {
  std::vector<double> grid = range_grid(64);
  for (const double t : size_grid()) {
    if (t > 64) grid.push_back(t);
  }
  return grid;
}

Vector scores_of(const Numbers& rows, double tail, Side side) {
  BoundCounts counts(some_grid());
  for (const double x : rows) counts.add(x);
  return SensitiveTestAccess::open(side == Side::below ? counts.below(tail) : counts.above(tail));
}

/// By the definition, candidate by candidate.
Vector slow_scores(const Numbers& rows, double tail, Side side, const std::vector<double>& grid = some_grid()) {
  Vector scores;
  const auto counted = std::ranges::count_if(rows, [](double x) { return std::isfinite(x); });
  const double allowed = std::floor(tail * static_cast<double>(counted) * 4096) / 4096;
  for (const double t : grid) {
    const auto beyond = std::ranges::count_if(
        rows, [&](double x) { return std::isfinite(x) && (side == Side::below ? x < t : x > t); });
    scores.push_back(-std::max(0.0, static_cast<double>(beyond) - allowed));
  }
  return scores;
}

double spread(const Vector& a, const Vector& b) {
  double largest = -INFINITY, smallest = INFINITY;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, a[i] - b[i]);
    smallest = std::min(smallest, a[i] - b[i]);
  }
  return largest - smallest;
}

TEST(BoundCounts, TheCandidatesAscendAndHaveSmallWholeNumbers) {
  const auto sizes = size_grid();
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
  EXPECT_EQ(sizes.size(), 960U);
  for (double whole = 1; whole <= 32; ++whole) EXPECT_NE(std::ranges::find(sizes, whole), sizes.end());
  const auto range = range_grid(96);
  EXPECT_TRUE(std::ranges::is_sorted(range));
  EXPECT_EQ(range.size(), 129U);
  EXPECT_EQ(range.front(), -96);
  EXPECT_EQ(range[64], 0);
  EXPECT_EQ(range.back(), 96);
}

TEST(BoundCounts, ScoresAreThoseOfTheDefinition) {
  std::mt19937_64 draw(3);
  std::normal_distribution<double> normal(10, 40);
  Numbers rows = {0, 1, 1, -1, 32, 1e300, -1e300, kNone, INFINITY, 1e-30};
  for (int i = 0; i < 200; ++i) rows.push_back(i % 3 == 0 ? std::rint(normal(draw)) : normal(draw));
  for (const Side side : {Side::below, Side::above}) {
    for (const double tail : {0.0, 0.01, 0.25}) EXPECT_EQ(scores_of(rows, tail, side), slow_scores(rows, tail, side));
  }
}

/// Values that lie on, between and beyond candidates, and none.
Numbers corners() {
  return {0, 1, -1, 1.01, 17, 1e-9, -1e-9, 1e13, -1e13, 1e300, std::ldexp(1.0, 39), kNone, -INFINITY};
}

TEST(BoundCounts, NoNeighbourMovesScoresApartByMoreThanTheRange) {
  std::mt19937_64 draw(4);
  double widest = 0;
  for (const std::size_t size : {1U, 2U, 7U, 40U}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      Numbers rest;
      const Numbers all = corners();
      for (std::size_t i = 0; i < size; ++i) rest.push_back(all[draw() % all.size()]);
      for (const double tail : {0.0, 0.01, 0.3}) {
        for (const Side side : {Side::below, Side::above}) {
          const Vector without = scores_of(rest, tail, side);
          std::vector<Vector> with;
          for (const double x : all) {
            Numbers rows = rest;
            rows.push_back(x);
            with.push_back(scores_of(rows, tail, side));
          }
          for (const Vector& a : with) {
            widest = std::max(widest, spread(a, without));
            for (const Vector& b : with) widest = std::max(widest, spread(a, b));
          }
        }
      }
    }
  }
  EXPECT_LE(widest, BoundCounts::kRange);
  EXPECT_GE(widest, 0.999);  // and some pair attains it
}

/// The scores of `rows` rows at 1 and at 30, and of one more at `last`; none if it is no number.
Vector scores_of_many(std::uint64_t rows, double last, double tail, Side side) {
  BoundCounts counts(some_grid());
  counts.add(1, rows / 3);
  counts.add(30, rows - rows / 3);
  counts.add(last);
  return SensitiveTestAccess::open(side == Side::below ? counts.below(tail) : counts.above(tail));
}

TEST(BoundCounts, ScoresOfManyRowsAreExact) {
  EXPECT_EQ(BoundCounts::kRange, 1);
  for (const std::uint64_t rows : {999'999'999ULL, 123'456'789'012ULL, (1ULL << 40U) - 2}) {
    for (const double tail : {0.01, 1.0 / 3, 0.4999}) {
      for (const Side side : {Side::below, Side::above}) {
        std::vector<Vector> all;
        for (const double last : {kNone, 0.5, 1.0, 7.0, 1e13, -1e13}) {
          all.push_back(scores_of_many(rows, last, tail, side));
          for (const double score : all.back()) ASSERT_EQ(std::fmod(score, BoundCounts::kGrid), 0);
        }
        for (const Vector& a : all) {
          for (const Vector& b : all) ASSERT_LE(spread(a, b), 1) << rows << ' ' << tail;
        }
      }
    }
  }
}

TEST(BoundCounts, ACategoryIsAShortTextInUtf8) {
  EXPECT_TRUE(may_be_category("Private"));
  EXPECT_TRUE(may_be_category("gr\xC3\xBCn \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_TRUE(may_be_category(std::string(kLongestCategory, 'x')));
  EXPECT_FALSE(may_be_category(std::string(kLongestCategory + 1, 'x')));
  for (const char* bad :
       {"", "\xFF", "a\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(may_be_category(bad));
  }
}

TEST(BoundCounts, ARowCountsOnceInEachColumnAndBadCellsNowhere) {
  const TempFile file("t.csv", "a,b,y\n-1,red,1\n2,blue,0\nx,red,1\n,,0\n1e999,\xFF,1\n");
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "y";
  const OpenColumn open[] = {{"a", false}, {"b", true}};
  ColumnCounts counts = count_columns(file.path(), schema, open);
  ASSERT_EQ(counts.sizes.size(), 1U);
  EXPECT_EQ(SensitiveTestAccess::open(counts.sizes[0].above(0)), slow_scores({1, 2}, 0, Side::above, size_grid()));
  std::vector<BoundCounts> numbers = {BoundCounts(range_grid(3))};
  EXPECT_EQ(counts.reading.rows, 5U);
  EXPECT_EQ(count_numbers(file.path(), schema, open, numbers).rows, 5U);
  EXPECT_EQ(SensitiveTestAccess::open(numbers[0].below(0)), slow_scores({-1, 2}, 0, Side::below, range_grid(3)));
  const std::map<std::string, std::uint64_t> expected = {{"blue", 1}, {"red", 2}};
  EXPECT_EQ(SensitiveTestAccess::open(std::move(counts.texts[0])), expected);
}

TEST(BoundCounts, EveryReadingFindsTheColumnsByTheirNames) {
  const TempFile other_order("t.csv", "y,b,a\n1,red,-1\n0,blue,2\n");
  const TempFile fewer("t.csv", "y,b\n1,red\n0,blue\n");
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "y";
  const OpenColumn open[] = {{"a", false}, {"b", true}};
  ColumnCounts counts = count_columns(other_order.path(), schema, open);
  EXPECT_EQ(SensitiveTestAccess::open(counts.sizes[0].above(0)), slow_scores({1, 2}, 0, Side::above, size_grid()));
  std::vector<BoundCounts> numbers = {BoundCounts(range_grid(3))};
  count_numbers(other_order.path(), schema, open, numbers);
  EXPECT_EQ(SensitiveTestAccess::open(numbers[0].below(0)), slow_scores({-1, 2}, 0, Side::below, range_grid(3)));
  EXPECT_EQ(error_of([&] { count_columns(fewer.path(), schema, open); }).first, ErrorKind::invalid_data);
  EXPECT_EQ(error_of([&] { count_numbers(fewer.path(), schema, open, numbers); }).first, ErrorKind::invalid_data);
}

TEST(BoundCounts, NormsAreThoseOfRowsBeforeTheyAreClipped) {
  const TempFile file("t.csv", "a,b,y\n3,4,1\n300,400,0\nbad,1,1\n6,8,violet\n");
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "y";
  schema.data_norm = 1;  // does not matter here
  const NormCounts counts = count_norms(file.path(), complete_for(file.path(), schema));
  EXPECT_EQ(counts.reading.rows, 4U);
  EXPECT_EQ(SensitiveTestAccess::open(counts.norms.above(0)), slow_scores({5, 500, 0, 0}, 0, Side::above, size_grid()));
}

}  // namespace
}  // namespace sotto::testing
