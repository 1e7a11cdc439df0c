#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "capi/sotto_c.h"

namespace sotto {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFeatures = R"({"age": [0, 100], "home": ["city", "farm"]})";
constexpr const char* kOptions = R"({"positive": ["yes"], "negative": ["no"], "data_norm": 2})";

std::string schema(const char* features, const char* options, const char* types = "{}") {
  sotto_text text{};
  sotto_error error{};
  const sotto_status status = sotto_schema("buys", features, options, types, &text, &error);
  std::string result = status == SOTTO_OK ? text.data : error.message;
  sotto_text_free(&text);
  return result;
}

using Cell = std::optional<std::string>;

class CapiEncoding : public testing::Test {
 protected:
  CapiEncoding() { encoder_ = make(); }
  ~CapiEncoding() override { sotto_encoder_free(encoder_); }
  CapiEncoding(const CapiEncoding&) = delete;
  CapiEncoding& operator=(const CapiEncoding&) = delete;

  static sotto_encoder* make() {
    const char* columns[] = {"age", "home", "buys"};
    sotto_encoder* encoder = nullptr;
    sotto_error error{};
    EXPECT_EQ(
        sotto_encoder_new(schema(kFeatures, kOptions).c_str(), columns, 3, SOTTO_LABEL_REQUIRED, &encoder, &error),
        SOTTO_OK)
        << error.message;
    return encoder;
  }
  std::vector<float> encode(const Cell& age, const Cell& home, const Cell& buys) {
    return encode(encoder_, age, home, buys);
  }
  static std::vector<float> encode(sotto_encoder* encoder, const Cell& age, const Cell& home, const Cell& buys) {
    const auto cell = [](const Cell& text) {
      return text ? sotto_cell{text->data(), text->size()} : sotto_cell{nullptr, 0};
    };
    const sotto_cell cells[] = {cell(age), cell(home), cell(buys)};
    std::vector<float> row(4);
    EXPECT_EQ(sotto_encode_cells(encoder, cells, row.data(), &row[3]), SOTTO_OK);
    return row;
  }
  static std::string fingerprint(const sotto_encoder* encoder) {
    char hex[65];
    sotto_encoder_fingerprint(encoder, hex);
    return hex;
  }
  sotto_encoder* encoder_ = nullptr;
};

TEST(CapiSchema, RefusesRepeatedKeysAndZeroBytes) {
  EXPECT_THAT(schema(R"({"age": [0, 100], "home": ["city"], "age": [0, 100]})", kOptions),
              HasSubstr("features: has a key twice"));
  EXPECT_THAT(schema(R"({"age": [0, 100], "\u0061ge": [0, 100]})", kOptions), HasSubstr("features: has a key twice"));
  EXPECT_THAT(schema(R"({"age": {"min": 0, "max": 1, "min": 0}})", kOptions), HasSubstr("features: has a key twice"));
  EXPECT_THAT(schema(kFeatures, R"({"positive": ["yes"], "positive": ["no"]})"), HasSubstr("options: has a key twice"));
  EXPECT_THAT(schema(R"({"home": ["city", "fa\u0000rm"]})", kOptions),
              HasSubstr("features: has a text with the character"));
  EXPECT_THAT(schema(R"({"a\u0000ge": [0, 100]})", kOptions), HasSubstr("features: has a text with the character"));
  EXPECT_THAT(schema(kFeatures, R"({"positive": ["\u0000"], "negative": ["no"]})"), HasSubstr("options: has a text"));
  // The same key in two objects is none twice.
  EXPECT_THAT(schema(R"({"age": {"min": 0, "max": 1}, "income": {"min": 0, "max": 1}})", kOptions),
              HasSubstr("income"));
}

TEST_F(CapiEncoding, AnInterceptIsOneUnlessAnotherIsSaid) {
  const std::string array = R"({"x": {"size": 3, "min": 0, "max": 1}})";
  for (const std::string& features : {std::string(kFeatures), array}) {
    EXPECT_THAT(schema(features.c_str(), kOptions), HasSubstr("\"intercept\": 1.0"));
    const std::string without = R"({"positive": ["yes"], "negative": ["no"], "data_norm": 2, "intercept": 0})";
    EXPECT_THAT(schema(features.c_str(), without.c_str()), HasSubstr("\"intercept\": 0.0"));
  }
}

TEST_F(CapiEncoding, WhetherARowKeptItsValuesIsToldWhereItIsAskedFor) {
  const auto usable = [&](const Cell& age, const Cell& home, const Cell& buys) {
    encode(age, home, buys);
    return sotto_encoder_usable(encoder_);
  };
  EXPECT_EQ(usable("50", "city", "yes"), 1);
  EXPECT_EQ(usable("old", "city", "yes"), 0);
  EXPECT_EQ(usable(std::nullopt, "city", "yes"), 0);
  EXPECT_EQ(usable("50", "city", "perhaps"), 0);
  EXPECT_EQ(usable("0", "elsewhere", "no"), 1) << "zero, and meant so";
}

TEST_F(CapiEncoding, RowsAreScaledByTheirDeclarations) {
  EXPECT_THAT(encode("50", "farm", "yes"), ElementsAre(0.5F, 0.0F, 1.0F, 1.0F));
  EXPECT_THAT(encode("1000", "moon", "no"), ElementsAre(1.0F, 0.0F, 0.0F, -1.0F));
}

TEST_F(CapiEncoding, WhatIsMissingNotFiniteOrUndeclaredMakesTheZeroRow) {
  for (const auto& row : {encode({}, "farm", "yes"), encode("NaN", "farm", "yes"), encode("Infinity", "city", "no"),
                          encode("50", "farm", "perhaps"), encode("50", "farm", {})}) {
    EXPECT_THAT(row, ElementsAre(0.0F, 0.0F, 0.0F, 1.0F));
  }
}

TEST_F(CapiEncoding, TheFingerprintIsOfTheMultisetOfRows) {
  sotto_encoder* other = make();
  encode("1", "city", "yes");
  encode("2", "farm", "no");
  encode("2", "farm", "no");
  encode(other, "2", "farm", "no");
  encode(other, "1", "city", "yes");
  EXPECT_NE(fingerprint(encoder_), fingerprint(other));
  encode(other, "2", "farm", "no");
  EXPECT_EQ(fingerprint(encoder_), fingerprint(other));
  encode(other, {}, "farm", "no");
  encode("", "farm", "no");
  EXPECT_NE(fingerprint(encoder_), fingerprint(other)) << "a missing value is not an empty one";
  sotto_encoder_free(other);
}

TEST_F(CapiEncoding, TheFingerprintDoesNotDependOnTheOrderOfTheDeclaration) {
  const char* columns[] = {"home", "buys", "age"};
  sotto_encoder* other = nullptr;
  sotto_error error{};
  ASSERT_EQ(sotto_encoder_new(schema(kFeatures, kOptions).c_str(), columns, 3, SOTTO_LABEL_REQUIRED, &other, &error),
            SOTTO_OK);
  encode("1", "city", "yes");
  encode(other, "city", "yes", "1");
  EXPECT_EQ(fingerprint(encoder_), fingerprint(other));
  encode("2", "city", "yes");
  encode(other, "yes", "city", "2");
  EXPECT_NE(fingerprint(encoder_), fingerprint(other)) << "which cell is whose does matter";
  sotto_encoder_free(other);
}

TEST_F(CapiEncoding, ARowOfTheOtherShapeIsRefused) {
  const double numbers[] = {1, 2};
  std::vector<float> row(4);
  EXPECT_EQ(sotto_encode_values(encoder_, numbers, 2, {"yes", 3}, row.data(), &row[3]), SOTTO_INVALID_ARGUMENT);
  const std::string declared = schema(R"({"x": {"size": 2, "min": -1, "max": 1}})", kOptions);
  const char* columns[] = {"x", "buys"};
  sotto_encoder* array = nullptr;
  sotto_error error{};
  ASSERT_EQ(sotto_encoder_new(declared.c_str(), columns, 2, SOTTO_LABEL_REQUIRED, &array, &error), SOTTO_OK);
  const sotto_cell cells[] = {{"1", 1}, {"yes", 3}};
  EXPECT_EQ(sotto_encode_cells(array, cells, row.data(), &row[3]), SOTTO_INVALID_ARGUMENT);
  sotto_encoder_free(array);
}

TEST(CapiSchema, SaysWhatMustBeDeclared) {
  EXPECT_THAT(schema(R"({"age": null})", R"({"positive": ["yes"], "negative": ["no"]})"), HasSubstr("bounds"));
  EXPECT_THAT(schema(R"({"x": {"size": 5}})", "{}"), HasSubstr("data_norm"));
  EXPECT_THAT(schema("{}", "{}"), HasSubstr("at least one"));
  EXPECT_THAT(schema("[1]", "{}"), HasSubstr("object"));
  EXPECT_THAT(schema(kFeatures, R"({"colour": 1})"), HasSubstr("colour"));
  EXPECT_THAT(schema(R"({"age": [1, 2, 3]})", "{}"), HasSubstr("min"));
}

TEST(CapiSchema, AnArrayOfAnotherLengthIsTheZeroRow) {
  sotto_encoder* encoder = nullptr;
  sotto_error error{};
  const std::string declared = schema(R"({"x": {"size": 2, "min": -1, "max": 1}})", kOptions);
  ASSERT_EQ(sotto_encoder_new(declared.c_str(), nullptr, 0, SOTTO_LABEL_REQUIRED, &encoder, &error), SOTTO_OK)
      << error.message;
  EXPECT_EQ(sotto_encoder_values(encoder), 2U);
  const double numbers[] = {1, 0, 5};
  std::vector<float> row(2);
  float label = 0;
  ASSERT_EQ(sotto_encode_values(encoder, numbers, 2, {"yes", 3}, row.data(), &label), SOTTO_OK);
  EXPECT_THAT(row, ElementsAre(1.0F, 0.5F));
  for (const std::size_t count : {0U, 1U, 3U}) {
    ASSERT_EQ(sotto_encode_values(encoder, numbers, count, {"no", 2}, row.data(), &label), SOTTO_OK);
    EXPECT_THAT(row, Each(0.0F));
    EXPECT_EQ(label, 1.0F);
  }
  sotto_encoder_free(encoder);
}

TEST_F(CapiEncoding, TellsWhatBecomesOfRowsIfItIsToCount) {
  sotto_text table{};
  sotto_error error{};
  sotto_encoder* counting = make();
  ASSERT_EQ(sotto_encoder_count(counting), SOTTO_OK);
  for (int i = 0; i < 40; ++i) {
    const Cell age = i == 0 ? Cell() : Cell(std::to_string(20 + i));
    EXPECT_EQ(encode(counting, age, "city", i % 2 == 0 ? "yes" : "no"), encode(age, "city", i % 2 == 0 ? "yes" : "no"));
  }
  EXPECT_EQ(fingerprint(counting), fingerprint(encoder_));
  EXPECT_EQ(sotto_encoder_check(counting, &table, &error), SOTTO_OK) << error.message;
  EXPECT_THAT(table.data, HasSubstr("not for release"));
  EXPECT_THAT(table.data, HasSubstr("1 (2.5 %), made zero"));
  EXPECT_THAT(table.data, HasSubstr("1 empty cell"));
  sotto_text_free(&table);
  sotto_encoder_free(counting);
}

TEST_F(CapiEncoding, RefusesLabelsThatNobodyDeclared) {
  sotto_text table{};
  sotto_error error{};
  ASSERT_EQ(sotto_encoder_count(encoder_), SOTTO_OK);
  for (int i = 0; i < 10; ++i) encode("30", "city", "true");
  EXPECT_EQ(sotto_encoder_check(encoder_, &table, &error), SOTTO_INVALID_DATA);
  EXPECT_THAT(error.message, HasSubstr("column 'buys' holds no label that is declared"));
  EXPECT_THAT(error.hint, HasSubstr("Those of a boolean are true and false"));
  EXPECT_THAT(table.data, HasSubstr("10 (100 %), made zero"));
  sotto_text_free(&table);
}

}  // namespace
}  // namespace sotto
