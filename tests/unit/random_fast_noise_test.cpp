#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/random/grid_noise.h"
#include "sotto/random/noise_kernels.h"

namespace sotto {
namespace {

TEST(FastNoise, NormalsAreTheBoxMullerOfTheirBitsToFloatGrade) {
  BitSource bits(ReproducibleSeed{61});
  for (const std::size_t pairs : {1U, 15U, 16U, 17U, 100U, 1000U}) {
    std::vector<std::uint64_t> words(pairs + 8);
    bits.fill(words);
    std::vector<std::uint32_t> digits(2 * pairs);
    for (std::size_t i = 0; i < digits.size(); ++i)
      digits[i] = static_cast<std::uint32_t>(words[i / 2] >> (32 * (i % 2)));
    std::vector<float> cosines(pairs + kNormalSlack), sines(pairs + kNormalSlack);
    make_fast_pairs(std::span(words).first(pairs), cosines.data(), sines.data());
    for (std::size_t i = 0; i < pairs; ++i) {
      const double u = ((digits[i] & 0x7fffffff) + 0.5) * 0x1p-31;
      const double turn = static_cast<double>(digits[pairs + i]) * 0x1p-32;
      const double radius = std::sqrt(-2.0 * std::log(u));
      EXPECT_NEAR(static_cast<double>(cosines[i]), radius * std::cos(2.0 * M_PI * turn), 4e-6);
      EXPECT_NEAR(static_cast<double>(sines[i]), radius * std::sin(2.0 * M_PI * turn), 4e-6);
    }
  }
}

TEST(FastNoise, TheEndsOfTheUniformGiveFiniteNormals) {
  // u all zeros, u all ones; every quarter turn.
  std::vector<std::uint32_t> digits = {0, 0x80000000, 0x7fffffff, 0xffffffff, 0, 1u << 30, 2u << 30, 3u << 30};
  std::vector<std::uint64_t> words(4 + 8, 0);
  for (std::size_t i = 0; i < 8; ++i) words[i / 2] |= std::uint64_t{digits[i]} << (32 * (i % 2));
  std::vector<float> cosines(4 + kNormalSlack), sines(4 + kNormalSlack);
  make_fast_pairs(std::span(words).first(4), cosines.data(), sines.data());
  EXPECT_NEAR(cosines[0], 6.66f, 0.02f);
  EXPECT_NEAR(sines[1], 6.66f, 0.02f);
  EXPECT_NEAR(cosines[2], 0.0f, 1e-3f);
  EXPECT_NEAR(sines[3], 0.0f, 1e-3f);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isfinite(cosines[i]) && std::isfinite(sines[i]));
}

TEST(FastNoise, WrongArgumentsAreRefused) {
  BitSource bits(ReproducibleSeed{62});
  std::vector<double> out(7);
  for (const double scale : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(draw_gaussian_fast(bits, scale, out), Error);
    EXPECT_THROW(draw_l2_laplace_fast(bits, scale, out), Error);
  }
  EXPECT_THROW(draw_l2_laplace_fast(bits, 1.0, 3, out), Error);
  EXPECT_THROW(draw_l2_laplace_fast(bits, 1.0, 0, out), Error);
  draw_gaussian_fast(bits, 1.0, {});
  draw_l2_laplace_fast(bits, 1.0, {});
}

}  // namespace
}  // namespace sotto
