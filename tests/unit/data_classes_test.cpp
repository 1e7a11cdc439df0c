// Labels of any number of classes on their way into memory: every sink keeps the declared ones and no other.
#include <gtest/gtest.h>

#include <limits>

#include "data_testing.h"
#include "sotto/data/dataset.h"
#include "sotto/files/load.h"

namespace sotto {
namespace {

TEST(Classes, ALabelIsOneOfTheDeclaredPlacesAndNothingElse) {
  for (const float label : {1.0F, -1.0F}) EXPECT_TRUE(is_label(label, 2));
  for (const float label : {0.0F, 2.0F, 0.5F}) EXPECT_FALSE(is_label(label, 2));
  for (const float label : {0.0F, 1.0F, 2.0F}) EXPECT_TRUE(is_label(label, 3));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float label : {-1.0F, 3.0F, 1.5F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_FALSE(is_label(label, 3)) << label;
  }
  for (const std::uint32_t classes : {2U, 3U, kMaxClasses}) {
    for (const std::uint32_t place : {0U, 1U, classes - 1}) {
      EXPECT_TRUE(is_label(label_of_class(place, classes), classes));
      EXPECT_EQ(class_of_label(label_of_class(place, classes), classes), place);
    }
  }
}

TEST(Classes, ABuilderKeepsDeclaredLabelsFromDataSetToDataSet) {
  DatasetBuilder builder({.rows = 0, .features = 1, .data_norm = 1.0, .sparse = false, .classes = 4});
  for (int round = 0; round < 2; ++round) {
    for (const float label : {0.0F, 3.0F, 4.0F, -1.0F}) builder.add_dense(std::vector<float>{0.5F}, label);
    const Dataset data = builder.finish();
    const RowBlock rows = data.view();
    EXPECT_EQ(data.facts().classes, 4U);
    EXPECT_EQ(std::vector<float>(rows.labels, rows.labels + 4), (std::vector<float>{0, 3, 1, 1}));
    EXPECT_EQ(std::vector<float>(rows.dense, rows.dense + 4), (std::vector<float>{0.5F, 0.5F, 0, 0}));
  }
  EXPECT_THROW(DatasetBuilder({.rows = 0, .features = 1, .data_norm = 1.0, .sparse = false, .classes = 1}), Error);
}

TEST(Classes, LibsvmLabelsAreComparedAsNumbers) {
  const testing::TempFile file("digits.libsvm", "3 1:0.5\n0 2:0.25\n7 1:0.5\n+3.0 1:1\n");
  Schema schema;
  schema.intercept = 0;
  schema.features = 2;
  schema.data_norm = 1.0;
  schema.label.classes = {"0", "1", "2", "3"};
  const Dataset data = read_dataset(file.path(), schema);
  const RowBlock rows = data.view();
  EXPECT_EQ(data.facts().classes, 4U);
  EXPECT_EQ(std::vector<float>(rows.labels, rows.labels + 4), (std::vector<float>{3, 0, 1, 3}));
  EXPECT_EQ(rows.offsets[3] - rows.offsets[2], 0U) << "a label outside the list makes the row zero";
}

TEST(Classes, MnistHasTenOfThem) {
  const std::string path = testing::real_data("mnist/t10k-images-idx3-ubyte.gz");
  if (path.empty()) GTEST_SKIP() << "mnist is not at hand";
  Schema schema;
  schema.intercept = 0;
  schema.label.classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  const Dataset data = read_dataset(path, schema);
  std::vector<int> counts(10, 0);
  for (std::size_t i = 0; i < data.facts().rows; ++i) ++counts[static_cast<std::size_t>(data.view().labels[i])];
  EXPECT_EQ(counts, (std::vector<int>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
}

}  // namespace
}  // namespace sotto
