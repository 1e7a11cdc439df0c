// Rows under a public projection: images against the definition, never longer than declared, the same bits however they
// are stored and whether or not they are kept; weights taken back through the map score alike.
#include <gtest/gtest.h>

#include <cmath>

#include "row_table.h"
#include "sotto/base/error.h"
#include "sotto/data/clip.h"
#include "sotto/optim/views/projected_rows.h"
#include "sotto/optim/views/weighted_engine.h"

namespace sotto::test {
namespace {

constexpr std::uint32_t kFeatures = 40, kKept = 12;

Projection some_map(std::uint32_t features = kFeatures) { return {GaussianProjection{kKept, 7}, features, false}; }

/// All rows it is fed, one after the other.
class Collected final : public RowConsumer {
 public:
  void consume(const RowBlock& block) noexcept override {
    rows.insert(rows.end(), block.dense, block.dense + block.rows * block.features);
    labels.insert(labels.end(), block.labels, block.labels + block.rows);
  }
  std::vector<float> rows, labels;
};

Collected images(const Engine& engine, std::uint64_t most_bytes = kMaxImageBytes) {
  const Projection map = some_map(engine.facts().features);
  const ProjectedRows projected(engine, map, most_bytes);
  Collected all;
  projected.scan_rows(0, engine.facts().rows, all);
  return all;
}

double norm_of(const float* row, std::size_t size) {
  double squares = 0;
  for (std::size_t i = 0; i < size; ++i) squares += double{row[i]} * row[i];
  return std::sqrt(squares);
}

TEST(ProjectedRows, AnImageIsTheMapTimesTheRowClipped) {
  const RowTable table = planted_table(3000, kFeatures);
  const RowTableEngine engine(table);
  const Collected all = images(engine);
  const Projection map = some_map();
  ASSERT_EQ(all.rows.size(), 3000U * kKept);
  EXPECT_EQ(all.labels, table.labels);
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    Vector expected(kKept, 0.0);
    for (std::uint32_t k = 0; k < kKept; ++k) {
      Vector axis(kKept, 0.0);
      axis[k] = 1;
      const Vector line = map.transposed(axis);  // row k of the matrix
      for (std::uint32_t j = 0; j < kFeatures; ++j) expected[k] += line[j] * double{table.dense[i * kFeatures + j]};
    }
    double length = 0;
    for (const double v : expected) length += v * v;
    const double factor = std::min(1.0, 1 / std::sqrt(length));
    clipped += factor < 1;
    for (std::uint32_t k = 0; k < kKept; ++k) {
      EXPECT_NEAR(all.rows[i * kKept + k], factor * expected[k], 1e-6);
    }
  }
  EXPECT_GT(clipped, 300U);
  EXPECT_LT(clipped, 2700U);
}

TEST(ProjectedRows, NoImageIsLongerThanDeclared) {
  RowTable table(kFeatures);
  for (std::uint32_t j = 0; j < kFeatures; ++j) {
    std::vector<double> x(kFeatures, 0.0);
    x[j] = 1;
    table.add(x, 1);
  }
  const Projection map = some_map();
  for (std::uint32_t k = 0; k < kKept; ++k) {  // the rows that the map makes longest
    Vector axis(kKept, 0.0);
    axis[k] = 1e3;
    table.add(map.transposed(axis), -1);
  }
  const RowTableEngine engine(table);
  const Collected all = images(engine);
  double longest = 0;
  for (std::size_t i = 0; i < table.facts.rows; ++i) {
    longest = std::max(longest, norm_of(all.rows.data() + i * kKept, kKept));
  }
  EXPECT_LE(longest, kNormSlack);
  EXPECT_GT(longest, 0.9999);
}

TEST(ProjectedRows, DenseAndSparseRowsKeptOrNotHaveTheSameBits) {
  const RowTable dense = planted_table(5000, kFeatures), sparse = planted_table(5000, kFeatures, 2, true);
  const Collected kept = images(RowTableEngine(dense));
  EXPECT_EQ(kept.rows, images(RowTableEngine(sparse)).rows);
  EXPECT_EQ(kept.rows, images(RowTableEngine(dense, 7), 0).rows);
  EXPECT_EQ(kept.rows, images(RowTableEngine(sparse), 0).rows);
  EXPECT_EQ(kept.labels, images(RowTableEngine(sparse), 0).labels);
}

TEST(ProjectedRows, ARowsImageDependsOnNoOtherRow) {
  RowTable one = planted_table(2000, kFeatures), other = one;
  for (std::uint32_t j = 0; j < kFeatures; ++j) other.dense[77 * kFeatures + j] *= -1;
  const Collected first = images(RowTableEngine(one)), second = images(RowTableEngine(other));
  for (std::size_t i = 0; i < first.rows.size(); ++i) {
    if (i / kKept == 77) continue;
    EXPECT_EQ(first.rows[i], second.rows[i]);
  }
}

TEST(ProjectedRows, PartsOfTheRowsCanBeScanned) {
  const RowTable table = planted_table(9000, kFeatures, 3);
  const RowTableEngine engine(table);
  const Collected all = images(engine);
  const Projection map = some_map();
  const ProjectedRows projected(engine, map);
  EXPECT_EQ(projected.facts().features, kKept);
  EXPECT_EQ(projected.facts().classes, 3U);
  Collected part;
  projected.scan_rows(4000, 4500, part);
  EXPECT_TRUE(std::equal(part.rows.begin(), part.rows.end(), all.rows.begin() + 4000 * kKept));
  EXPECT_EQ(part.labels.size(), 4500U);
}

TEST(ProjectedRows, WeightsTakenBackScoreARowAsItsImage) {
  const Projection map = some_map();
  Vector weights(2 * kKept);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(static_cast<double>(i));
  const Vector before = before_projection(map, weights);
  ASSERT_EQ(before.size(), 2 * kFeatures);
  const RowTable table = planted_table(50, kFeatures);
  std::vector<std::uint32_t> columns(kFeatures);
  for (std::uint32_t j = 0; j < kFeatures; ++j) columns[j] = j;
  for (std::size_t i = 0; i < 50; ++i) {
    const Vector x(table.dense.begin() + static_cast<std::ptrdiff_t>(i * kFeatures),
                   table.dense.begin() + static_cast<std::ptrdiff_t>((i + 1) * kFeatures));
    Vector image(kKept);
    map.mix(columns, x, image);
    for (std::size_t k = 0; k < 2; ++k) {
      double direct = 0, back = 0;
      for (std::size_t j = 0; j < kKept; ++j) direct += weights[k * kKept + j] * image[j];
      for (std::size_t j = 0; j < kFeatures; ++j) back += before[k * kFeatures + j] * x[j];
      EXPECT_NEAR(direct, back, 1e-12);
    }
  }
}

TEST(ProjectedRows, WeightsOfRowsAreNotLostUnseen) {
  const RowTable table = planted_table(100, kFeatures);
  RowTableEngine engine(table);
  WeightedEngine weighted(engine, std::vector<float>(100, 0.5F));
  const Projection map = some_map();
  EXPECT_THROW(ProjectedRows(weighted, map), Error);
}

/// Says how many rows were read from elsewhere, and after enough of them that they are not wanted.
class Polled final : public Engine {
 public:
  explicit Polled(const RowTableEngine& rows) : rows_(rows) {}
  Facts facts() const override { return rows_.facts(); }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t, RowConsumer& consumer) override { scan_rows(0, facts().rows, consumer); }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    rows_.scan_rows(first, count, consumer);
  }
  void poll(std::uint64_t rows) const override {
    read += rows;
    if (read > 20000) throw Error(ErrorKind::io, "cancelled");
  }
  mutable std::uint64_t read = 0;

 private:
  const RowTableEngine& rows_;
};

TEST(ProjectedRows, WhoOwnsTheRowsCanStopScansOfTheirImages) {
  const RowTable table = planted_table(9000, kFeatures);
  const RowTableEngine rows(table);
  const Polled engine(rows);
  const Projection map = some_map();
  const ProjectedRows projected(engine, map);
  Collected all;
  projected.scan_rows(0, 9000, all);
  EXPECT_EQ(engine.read, 9000U);
  projected.scan_rows(0, 9000, all);
  EXPECT_THROW(projected.scan_rows(0, 9000, all), Error);
}

}  // namespace
}  // namespace sotto::test
