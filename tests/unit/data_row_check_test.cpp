#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data_testing.h"
#include "sotto/data/array_rows.h"
#include "sotto/data/row_check.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/table_rows.h"
#include "sotto/files/complete.h"
#include "sotto/files/load.h"

namespace sotto {
namespace {

using testing::contains;
using testing::error_of;
using testing::TempFile;

Schema numbers_schema() {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.columns = {{"a", NumericColumn{}}, {"b", NumericColumn{Range{0, 1}}}};
  schema.label.column = "y";
  schema.data_norm = 2;
  schema.intercept = 1;
  return schema;
}

RowCheck check_of_text(const std::string& text, const Schema& declared) {
  const TempFile file("rows.csv", text);
  const Encoder encoder(complete_for(file.path(), declared));
  return check_of(encoder, read_counted(file.path(), encoder).tally);
}

// Of a: 3, 100, -0.5, 0.25 and NaN; b is outside its range once; one label is not declared.
constexpr const char* kRows = "a,b,y\n3,0.5,1\n100,1,1\n-0.5,2,0\n0.25,0,0\nnan,0.5,1\n0.5,0.5,7\n";

TEST(RowCheck, FilesTablesAndArraysCountTheSame) {
  const TempFile file("rows.csv", kRows);
  const Encoder encoder(complete_for(file.path(), numbers_schema()));
  const RowTally of_file = read_counted(file.path(), encoder).tally;

  const std::vector<double> a = {3, 100, -0.5, 0.25, std::nan(""), 0.5}, b = {0.5, 1, 2, 0, 0.5, 0.5};
  const std::vector<double> y = {1, 1, 0, 0, 1, 7};
  const std::vector<TableColumn> table = {{"a", a, {}, {}, "nan"}, {"b", b, {}, {}}, {"y", y, {}, {}}};
  TableReader reader(table);
  RowEncoder encode(encoder, reader);
  RowTally of_table = encoder.empty_tally();
  encode.count_into(&of_table);
  RawRow raw;
  EncodedRow row;
  while (reader.next(raw)) encode.encode(raw, row);

  std::vector<double> flat;
  for (std::size_t i = 0; i < a.size(); ++i) flat.insert(flat.end(), {a[i], b[i]});
  const std::vector<std::int32_t> codes = {1, 1, 0, 0, 1, -1};
  const DenseArray array{flat.data(), true, 6, 2, 2, 1};
  const RowTally of_array = ArrayEncoder(encoder, 2).tally(array, codes, [] {});

  EXPECT_EQ(of_table, of_file);
  EXPECT_EQ(of_array, of_file);
  EXPECT_EQ(of_file.rows, 6U);
  EXPECT_EQ(of_file.unusable, 2U);
  EXPECT_EQ(of_file.unknown_labels, 1U);
  EXPECT_EQ(of_file.clipped, 2U) << "sqrt(9 + 0.25 + 1) and the row of 100";
  EXPECT_EQ(of_file.halved, 1U);
  EXPECT_EQ(of_file.classes, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(of_file.columns[0].of(ProblemKind::not_a_number), 1U);
  EXPECT_EQ(of_file.columns[1].of(ProblemKind::out_of_range), 1U);
}

TEST(RowCheck, CountsOfPartsAddUpToThoseOfTheWholeInAnyOrder) {
  const Schema schema = numbers_schema();
  const std::string head = "a,b,y\n", one = "3,0.5,1\n100,1,1\n", two = "-0.5,2,0\nnan,0.5,1\n7,7,7\n";
  const RowTally whole = check_of_text(head + one + two, schema).tally;
  const RowTally first = check_of_text(head + one, schema).tally, second = check_of_text(head + two, schema).tally;
  RowTally forward = first, backward = second;
  forward.add(second);
  backward.add(first);
  EXPECT_EQ(forward, whole);
  EXPECT_EQ(backward, whole);
}

TEST(RowCheck, SparseRowsHaveTheZerosThatAreLeftOut) {
  const std::vector<float> values = {1, 1, 5};
  const std::vector<std::int32_t> columns = {0, 0, 1}, offsets = {0, 1, 3};
  const std::vector<std::int32_t> codes = {0, 1};
  Schema schema = numbers_schema();
  schema.columns[1].kind = NumericColumn{};
  schema.complete = true;
  const Encoder encoder(schema);
  const SparseArray array{values.data(), false, columns.data(), false, offsets.data(), false, 2, 3, 2};
  const RowTally tally = ArrayEncoder(encoder, 2).tally(array, codes, [] {});
  EXPECT_TRUE(tally.columns[0].constant());
  EXPECT_FALSE(tally.columns[1].constant()) << "0 and 5";
  EXPECT_EQ(tally.clipped, 1U);
}

TEST(RowCheck, CountingChangesNoRow) {
  const TempFile file("rows.csv", kRows);
  const Encoder encoder(complete_for(file.path(), numbers_schema()));
  const Dataset plain = read_dataset(file.path(), encoder);
  const Fingerprinted<CountedDataset> counted = read_counted_fingerprinted(file.path(), encoder);
  ASSERT_EQ(counted.value.rows.facts().rows, 6U);
  EXPECT_EQ(counted.fingerprint, read_fingerprinted(file.path(), encoder).fingerprint);
  const RowBlock one = plain.view(), other = counted.value.rows.view();
  EXPECT_TRUE(std::equal(one.dense, one.dense + 18, other.dense));
  EXPECT_TRUE(std::equal(one.labels, one.labels + 6, other.labels));
}

TEST(RowCheck, ATextColumnThatIsReadAsANumberIsNamedFirst) {
  Schema schema;
  schema.label.column = "income";
  schema.data_norm = 1;
  const RowCheck check = check_of_text("age,work,fnlwgt,sex,income\n39,Private,7,M,<=50K\n50,?,8,F,>50K\n", schema);
  const auto [kind, message] = error_of([&] { require_sound(check); });
  EXPECT_EQ(kind, ErrorKind::invalid_data);
  EXPECT_TRUE(contains(message, "column 'work' holds texts, and no categories are declared for it")) << message;
  EXPECT_TRUE(is_notable(check));
  EXPECT_FALSE(contains(check_text(check), "Private")) << "no value of a row is quoted";
}

TEST(RowCheck, LabelsThatNobodyDeclaredAreNamed) {
  Schema schema;
  schema.label.column = "income";
  schema.data_norm = 100;
  const RowCheck check = check_of_text("age,income\n39,<=50K\n50,>50K\n", schema);
  const std::string message = error_of([&] { require_sound(check); }).second;
  EXPECT_TRUE(contains(message, "column 'income' holds no label that is declared")) << message;
}

std::string rows_with(int good, const std::string& bad, int times) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < good; ++i) text += i % 2 == 0 ? "0.5,0.5,1\n" : "0.25,0.5,0\n";
  for (int i = 0; i < times; ++i) text += bad;
  return text;
}

TEST(RowCheck, StopsWhereMoreThanATenthCannotBeUsed) {
  const Schema schema = numbers_schema();
  EXPECT_NO_THROW(require_sound(check_of_text(rows_with(90, "?,0.5,1\n", 10), schema)));
  EXPECT_TRUE(is_notable(check_of_text(rows_with(90, "?,0.5,1\n", 1), schema)));
  const RowCheck many = check_of_text(rows_with(89, "?,0.5,1\n", 11), schema);
  const std::string message = error_of([&] { require_sound(many); }).second;
  EXPECT_TRUE(contains(message, "more than a tenth of the rows cannot be used")) << message;
  EXPECT_TRUE(contains(message, "column 'a'")) << message;
  const std::string labels =
      error_of([&] { require_sound(check_of_text(rows_with(80, "0.5,0.5,yes\n", 20), schema)); }).second;
  EXPECT_TRUE(contains(labels, "most often their label is not declared")) << labels;
}

TEST(RowCheck, StopsWhereMoreThanATenthIsClippedToBelowHalf) {
  const Schema schema = numbers_schema();
  EXPECT_NO_THROW(require_sound(check_of_text(rows_with(90, "9000,0.5,1\n", 10), schema)));
  EXPECT_NO_THROW(require_sound(check_of_text(rows_with(50, "3,0.5,1\n", 50), schema))) << "clipped, and by little";
  const RowCheck many = check_of_text(rows_with(89, "9000,0.5,1\n", 11), schema);
  const std::string message = error_of([&] { require_sound(many); }).second;
  EXPECT_TRUE(contains(message, "clipped to below half of their length")) << message;
  EXPECT_TRUE(contains(message, "column 'a' makes them long")) << message;
  RowCheck assumed = many;
  assumed.norm_declared = false;
  EXPECT_NO_THROW(require_sound(assumed)) << "the usual norm is nobody's mistake; the plan warns of it";
  EXPECT_TRUE(is_notable(assumed));
}

TEST(RowCheck, OrdinaryRowsHaveNothingNotable) {
  EXPECT_FALSE(is_notable(check_of_text(rows_with(10, "", 0), numbers_schema())));
  EXPECT_TRUE(is_notable(check_of_text("a,b,y\n0.5,0.5,1\n0.25,0.5,1\n", numbers_schema()))) << "one class";
  EXPECT_TRUE(is_notable(check_of_text(rows_with(80, "0.5,7,1\n", 20), numbers_schema()))) << "out of range";
}

TEST(RowCheck, TheTableIsAlignedAndMarked) {
  const std::string text = check_text(check_of_text(kRows, numbers_schema()));
  EXPECT_EQ(text,
            "check of the rows (not for release: for those who may read the rows)\n"
            "  rows      6\n"
            "  unusable  2 (33.3 %), made zero\n"
            "  clipped   2 (33.3 %), to below half of their length 1 (16.7 %)\n"
            "            column 'a' has 93.9 % of their squared length\n"
            "  labels    2 of -1, 2 of 1, 1 not declared\n"
            "  a         1 not a number\n"
            "  b         1 outside the declared range");
  const auto json = nlohmann::json::parse(check_json(check_of_text(kRows, numbers_schema())));
  EXPECT_EQ(json["zero_rows"], 2);
  EXPECT_EQ(json["clipped_to_below_half"], 1);
  EXPECT_EQ(json["longest"]["column"], "a");
  EXPECT_EQ(json["columns"]["b"]["outside the declared range"], 1);
  EXPECT_EQ(json["classes"]["1"], 2);
}

TEST(RowCheck, WhatIsStillOpenIsLeftOut) {
  Schema schema;
  schema.label.column = "y";
  schema.columns = {{"job", CategoryColumn{}}};
  const TempFile file("rows.csv", "job,a,y\nx,1e9,1\nz,5,0\n");
  const Encoder encoder(complete_for(file.path(), checkable(schema)));
  const RowCheck check = check_of(encoder, read_counted(file.path(), encoder).tally);
  EXPECT_NO_THROW(require_sound(check));
  EXPECT_EQ(check.tally.clipped, 0U);
}

TEST(RowCheck, ALibsvmFileHasOneColumnForAllValues) {
  const TempFile file("rows.libsvm", "1 1:1 3:400\n0 2:1\n1 1:1\n");
  Schema schema;
  schema.features = 3;
  schema.data_norm = 1;
  schema.intercept = 0;
  const Encoder encoder(complete_for(file.path(), schema));
  const RowCheck check = check_of(encoder, read_counted(file.path(), encoder).tally);
  EXPECT_EQ(check.tally.halved, 1U);
  EXPECT_TRUE(contains(check_text(check), "column 'values' has 100 %"));
}

}  // namespace
}  // namespace sotto
