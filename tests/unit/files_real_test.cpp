// The data sets that the papers train on, read from the files as published. Skipped where they are not at hand; the
// counts are those of the data sets' own documentation.
#include <gtest/gtest.h>

#include "../cli/schema_flags.h"
#include "data_testing.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/files/complete.h"
#include "sotto/files/inspect.h"
#include "sotto/files/load.h"
#include "sotto/files/open_rows.h"

namespace sotto {
namespace {

using testing::real_data;

struct Expected {
  std::uint64_t rows;
  std::uint64_t positive;
  std::uint32_t features;
};

/// Reads the file leniently and strictly and compares counts. Labels must all be known.
void expect_counts(const std::string& path, const Schema& schema, const Expected& expected) {
  const Schema complete = schema.complete ? schema : complete_for(path, schema);
  const Encoder encoder(complete);
  DatasetBuilder builder(encoder.facts(0));
  load(path, encoder, ReadMode::lenient, builder);
  const Dataset data = builder.finish();
  const RowBlock block = data.view();
  EXPECT_EQ(data.facts().rows, expected.rows);
  EXPECT_EQ(data.facts().features, expected.features);
  std::uint64_t positive = 0;
  for (std::size_t i = 0; i < block.rows; ++i) positive += block.labels[i] > 0 ? 1U : 0U;
  EXPECT_EQ(positive, expected.positive);
}

Schema by_position(const std::string& label) {
  Schema schema;
  schema.intercept = 0;
  schema.header = HeaderLine::absent;
  schema.label.column = label;
  schema.data_norm = 1.0;
  return schema;
}

#define SOTTO_REAL_FILE(variable, file)         \
  const std::string variable = real_data(file); \
  if (variable.empty()) GTEST_SKIP() << file << " is not at hand"

TEST(RealData, AdultWithDeclaredColumns) {
  SOTTO_REAL_FILE(path, "adult/adult.data.gz");
  Schema schema;
  schema.intercept = 0;
  schema.header = HeaderLine::absent;
  schema.names = {"age",  "workclass", "fnlwgt", "education", "education_num", "marital", "occupation", "relationship",
                  "race", "sex",       "gain",   "loss",      "hours",         "country", "income"};
  schema.label = {"income", {">50K", ">50K."}, {"<=50K", "<=50K."}};
  cli::declare_range(schema, "age=0:100");
  cli::declare_range(schema, "education_num=0:20");
  cli::declare_range(schema, "gain=0:100000:log1p");
  cli::declare_range(schema, "loss=0:5000:log1p");
  cli::declare_range(schema, "hours=0:100");
  cli::declare_category(schema, "sex=Male,Female");
  cli::declare_category(schema, "race=White,Black,Asian-Pac-Islander,Amer-Indian-Eskimo,Other");
  for (const char* name : {"fnlwgt", "workclass", "education", "marital", "occupation", "relationship", "country"}) {
    cli::declare_ignored(schema, name);
  }
  schema.intercept = 1.0;
  expect_counts(path, schema, {32561, 7841, 13});
  schema.skip_lines = 1;
  expect_counts(real_data("adult/adult.test.gz"), schema, {16281, 3846, 13});
  const InspectReport report = inspect(real_data("adult/adult.test.gz"), schema);
  EXPECT_EQ(report.checked.rows, 16281U);
  EXPECT_EQ(report.checked.tally.unusable, 0U);
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    EXPECT_EQ(report.checked.tally.of(static_cast<ProblemKind>(kind)), 0U) << kind;
  }
}

TEST(RealData, AdultWithBoundsFromTheRows) {
  SOTTO_REAL_FILE(path, "adult/adult.data.gz");
  Schema schema;
  schema.intercept = 0;
  schema.header = HeaderLine::absent;
  schema.label.column = "15";
  const Schema assumed = assume_bounds_from_data(path, schema);
  EXPECT_TRUE(assumed.bounds_from_data);
  expect_counts(path, assumed, {32561, 7841, 6 + 9 + 16 + 7 + 15 + 6 + 5 + 2 + 42});
}

TEST(RealData, A9a) {
  SOTTO_REAL_FILE(path, "a9a/a9a.gz");
  Schema schema;
  schema.intercept = 0;
  schema.format = FileFormat::libsvm;
  schema.features = 123;
  schema.range = Range{0, 1};
  expect_counts(path, schema, {32561, 7841, 123});
  expect_counts(real_data("a9a/a9a.t.gz"), schema, {16281, 3846, 123});
  Schema open;
  open.format = FileFormat::libsvm;
  EXPECT_EQ(assume_bounds_from_data(path, open).features, 123U);
}

TEST(RealData, MnistOneDigitAgainstTheRest) {
  SOTTO_REAL_FILE(path, "mnist/t10k-images-idx3-ubyte.gz");
  Schema schema;
  schema.intercept = 0;
  schema.label = {"", {"3"}, {"*"}};
  expect_counts(path, schema, {10000, 1010, 784});
  schema.projection = GaussianProjection{50, 1};
  expect_counts(real_data("mnist/train-images-idx3-ubyte.gz"), schema, {60000, 6131, 50});
}

TEST(RealData, OccupancyWithAHeaderOneShort) {
  SOTTO_REAL_FILE(path, "occupancy/datatraining.txt.gz");
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "Occupancy";
  schema.data_norm = 1.0;
  cli::declare_ignored(schema, "date");
  expect_counts(path, schema, {8143, 1729, 5});
  expect_counts(real_data("occupancy/datatest.txt.gz"), schema, {2665, 972, 5});
  expect_counts(real_data("occupancy/datatest2.txt.gz"), schema, {9752, 2049, 5});
}

TEST(RealData, BankMarketingInItsThreeForms) {
  SOTTO_REAL_FILE(path, "bank-marketing/bank-full.csv.gz");
  Schema schema;
  schema.intercept = 0;
  schema.separator = ";";
  schema.label = {"y", {"yes"}, {"no"}};
  const Schema assumed = assume_bounds_from_data(path, schema);
  expect_counts(path, assumed, {45211, 5289, 51});
  const std::string additional = real_data("bank-marketing/bank-additional-full.csv.gz");
  const Schema more = assume_bounds_from_data(additional, schema);
  expect_counts(additional, more, {41188, 4640, 63});
  expect_counts(real_data("bank-marketing/BANK.dat.gz"), by_position("33"), {45211, 5289, 32});
}

TEST(RealData, TitanicWithQuotedCommasAndEmptyCells) {
  SOTTO_REAL_FILE(path, "titanic/train.csv.gz");
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "Survived";
  for (const char* name : {"PassengerId", "Name", "Ticket", "Cabin"}) cli::declare_ignored(schema, name);
  cli::declare_category(schema, "Pclass=1,2,3");
  cli::declare_category(schema, "Sex=male,female");
  cli::declare_category(schema, "Embarked=S,C,Q");
  cli::declare_range(schema, "Age=0:100");
  cli::declare_range(schema, "SibSp=0:10");
  cli::declare_range(schema, "Parch=0:10");
  cli::declare_range(schema, "Fare=0:600:log1p");
  const InspectReport report = inspect(path, schema);
  EXPECT_EQ(report.checked.rows, 891U);
  EXPECT_EQ(report.checked.tally.unusable, 177U);  // rows without an age
  EXPECT_EQ(report.profile.label.numbers, 891U);
  EXPECT_EQ(report.checked.tally.classes[0] + report.checked.tally.classes[1], 714U);
}

TEST(RealData, KddCup99NormalAgainstAttack) {
  SOTTO_REAL_FILE(path, "kddcup99/kddcup.data_10_percent.gz");
  Schema schema = by_position("42");
  schema.label.positive = {"normal."};
  schema.label.negative = {"*"};
  cli::declare_category(schema, "2=tcp,udp,icmp");
  cli::declare_ignored(schema, "3");
  cli::declare_ignored(schema, "4");
  expect_counts(path, schema, {494021, 97278, 41});
}

TEST(RealData, NslKddWithoutTheDifficultyScore) {
  SOTTO_REAL_FILE(path, "nsl-kdd/KDDTrain+.txt.gz");
  Schema schema = by_position("42");
  schema.label.positive = {"normal"};
  schema.label.negative = {"*"};
  for (const char* name : {"2", "3", "4", "43"}) cli::declare_ignored(schema, name);
  expect_counts(path, schema, {125973, 67343, 38});
}

TEST(RealData, TheSmallTables) {
  SOTTO_REAL_FILE(banknote, "banknote/data_banknote_authentication.txt.gz");
  expect_counts(banknote, by_position("5"), {1372, 610, 4});
  Schema cover;
  cover.intercept = 0;
  cover.range = Range{0, 1};
  cover.label = {"Cover_Type", {"2"}, {"*"}};
  const std::string forest = real_data("covertype-subset/covertype_subset_92962.csv.gz");
  const auto names = open_rows(forest, cover, ReadMode::lenient)->columns();
  cover.label.column = names.back();
  expect_counts(forest, cover, {92962, 45328, 54});
  const std::string higgs = real_data("higgs-subset/higgs_10984.csv.gz");
  Schema signal;
  signal.intercept = 0;
  signal.label.column = open_rows(higgs, signal, ReadMode::lenient)->columns().back();
  signal.data_norm = 1.0;
  expect_counts(higgs, signal, {10984, 5821, 28});
}

TEST(RealData, InternetAdvertisementsWithPaddedMissingCells) {
  SOTTO_REAL_FILE(path, "internet-ads/ad.data.gz");
  Schema schema = by_position("1559");
  schema.label.positive = {"ad."};
  schema.label.negative = {"nonad."};
  const InspectReport report = inspect(path, schema);
  EXPECT_EQ(report.checked.rows, 3279U);
  EXPECT_EQ(report.profile.columns.size(), 1559U);
  EXPECT_EQ(report.checked.tally.unusable, 920U);
  EXPECT_EQ(report.profile.label.distinct, (std::vector<std::string>{"ad.", "nonad."}));
}

}  // namespace
}  // namespace sotto
