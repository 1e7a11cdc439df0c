#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/random/grid_noise.h"
#include "sotto/random/noise_kernels.h"

namespace sotto {
namespace {

/// A word for each pair, as make_fast_pairs() reads them: every u, then every v.
std::vector<std::uint64_t> words_of(const std::vector<std::uint32_t>& digits) {
  std::vector<std::uint64_t> words(digits.size() / 2 + 8);
  for (std::size_t i = 0; i < digits.size(); ++i) words[i / 2] |= std::uint64_t{digits[i]} << (32 * (i % 2));
  return words;
}

/// sqrt(-2 ln u) (cosine, sine) of an angle of v quarter turns from 0, -1/2 <= v < 1/2; the cosine's sign and which of
/// the two comes first are the leading bits.
std::pair<double, double> exact_pair(std::uint32_t u_digits, std::uint32_t v_digits) {
  const double u = ((u_digits & 0x7fffffff) + 0.5) * 0x1p-31;
  const std::int32_t low = static_cast<std::int32_t>(v_digits << 2) >> 2;
  const double angle = 0.5 * M_PI * static_cast<double>(low) * 0x1p-30;
  const double radius = std::sqrt(-2.0 * std::log(u));
  const double cosine = radius * std::cos(angle) * ((v_digits >> 31) != 0 ? -1.0 : 1.0);
  const double sine = radius * std::sin(angle);
  return (v_digits >> 30 & 1) != 0 ? std::pair(sine, cosine) : std::pair(cosine, sine);
}

TEST(FastNoise, NormalsAreTheBoxMullerOfTheirBitsToFloatGrade) {
  BitSource bits(ReproducibleSeed{61});
  for (const std::size_t pairs : {1U, 15U, 16U, 17U, 100U, 1000U}) {
    std::vector<std::uint32_t> digits(2 * pairs);
    for (std::uint32_t& d : digits) d = static_cast<std::uint32_t>(bits.next());
    const auto words = words_of(digits);
    std::vector<float> normals(2 * pairs + kNormalSlack);
    make_fast_pairs(std::span(words).first(pairs), normals.data(), normals.data() + pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto [first, second] = exact_pair(digits[i], digits[pairs + i]);
      EXPECT_NEAR(static_cast<double>(normals[i]), first, 4e-6);
      EXPECT_NEAR(static_cast<double>(normals[pairs + i]), second, 4e-6);
    }
  }
}

TEST(FastNoise, TheEndsOfTheUniformGiveFiniteNormals) {
  // u all zeros, u all ones; every choice of sign and place.
  const auto words = words_of({0, 0x80000000, 0x7fffffff, 0xffffffff, 0, 1U << 30, 2U << 30, 3U << 30});
  std::vector<float> normals(8 + kNormalSlack);
  make_fast_pairs(std::span(words).first(4), normals.data(), normals.data() + 4);
  EXPECT_NEAR(normals[0], 6.66F, 0.02F);
  EXPECT_NEAR(normals[5], 6.66F, 0.02F);
  EXPECT_NEAR(normals[2], 0.0F, 1e-3F);
  EXPECT_NEAR(normals[7], 0.0F, 1e-3F);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(std::isfinite(normals[i]));
}

TEST(FastNoise, NormalsOfOneDrawDoNotRepeat) {
  // Chunks end where the source's buffer ends; what one writes behind its end must not stay.
  BitSource bits(ReproducibleSeed{63});
  for (const std::size_t count : {1U, 2U, 33U, 2047U, 5001U}) {
    std::vector<float> normals(count + kFactoredSlack);
    std::vector<double> factors(1);
    for (int i = 0; i < 20; ++i) {
      draw_gaussian_fast(bits, 1.0, {std::span(normals).first(count), factors});
      const std::set<float> different(normals.begin(), normals.begin() + static_cast<std::ptrdiff_t>(count));
      EXPECT_GE(different.size() + 8, count) << "a repeated chunk would leave out more";
    }
  }
}

TEST(FastNoise, WrongArgumentsAreRefused) {
  BitSource bits(ReproducibleSeed{62});
  std::vector<float> normals(7 + kFactoredSlack);
  std::vector<double> factors(3);
  const FactoredNoise vectors{std::span(normals).first(6), factors};
  for (const double scale : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(draw_gaussian_fast(bits, scale, vectors), Error);
    EXPECT_THROW(draw_l2_laplace_fast(bits, scale, vectors), Error);
  }
  EXPECT_THROW(draw_l2_laplace_fast(bits, 1.0, {std::span(normals).first(7), factors}), Error);
  EXPECT_THROW(draw_l2_laplace_fast(bits, 1.0, {std::span(normals).first(7), {}}), Error);
  EXPECT_THROW(draw_gaussian_fast(bits, 1.0, {{}, factors}), Error);
  draw_gaussian_fast(bits, 1.0, {});
  draw_l2_laplace_fast(bits, 1.0, {});
}

}  // namespace
}  // namespace sotto
