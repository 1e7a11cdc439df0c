#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/data/array_rows.h"
#include "sotto/data/clip.h"
#include "sotto/data/dataset.h"
#include "sotto/data/plain_weights.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/table_rows.h"

namespace sotto {
namespace {

Schema schema_of(std::optional<Range> range, double intercept) {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.columns = {{"a", NumericColumn{range}}, {"b", NumericColumn{range}}, {"c", NumericColumn{range}}};
  schema.label.column = "y";
  schema.label.classes = {"no", "yes"};
  schema.data_norm = 0.75;
  schema.intercept = intercept;
  schema.complete = true;
  return schema;
}

// Inside, outside the ranges, longer than the norm, zero, tiny, not finite.
const std::vector<std::vector<double>> kRows = {
    {0.1, 0.2, 0.3},   {5, -7, 0.5}, {0, 0, 0}, {1e-3, 0, 1e9}, {0.5, 0.5, std::numeric_limits<double>::quiet_NaN()},
    {-0.0, 0.3, 1e-30}};
const std::vector<std::int32_t> kCodes = {0, 1, 1, 0, 1, -1};

DenseArray as_array(const std::vector<double>& values, std::size_t rows, bool by_column) {
  const auto features = values.size() / rows;
  DenseArray array{
      values.data(), true, rows, static_cast<std::uint32_t>(features), static_cast<std::ptrdiff_t>(features), 1};
  if (by_column) {
    array.row_stride = 1;
    array.column_stride = static_cast<std::ptrdiff_t>(rows);
  }
  return array;
}

std::vector<double> flat(bool by_column) {
  std::vector<double> values(kRows.size() * 3);
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) values[by_column ? j * kRows.size() + i : i * 3 + j] = kRows[i][j];
  }
  return values;
}

Dataset through_cells(const Encoder& encoder) {
  std::vector<std::vector<double>> columns(3);
  for (const auto& row : kRows) {
    for (std::size_t j = 0; j < 3; ++j) columns[j].push_back(row[j]);
  }
  const std::vector<TableColumn> table = {{"a", columns[0], {}, {}},
                                          {"b", columns[1], {}, {}},
                                          {"c", columns[2], {}, {}},
                                          {"y", {}, kCodes, {"no", "yes"}}};
  TableReader reader(table);
  RowEncoder rows(encoder, reader);
  DatasetBuilder builder(encoder.facts(reader.rows()));
  RawRow raw;
  EncodedRow row;
  while (reader.next(raw)) {
    rows.encode(raw, row);
    row.send(builder);
  }
  return builder.finish();
}

void expect_same(const Dataset& left, const Dataset& right) {
  const RowBlock a = left.view();
  const RowBlock b = right.view();
  ASSERT_EQ(a.rows, b.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    EXPECT_EQ(a.labels[i], b.labels[i]) << i;
    for (std::size_t j = 0; j < a.features; ++j)
      EXPECT_EQ(a.dense[i * a.features + j], b.dense[i * a.features + j]) << i;
  }
}

TEST(ArrayRows, AnArrayIsEncodedAsTheSameCellsAre) {
  for (const auto& range : {std::optional<Range>(), std::optional<Range>(Range{-2, 3})}) {
    for (const double intercept : {0.0, 0.5}) {
      for (const bool by_column : {false, true}) {
        const Encoder encoder(schema_of(range, intercept));
        const std::vector<double> values = flat(by_column);
        DatasetBuilder builder(encoder.facts(kRows.size()));
        ArrayEncoder(encoder, 3).send(as_array(values, kRows.size(), by_column), kCodes, builder);
        expect_same(builder.finish(), through_cells(encoder));
      }
    }
  }
}

TEST(ArrayRows, WhatAnArrayCannotHoldIsRefused) {
  const Encoder encoder(schema_of({}, 0));
  EXPECT_THROW(ArrayEncoder(encoder, 4), Error);
  Schema texts = schema_of({}, 0);
  texts.columns[1].kind = CategoryColumn{{"x", "y"}};
  const Encoder of_texts(texts);
  EXPECT_THROW(ArrayEncoder(of_texts, 3), Error);
  const Encoder ranged(schema_of(Range{0, 1}, 0));
  DatasetBuilder builder(ranged.facts(0));
  EXPECT_THROW(ArrayEncoder(ranged, 3).send(SparseArray{}, {}, builder), Error);
}

TEST(PlainWeights, RawNumbersGiveTheMarginOfTheStoredRow) {
  Schema schema = schema_of(Range{-2, 3}, 0.5);
  schema.columns[1].kind = CategoryColumn{{"x", "y"}};
  schema.data_norm = 10;
  const Encoder encoder(schema);  // a, b=x, b=y, c, intercept
  const std::vector<double> weights = {0.3, -1.5, 2.5, 4.0, -0.7};
  const PlainWeights plain = plain_weights(encoder, weights);
  ASSERT_EQ(plain.coefficients.size(), 4U);
  const double a = 1.25;
  const double c = -0.5;
  const double stored = 0.3 * (a + 2) / 5 + 2.5 + 4.0 * (c + 2) / 5 - 0.7 * 0.5;
  EXPECT_NEAR(plain.coefficients[0] * a + plain.coefficients[2] + plain.coefficients[3] * c + plain.constants[0],
              stored, 1e-14);
}

// Python's str() of the same cell, which a column with one text in it is read by.
TEST(TableRows, ANumberIsSpeltAsItIsBesideATextInItsColumn) {
  const std::vector<std::pair<double, std::string>> spelt = {{100000, "100000"},
                                                             {-2e6, "-2000000"},
                                                             {1e15, "1000000000000000"},
                                                             {9007199254740994.0, "9007199254740994"},
                                                             {1e16, "1e+16"},
                                                             {-0.0, "0"},
                                                             {0.3, "0.3"},
                                                             {1234567.25, "1234567.25"},
                                                             {0.0001, "0.0001"},
                                                             {0.00001, "1e-05"},
                                                             {-1.5e-7, "-1.5e-07"},
                                                             {5e-324, "5e-324"},
                                                             {1.7976931348623157e308, "1.7976931348623157e+308"}};
  std::vector<double> numbers;
  for (const auto& [number, text] : spelt) numbers.push_back(number);
  const std::vector<TableColumn> table = {{"n", numbers, {}, {}}};
  TableReader reader(table);
  RawRow row;
  for (const auto& [number, text] : spelt) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row.cells[0], text);
  }
}

TEST(TableRows, ANumberIsTheTextThatIsThatNumberAgain) {
  const std::vector<double> numbers = {0.1, 39, 1e300, -1e-310, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<TableColumn> table = {{"n", numbers, {}, {}}};
  TableReader reader(table);
  RawRow row;
  for (const double number : numbers) {
    ASSERT_TRUE(reader.next(row));
    double read = 0;
    std::from_chars(row.cells[0].data(), row.cells[0].data() + row.cells[0].size(), read);
    EXPECT_EQ(row.cells[0].empty(), std::isnan(number));
    if (!std::isnan(number)) {
      EXPECT_EQ(read, number);
    }
  }
  EXPECT_FALSE(reader.next(row));
}

TEST(TableRows, AMissingCellIsSpeltAsItsColumnSays) {
  const std::vector<double> numbers = {std::numeric_limits<double>::quiet_NaN()};
  const std::vector<std::int32_t> places = {-1};
  const std::vector<TableColumn> table = {
      {"n", numbers, {}, {}, "?"}, {"t", {}, places, {"x"}, "NA"}, {"u", {}, places, {"x"}}};
  TableReader reader(table);
  RawRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(std::vector<std::string_view>(row.cells.begin(), row.cells.end()),
            (std::vector<std::string_view>{"?", "NA", ""}));
}

TEST(TableRows, TheFingerprintKnowsContentAndNotTheOrderOfColumns) {
  const std::vector<double> numbers = {1, 2};
  const std::vector<std::int32_t> places = {0, 1};
  const TableColumn left{"n", numbers, {}, {}};
  const TableColumn right{"t", {}, places, {"x", "y"}};
  const TableColumn other{"t", {}, places, {"x", "z"}};
  EXPECT_EQ(fingerprint_of(std::vector{left, right}), fingerprint_of(std::vector{right, left}));
  EXPECT_NE(fingerprint_of(std::vector{left, right}), fingerprint_of(std::vector{left, other}));
}

TEST(KeepsNorm, IsFalseJustAboveTheBoundOfAStoredRow) {
  const std::vector<float> inside(4, 0.5F);  // norm 1
  EXPECT_TRUE(keeps_norm(inside, 1.0));
  EXPECT_TRUE(keeps_norm(inside, (1 + 0x1p-40) / (1 + 0x1p-20)));
  EXPECT_FALSE(keeps_norm(inside, 1 / (1 + 1.5 * 0x1p-20)));
  const std::vector<float> poisoned = {std::numeric_limits<float>::quiet_NaN(), 0.0F};
  EXPECT_FALSE(keeps_norm(poisoned, 1e30));
}

}  // namespace
}  // namespace sotto
