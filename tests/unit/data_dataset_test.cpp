#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data_testing.h"
#include "sotto/data/dataset.h"

namespace sotto {
namespace {

using testing::contains;
using testing::message_of;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Dataset, HoldsDenseRows) {
  DatasetBuilder builder({.rows = 2, .features = 2, .data_norm = 1.0, .sparse = false});
  builder.add_dense(std::vector<float>{0.5F, 0.25F}, -1.0F);
  builder.add_sparse(std::vector<std::uint32_t>{1}, std::vector<float>{0.75F}, 1.0F);
  const Dataset data = builder.finish();
  EXPECT_EQ(data.facts().rows, 2U);
  const RowBlock block = data.view();
  ASSERT_FALSE(block.sparse());
  EXPECT_EQ(std::vector(block.dense, block.dense + 4), (std::vector<float>{0.5F, 0.25F, 0.0F, 0.75F}));
  EXPECT_EQ(std::vector(block.labels, block.labels + 2), (std::vector<float>{-1.0F, 1.0F}));
}

TEST(Dataset, HoldsSparseRows) {
  DatasetBuilder builder({.rows = 0, .features = 4, .data_norm = 1.0, .sparse = true});
  builder.add_sparse(std::vector<std::uint32_t>{0, 3}, std::vector<float>{0.5F, 0.25F}, 1.0F);
  builder.add_sparse({}, {}, -1.0F);
  builder.add_dense(std::vector<float>{0, 0, 0.125F, 0}, 1.0F);
  const Dataset data = builder.finish();
  const RowBlock block = data.view();
  ASSERT_TRUE(block.sparse());
  ASSERT_EQ(block.rows, 3U);
  EXPECT_EQ(std::vector(block.offsets, block.offsets + 4), (std::vector<std::uint64_t>{0, 2, 2, 3}));
  EXPECT_EQ(std::vector(block.columns, block.columns + 3), (std::vector<std::uint32_t>{0, 3, 2}));
  EXPECT_EQ(block.slice(2, 1).values[block.offsets[2]], 0.125F);
}

TEST(Dataset, ClipsAndZeroesWhateverItIsGiven) {
  for (const bool sparse : {false, true}) {
    DatasetBuilder builder({.rows = 0, .features = 2, .data_norm = 2.0, .sparse = sparse});
    builder.add_dense(std::vector<float>{3e38F, -3e38F}, -1.0F);
    builder.add_dense(std::vector<float>{1.0F, kNan}, -1.0F);
    builder.add_dense(std::vector<float>{1.0F, 1.0F}, 0.5F);
    builder.add_dense(std::vector<float>{1.0F, 1.0F}, kNan);
    const Dataset data = builder.finish();
    const RowBlock block = data.view();
    const float* values = sparse ? block.values : block.dense;
    EXPECT_FLOAT_EQ(values[0], std::sqrt(2.0F));
    EXPECT_FLOAT_EQ(values[1], -std::sqrt(2.0F));
    EXPECT_EQ(block.labels[0], -1.0F);
    for (int i = 2; i < 8; ++i) EXPECT_EQ(values[i], 0.0F);
    for (int i = 1; i < 4; ++i) EXPECT_EQ(block.labels[i], 1.0F);
  }
}

TEST(Dataset, RefusesRowsOfAnotherShape) {
  for (const bool sparse : {false, true}) {
    DatasetBuilder builder({.rows = 0, .features = 3, .data_norm = 1.0, .sparse = sparse});
    const std::vector<float> two = {1, 1};
    EXPECT_TRUE(contains(message_of([&] { builder.add_dense(two, 1.0F); }), "2 features, the data set 3"));
    EXPECT_TRUE(contains(message_of([&] {
                           builder.add_sparse(std::vector<std::uint32_t>{1, 1}, two, 1.0F);
                         }),
                         "ascend"));
    EXPECT_TRUE(contains(message_of([&] {
                           builder.add_sparse(std::vector<std::uint32_t>{1, 3}, two, 1.0F);
                         }),
                         "below"));
    EXPECT_TRUE(contains(message_of([&] { builder.add_sparse(std::vector<std::uint32_t>{1}, two, 1.0F); }), "as many"));
    EXPECT_EQ(builder.finish().facts().rows, 0U);
  }
  EXPECT_TRUE(contains(message_of([] { DatasetBuilder({.features = 0}); }), "at least one feature"));
  EXPECT_TRUE(contains(message_of([] { DatasetBuilder({.features = 1, .data_norm = 0}); }), "data_norm"));
}

TEST(Dataset, ABuilderCanBeUsedAgain) {
  DatasetBuilder builder({.rows = 0, .features = 1, .data_norm = 1.0, .sparse = true});
  builder.add_dense(std::vector<float>{1}, 1.0F);
  EXPECT_EQ(builder.finish().facts().rows, 1U);
  builder.add_dense(std::vector<float>{1}, 1.0F);
  builder.add_dense(std::vector<float>{1}, 1.0F);
  const Dataset again = builder.finish();
  EXPECT_EQ(again.facts().rows, 2U);
  EXPECT_EQ(again.view().offsets[2], 2U);
}

}  // namespace
}  // namespace sotto
