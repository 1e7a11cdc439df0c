#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sotto/random/lazy_normal.h"
#include "sotto/random/noise_kernels.h"

namespace sotto {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 48;

/// Words that hold the given leading digits, in the layout of PairBits.
std::vector<std::uint64_t> pack(const std::vector<std::uint64_t>& u, const std::vector<std::uint64_t>& v) {
  const std::size_t pairs = u.size();
  std::vector<std::uint64_t> words(PairBits::words_for(pairs) + PairBits::kSlackBytes / 8, ~std::uint64_t{0});
  for (std::size_t i = 0; i < pairs; ++i) {
    words[i] = u[i] << 16 | v[i] >> 32;
    const auto half = static_cast<std::uint32_t>(v[i]);
    std::memcpy(reinterpret_cast<char*>(words.data() + pairs) + 4 * i, &half, 4);
  }
  const PairBits bits{words.data(), pairs};
  for (std::size_t i = 0; i < pairs; ++i) {
    EXPECT_EQ(bits.u(i), u[i]);
    EXPECT_EQ(bits.v(i), v[i]);
  }
  return words;
}

/// The largest distance to the exact normals when the digits that follow are all zeros, or all ones.
double distance(std::uint64_t u, std::uint64_t v, double cosine, double sine) {
  double worst = 0.0;
  for (int ones = 0; ones < 4; ++ones) {
    LazyPair pair(u, v);
    pair.u.known = pair.v.known = 3;
    pair.u.more.fill(ones % 2 == 0 ? 0 : ~std::uint64_t{0});
    pair.v.more.fill(ones / 2 == 0 ? 0 : ~std::uint64_t{0});
    const auto exact = pair.precise();
    worst = std::max({worst, static_cast<double>(abs(Precise(exact.first - cosine))),
                      static_cast<double>(abs(Precise(exact.second - sine)))});
  }
  return worst;
}

std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

TEST(NoiseKernels, NormalsAreWithinTheirErrorOverTheWholeRange) {
  std::vector<std::uint64_t> u = {
      std::uint64_t{1} << 36, kOne - (std::uint64_t{1} << 35) - 1, kOne / 2, kOne / 2 - 1, 0xb504f333f9de,
      0xb504f333f9df};
  std::vector<std::uint64_t> v = {0, kOne - 1, kOne / 8, kOne / 8 - 1, 3 * kOne / 8, 5 * kOne / 8 - 1};
  for (std::uint64_t i = 1; i <= 1500; ++i) {
    u.push_back((std::uint64_t{1} << 36) + scramble(i) % (kOne - (std::uint64_t{3} << 35)));
    v.push_back(scramble(i + 5000) >> 16);
  }
  for (std::uint64_t i = 1; i <= 300; ++i) {  // the ends, where r changes fastest
    u.push_back((std::uint64_t{1} << 36) + scramble(i) % (std::uint64_t{1} << 36));
    v.push_back(scramble(i + 6000) >> 16);
    u.push_back(kOne - (std::uint64_t{1} << 35) - 1 - scramble(i) % (std::uint64_t{1} << 36));
    v.push_back(scramble(i + 7000) >> 16);
  }
  const auto words = pack(u, v);
  std::vector<double> cosines(u.size() + kNormalSlack), sines(u.size() + kNormalSlack);
  make_pairs({words.data(), u.size()}, cosines.data(), sines.data());
  double worst = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    worst = std::max(worst, distance(u[i], v[i], cosines[i], sines[i]));
  }
  EXPECT_LT(worst, kPairError);
  EXPECT_GT(worst, 0.05 * kPairError) << "the bound is far too cautious";
}

TEST(NoiseKernels, NormalsOutsideTheRangeAreNotANumber) {
  const std::vector<std::uint64_t> u = {0, (std::uint64_t{1} << 36) - 1, kOne - (std::uint64_t{1} << 35), kOne - 1,
                                        kOne / 2};
  const auto words = pack(u, std::vector<std::uint64_t>(5, 12345));
  std::vector<double> cosines(5 + kNormalSlack), sines(5 + kNormalSlack);
  make_pairs({words.data(), 5}, cosines.data(), sines.data());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(std::isnan(cosines[i]), i != 4);
    EXPECT_EQ(std::isnan(sines[i]), i != 4);
  }
}

TEST(NoiseKernels, PairsInBinary64AreWithinTheirError) {
  double worst = 0.0;
  std::vector<std::uint64_t> leads = {1, 2, 3, kOne - 2, kOne - 3, kOne / 2, kOne / 2 - 1};
  for (std::uint64_t i = 0; i < 1000; ++i) leads.push_back(scramble(i) >> (16 + i % 40));
  for (std::uint64_t i = 0; i < 200; ++i) leads.push_back(kOne - 2 - (scramble(i) >> (17 + i % 40)));
  for (std::size_t i = 0; i < leads.size(); ++i) {
    LazyPair pair(std::max<std::uint64_t>(1, leads[i]), scramble(i + 31) >> 16);
    pair.u.known = pair.v.known = 3;
    for (std::uint64_t k = 0; k < 3; ++k) {
      pair.u.more[k] = scramble(3 * i + k + 1000000);
      pair.v.more[k] = scramble(3 * i + k + 2000000);
    }
    const LazyPair::Rounded rounded = pair.rounded();
    const auto exact = pair.precise();
    worst = std::max({worst, static_cast<double>(abs(Precise(exact.first - rounded.cosine))) / rounded.error,
                      static_cast<double>(abs(Precise(exact.second - rounded.sine))) / rounded.error});
  }
  EXPECT_LT(worst, 1.0);
  EXPECT_GT(worst, 0.01);
}

TEST(NoiseKernels, RoundingMarksPairsThatAreCloseOrNotANumber) {
  const std::vector<double> cosines = {1.0, 1.4999, 1.49, -2.51, -2.5001, 0.5, std::nan(""), 0.0, -0.2};
  const std::vector<double> sines = {-1e9, 0.5, -0.49, 0x1p50 - 1.0, 3.25, 7.0, -HUGE_VAL, 1.25, 0.5};
  const auto padded = [](std::vector<double> x) {
    x.resize(x.size() + kNormalSlack, 0.5);
    return x;
  };
  std::vector<double> noise(17);  // the last sine is not asked for
  std::vector<std::uint16_t> doubtful(9);
  const std::size_t count =
      round_pairs(padded(cosines).data(), padded(sines).data(), {1.0, 0.499}, noise, doubtful.data());
  doubtful.resize(count);
  EXPECT_EQ(doubtful, (std::vector<std::uint16_t>{1, 4, 5, 6}));
  for (const std::size_t i : {0U, 2U, 3U, 7U, 8U}) {
    EXPECT_EQ(noise[i], std::nearbyint(cosines[i]));
    if (i < 8) {
      EXPECT_EQ(noise[9 + i], std::nearbyint(sines[i]));
    }
  }
}

TEST(NoiseKernels, RoundingToAUnitIsRoundingToIntegersInThatUnit) {
  for (std::size_t n = 1; n < 60; ++n) {
    std::vector<double> cosines, sines;
    for (std::size_t i = 0; i < n + kNormalSlack; ++i) {
      cosines.push_back(static_cast<double>(scramble(i) >> 11) * 0x1p-50 - 4.0);
      sines.push_back(i % 19 == 18 ? std::nan("") : static_cast<double>(scramble(i + 99) >> 11) * 0x1p-50 - 4.0);
    }
    std::vector<double> whole(n), halves(n);
    std::vector<std::uint16_t> doubtful(n), same(n);
    const std::size_t count = round_pairs(cosines.data(), sines.data(), {10.0, 0.45}, whole, doubtful.data());
    EXPECT_EQ(round_pairs(cosines.data(), sines.data(), {5.0, 0.225, 0.5}, halves, same.data()), count);
    EXPECT_EQ(doubtful, same);
    std::size_t next = 0;
    for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
      const bool has_sine = (n + 1) / 2 + i < n;
      const auto far = [](double x) { return std::abs(x - std::nearbyint(x)) < 0.45; };
      if (!far(10.0 * cosines[i]) || (has_sine && !far(10.0 * sines[i]))) {
        ASSERT_LT(next, count);
        EXPECT_EQ(doubtful[next++], i);
        continue;
      }
      EXPECT_EQ(whole[i], std::nearbyint(10.0 * cosines[i]));
      EXPECT_EQ(halves[i], 0.5 * whole[i]);
      if (has_sine) {
        EXPECT_EQ(whole[(n + 1) / 2 + i], std::nearbyint(10.0 * sines[i]));
      }
    }
    EXPECT_EQ(next, count);
  }
}

TEST(NoiseKernels, ALimitBelowZeroMarksEveryPair) {
  for (std::size_t n = 1; n < 40; ++n) {
    const std::vector<double> zeros(n + kNormalSlack, 0.0);
    std::vector<double> noise(n);
    std::vector<std::uint16_t> doubtful(n);
    EXPECT_EQ(round_pairs(zeros.data(), zeros.data(), {1.0, -1.0}, noise, doubtful.data()), (n + 1) / 2);
    EXPECT_EQ(round_pairs(zeros.data(), zeros.data(), {1.0, 0.4}, noise, doubtful.data()), 0U);
  }
}

}  // namespace
}  // namespace sotto
