#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "data_testing.h"
#include "sotto/data/clip.h"
#include "sotto/data/encoder.h"
#include "sotto/data/row_encoder.h"
#include "sotto/files/csv_reader.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

/// In 80-bit arithmetic: the measuring stick must be finer than what it measures.
long double norm_of(std::span<const float> row) {
  long double sum = 0;
  for (const float value : row) sum += static_cast<long double>(value) * static_cast<long double>(value);
  return std::sqrt(sum);
}

/// Finite numbers of every size, from the smallest denormal to the largest, by random bits.
double draw_any_double(BitSource& bits) {
  while (true) {
    const auto value = std::bit_cast<double>(bits.next());
    if (std::isfinite(value)) return value;
  }
}

/// Rows whose entries have comparable size, at a random size of the whole.
std::vector<double> draw_row(BitSource& bits, std::size_t size) {
  std::vector<double> row(size);
  draw_normal(bits, row);
  const int exponent = static_cast<int>(draw_below(bits, 2000)) - 1000;
  for (double& value : row) value = std::ldexp(value, exponent);
  if (draw_below(bits, 4) == 0) row[draw_below(bits, size)] = draw_any_double(bits);
  return row;
}

TEST(Clip, NoStoredRowIsLongerThanTheDeclaredNorm) {
  BitSource bits{ReproducibleSeed{11}};
  for (int trial = 0; trial < 20000; ++trial) {
    const std::vector<double> row = draw_row(bits, 1 + draw_below(bits, 40));
    const double bound = std::ldexp(1.0 + draw_uniform(bits), static_cast<int>(draw_below(bits, 190)) - 95);
    std::vector<float> stored(row.size());
    ASSERT_TRUE(clip_and_store(row, bound, stored));
    ASSERT_LE(norm_of(stored), static_cast<long double>(bound) * static_cast<long double>(kNormSlack));
  }
}

TEST(Clip, LongRowsAreHeldToTheNormWhateverTheirRounding) {
  // Ones, and behind them squares that any addition to 1 rounds away: one by one, or in sixteen sums.
  for (const std::size_t ones : {1U, 16U}) {
    std::vector<float> row(std::size_t{1} << 22U, std::nextafter(0x1.6a09e6p-27F, 0.0F));
    std::fill_n(row.begin(), ones, 1.0F);
    const double seen = std::sqrt(static_cast<double>(ones));
    ASSERT_GT(norm_of(row), seen * (1 + 0x1p-37L));
    const double bound = seen / kNormSlack;
    ASSERT_TRUE(enforce_norm(row, bound));
    EXPECT_LE(norm_of(row), static_cast<long double>(bound) * static_cast<long double>(kNormSlack));
    EXPECT_GE(norm_of(row), static_cast<long double>(bound) * (1 - 0x1p-20L));
  }
}

TEST(Clip, ALongRowThatWasClippedIsLeftAsItIs) {
  std::vector<double> row(std::size_t{1} << 20U);
  BitSource bits{ReproducibleSeed{19}};
  draw_normal(bits, row);
  std::vector<float> stored(row.size());
  ASSERT_TRUE(clip_and_store(row, 1.5, stored));
  const std::vector<float> before = stored;
  ASSERT_TRUE(enforce_norm(stored, 1.5));
  EXPECT_EQ(stored, before);
}

TEST(Clip, ALongRowEndsOnTheSphereInItsOwnDirection) {
  BitSource bits{ReproducibleSeed{12}};
  for (int trial = 0; trial < 5000; ++trial) {
    std::vector<double> row(5);
    draw_normal(bits, row);
    const int exponent = 10 + static_cast<int>(draw_below(bits, 1000));
    for (double& value : row) value = std::ldexp(value, exponent);
    std::vector<float> stored(row.size());
    ASSERT_TRUE(clip_and_store(row, 2.0, stored));
    ASSERT_NEAR(static_cast<double>(norm_of(stored)), 2.0, 1e-6);
    const double length = safe_norm(row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double expected = 2.0 * (row[i] / length);
      ASSERT_NEAR(stored[i], expected, 1e-7 + 1e-7 * std::abs(expected));
    }
  }
}

TEST(Clip, ARowInsideTheBallIsOnlyRounded) {
  const std::vector<double> row = {0.1, -0.2, 1e-42, 0.0};
  std::vector<float> stored(4);
  ASSERT_TRUE(clip_and_store(row, 1.0, stored));
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(stored[i], static_cast<float>(row[i]));
}

TEST(Clip, ANonFiniteEntryMakesTheRowZeroWhereverItStands) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    for (std::size_t place = 0; place < 3; ++place) {
      std::vector<double> row = {1, 2, 3};
      row[place] = bad;
      std::vector<float> stored(3, 9.0F);
      EXPECT_FALSE(clip_and_store(row, 1.0, stored));
      EXPECT_EQ(stored, (std::vector<float>(3, 0.0F)));
      std::vector<float> floats(row.begin(), row.end());
      EXPECT_FALSE(enforce_norm(floats, 1.0));
      EXPECT_EQ(floats, (std::vector<float>(3, 0.0F)));
    }
  }
}

TEST(Clip, EntryToAStoreLeavesClippedRowsAloneAndShortensOthers) {
  BitSource bits{ReproducibleSeed{13}};
  for (int trial = 0; trial < 5000; ++trial) {
    const std::vector<double> row = draw_row(bits, 1 + draw_below(bits, 40));
    std::vector<float> stored(row.size());
    ASSERT_TRUE(clip_and_store(row, 1.0, stored));
    std::vector<float> again = stored;
    ASSERT_TRUE(enforce_norm(again, 1.0));
    ASSERT_EQ(again, stored);
  }
  std::vector<float> little_over = {1.00001F, 0.0F};
  EXPECT_TRUE(enforce_norm(little_over, 1.0));
  EXPECT_LE(norm_of(little_over), 1.0L + 0x1p-20L);
  const float largest = std::numeric_limits<float>::max();
  std::vector<float> row = {largest, -largest, largest, 1e-45F};
  EXPECT_TRUE(enforce_norm(row, 1.0));
  EXPECT_LE(norm_of(row), 1.0L + 0x1p-20L);
  EXPECT_GT(norm_of(row), 0.999999L);
  EXPECT_EQ(row[0], -row[1]);
}

std::vector<float> encode_values(const std::vector<double>& row, const Encoder& encoder) {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) text += "c" + std::to_string(i) + ",";
  text += "y\n";
  std::array<char, 64> digits{};
  for (const double value : row) {
    std::snprintf(digits.data(), digits.size(), "%.17g,", value);
    text += digits.data();
  }
  text += "1\n";
  CsvReader reader(std::make_unique<MemorySource>(text), CsvLayout{});
  RowEncoder rows(encoder, reader);
  RawRow raw;
  EncodedRow encoded;
  EXPECT_TRUE(reader.next(raw));
  rows.encode(raw, encoded);
  return encoded.values;
}

Encoder unscaled_encoder(std::size_t size, double data_norm, Reduction reduction, double intercept) {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.label.column = "y";
  schema.data_norm = data_norm;
  schema.projection = reduction;
  schema.intercept = intercept;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size; ++i) names.push_back("c" + std::to_string(i));
  names.push_back("y");
  return Encoder(complete_schema(schema, names));
}

TEST(Clip, TheBoundHoldsAfterInterceptAndProjectionOfRowsOfAnySize) {
  BitSource bits{ReproducibleSeed{14}};
  constexpr std::size_t kSize = 7;
  for (const double data_norm : {1.0, 0.3, 1e-20, 1e20}) {
    for (const Reduction& reduction :
         {Reduction{NoProjection{}}, Reduction{GaussianProjection{3, 5}}, Reduction{ChooseFeatures{4, 5}}}) {
      const Encoder encoder = unscaled_encoder(kSize, data_norm, reduction, 1.0);
      for (int trial = 0; trial < 300; ++trial) {
        const std::vector<float> stored = encode_values(draw_row(bits, kSize), encoder);
        ASSERT_EQ(stored.size(), encoder.features());
        ASSERT_LE(norm_of(stored), static_cast<long double>(data_norm) * static_cast<long double>(kNormSlack));
      }
    }
  }
}

TEST(Clip, AProjectedRowOfAnySizeKeepsItsDirection) {
  const Encoder encoder = unscaled_encoder(3, 1.0, GaussianProjection{4, 9}, 0.0);
  const std::vector<float> small = encode_values({30, -20, 10}, encoder);
  for (const double size : {1e3, 1e38, 1e150, 1e200, 1e306}) {
    const std::vector<float> large = encode_values({30 * size, -20 * size, 10 * size}, encoder);
    for (std::size_t i = 0; i < small.size(); ++i) EXPECT_NEAR(large[i], small[i], 2e-7);
  }
}

TEST(Clip, AProjectionOfTheLargestNumbersDoesNotOverflow) {
  constexpr std::size_t kSize = 40;
  const Encoder encoder = unscaled_encoder(kSize, 1.0, GaussianProjection{4, 9}, 0.0);
  const std::vector<float> small = encode_values(std::vector<double>(kSize, 1e3), encoder);
  const std::vector<float> large = encode_values(std::vector<double>(kSize, 1.7e308), encoder);
  EXPECT_GT(norm_of(large), 0.999L);
  for (std::size_t i = 0; i < small.size(); ++i) EXPECT_NEAR(large[i], small[i], 2e-7);
}

}  // namespace
}  // namespace sotto
