#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data_testing.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/people.h"
#include "sotto/data/synth.h"
#include "sotto/files/complete.h"
#include "sotto/files/load.h"
#include "sotto/files/row_writer.h"

namespace sotto {
namespace {

using testing::contains;
using testing::message_of;
using testing::TempFile;

double dot_row(const RowBlock& block, std::size_t row, const Vector& weights) {
  double sum = 0;
  if (!block.sparse()) {
    for (std::size_t j = 0; j < block.features; ++j) sum += block.dense[row * block.features + j] * weights[j];
  } else {
    for (auto e = block.offsets[row]; e < block.offsets[row + 1]; ++e)
      sum += block.values[e] * weights[block.columns[e]];
  }
  return sum;
}

TEST(Synth, EveryRowOfTheSphereKeepsTheMargin) {
  BitSource bits{ReproducibleSeed{5}};
  DatasetBuilder builder({.rows = 0, .features = 5, .data_norm = 1.0, .sparse = false});
  const Vector separator = synth_sphere({.rows = 5000, .features = 5, .margin = 0.1}, bits, builder);
  const Dataset data = builder.finish();
  ASSERT_EQ(data.facts().rows, 5000U);
  double nearest = 1.0;
  std::size_t positive = 0;
  Vector mean(5);
  for (std::size_t i = 0; i < 5000; ++i) {
    const double margin = dot_row(data.view(), i, separator) * data.view().labels[i];
    nearest = std::min(nearest, margin);
    if (data.view().labels[i] > 0) ++positive;
    double norm = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      const double value = data.view().dense[5 * i + j];
      norm += value * value;
      mean[j] += value / 5000;
    }
    ASSERT_NEAR(norm, 1.0, 1e-6);
  }
  EXPECT_GE(nearest, 0.1);
  EXPECT_LT(nearest, 0.11);
  EXPECT_NEAR(static_cast<double>(positive), 2500, 200);
  for (const double value : mean) EXPECT_NEAR(value, 0.0, 0.03);
}

// Every line has the cells of the header, and age, where it is known, tells of the label.
TEST(Synth, PeopleCanBeLearnt) {
  BitSource bits{ReproducibleSeed{8}};
  std::uint64_t lines = 0;
  std::uint64_t unknown = 0;
  std::array<std::uint64_t, 2> bought{};  // of the young, of the old
  std::array<std::uint64_t, 2> all{};
  synth_people({.rows = 5000}, bits, [&](std::string_view line) {
    ASSERT_EQ(std::count(line.begin(), line.end(), ','), 7) << line;
    if (lines++ == 0) return;
    if (line.starts_with('?')) {
      ++unknown;
      return;
    }
    const std::size_t old = line.substr(0, 2) >= "55" ? 1 : 0;
    ++all.at(old);
    bought.at(old) += line.ends_with(",yes") ? 1 : 0;
  });
  EXPECT_EQ(lines, 5001U);
  EXPECT_NEAR(static_cast<double>(unknown), 500, 100);
  EXPECT_GT(static_cast<double>(bought[1]) / static_cast<double>(all[1]),
            0.2 + static_cast<double>(bought[0]) / static_cast<double>(all[0]));
}

TEST(Synth, PeopleNeedARow) {
  BitSource bits{ReproducibleSeed{8}};
  EXPECT_THROW(synth_people({.rows = 0}, bits, [](std::string_view) {}), Error);
}

TEST(Synth, LabelNoiseFlipsTheDeclaredShare) {
  BitSource bits{ReproducibleSeed{6}};
  DatasetBuilder builder({.rows = 0, .features = 40, .data_norm = 1.0, .sparse = true});
  const Vector separator = synth_large({.rows = 10000, .features = 40, .sparsity = 0.9, .noise = 0.2}, bits, builder);
  const Dataset data = builder.finish();
  const RowBlock block = data.view();
  std::size_t wrong = 0;
  std::vector<int> used(40);
  for (std::size_t i = 0; i < block.rows; ++i) {
    ASSERT_EQ(block.offsets[i + 1] - block.offsets[i], 4U);
    for (auto e = block.offsets[i]; e < block.offsets[i + 1]; ++e) ++used[block.columns[e]];
    if (dot_row(block, i, separator) * block.labels[i] < 0) ++wrong;
  }
  EXPECT_NEAR(static_cast<double>(wrong), 2000, 200);
  for (const int count : used) EXPECT_NEAR(count, 1000, 150);
}

TEST(Synth, ClassesAreTheNearestDirectionButForTheDeclaredShare) {
  BitSource bits{ReproducibleSeed{8}};
  DatasetBuilder builder({.rows = 0, .features = 20, .data_norm = 1.0, .sparse = true, .classes = 5});
  const Vector directions =
      synth_large({.rows = 5000, .features = 20, .sparsity = 0.5, .noise = 0.2, .classes = 5}, bits, builder);
  const Dataset data = builder.finish();
  ASSERT_EQ(directions.size(), 100U);
  std::vector<int> wrong_by(5, 0);
  for (std::size_t i = 0; i < 5000; ++i) {
    std::vector<double> scores;
    for (std::ptrdiff_t k = 0; k < 5; ++k) {
      scores.push_back(dot_row(data.view(), i, Vector(directions.begin() + 20 * k, directions.begin() + 20 * k + 20)));
    }
    const auto nearest = std::ranges::max_element(scores) - scores.begin();
    ++wrong_by[static_cast<std::size_t>(static_cast<int>(data.view().labels[i]) - nearest + 5) % 5];
  }
  EXPECT_NEAR(wrong_by[0], 4000, 150);
  for (const std::size_t shift : {1, 2, 3, 4}) EXPECT_NEAR(wrong_by[shift], 250, 70);
}

TEST(Synth, ImpossibleRequestsAreRefused) {
  BitSource bits{ReproducibleSeed{7}};
  DatasetBuilder builder({.rows = 0, .features = 5});
  EXPECT_TRUE(contains(message_of([&] { synth_sphere({.rows = 0}, bits, builder); }), "rows"));
  EXPECT_TRUE(contains(message_of([&] { synth_sphere({.features = 0}, bits, builder); }), "features"));
  EXPECT_TRUE(contains(message_of([&] { synth_sphere({.margin = 1.0}, bits, builder); }), "margin"));
  EXPECT_TRUE(contains(message_of([&] { synth_sphere({.margin = NAN}, bits, builder); }), "margin"));
  EXPECT_TRUE(contains(message_of([&] { synth_sphere({.features = 20, .margin = 0.99}, bits, builder); }), "hardly"));
  EXPECT_TRUE(contains(message_of([&] { synth_large({.sparsity = 1.0}, bits, builder); }), "sparsity"));
  EXPECT_TRUE(contains(message_of([&] { synth_large({.noise = 0.6}, bits, builder); }), "noise"));
}

TEST(Writers, ACsvFileReadsBackWithinOneStepOfFloat32) {
  const TempFile file("sphere.csv", "");
  const SphereData sphere{.rows = 300, .features = 4, .margin = 0.01};
  BitSource bits{ReproducibleSeed{8}};
  CsvWriter writer(file.path(), 4);
  synth_sphere(sphere, bits, writer);
  writer.add_sparse(std::vector<std::uint32_t>{2}, std::vector<float>{-0.5F}, -1.0F);
  writer.finish();
  BitSource again{ReproducibleSeed{8}};
  DatasetBuilder builder({.rows = 0, .features = 4});
  synth_sphere(sphere, again, builder);
  builder.add_dense(std::vector<float>{0, 0, -0.5F, 0}, -1.0F);
  const Dataset direct = builder.finish();
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "y";
  schema.data_norm = 1.0;
  const Encoder encoder(complete_for(file.path(), schema));
  EXPECT_EQ(encoder.feature_name(0), "x1");
  EXPECT_EQ(encoder.feature_name(3), "x4");
  const Dataset read = read_dataset(file.path(), encoder);
  ASSERT_EQ(read.facts().rows, 301U);
  for (std::size_t i = 0; i < 301 * 4; ++i) {
    // A unit row may be clipped by the rounding of its own norm: a step of float32 and no more.
    ASSERT_NEAR(read.view().dense[i], direct.view().dense[i], 1.2e-7);
  }
  for (std::size_t i = 0; i < 301; ++i) ASSERT_EQ(read.view().labels[i], direct.view().labels[i]);
}

TEST(Writers, ALibsvmFileReadsBack) {
  const TempFile file("large.libsvm", "");
  LibsvmWriter writer(file.path());
  writer.add_sparse(std::vector<std::uint32_t>{0, 9}, std::vector<float>{0.1F, -1e-30F}, 1.0F);
  writer.add_dense(std::vector<float>{0, 0.25F, 0}, -1.0F);
  writer.finish();
  Schema schema;
  schema.intercept = 0;
  schema.features = 10;
  schema.data_norm = 1.0;
  const Dataset read = read_dataset(file.path(), schema);
  const RowBlock block = read.view();
  ASSERT_EQ(block.rows, 2U);
  EXPECT_EQ(block.values[0], 0.1F);
  EXPECT_EQ(block.values[1], -1e-30F);
  EXPECT_EQ(block.columns[1], 9U);
  EXPECT_EQ(block.values[2], 0.25F);
  EXPECT_EQ(block.columns[2], 1U);
  EXPECT_EQ(block.labels[1], -1.0F);
}

TEST(Writers, AFileThatCannotBeWrittenIsAnErrorOfOutput) {
  EXPECT_EQ(testing::error_of([] { CsvWriter("/nonexistent/x.csv", 2); }).first, ErrorKind::io);
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(testing::error_of([] {
                LibsvmWriter writer("/dev/full");
                writer.add_dense(std::vector<float>{1}, 1.0F);
                writer.finish();
              }).first,
              ErrorKind::io);
  }
  const TempFile file("a.csv", "");
  CsvWriter writer(file.path(), 2);
  EXPECT_TRUE(contains(message_of([&] { writer.add_dense(std::vector<float>{1}, 1.0F); }), "features"));
}

}  // namespace
}  // namespace sotto
