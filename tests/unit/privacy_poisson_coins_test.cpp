// The rows of Poisson batches: sizes against exact chances, sets against independent coins.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/poisson_coins.h"

namespace sotto {
namespace {

using boost::multiprecision::cpp_int;

cpp_int integer(const PoissonCoins::Fraction& fraction) { return (cpp_int(fraction[0]) << 64) + fraction[1]; }

/// floor(2^128 P(Binomial(rows, rate) <= k)) for k = 0 to rows, in integers throughout.
std::vector<cpp_int> exact_thresholds(double rate, unsigned rows) {
  const auto in = static_cast<std::uint64_t>(std::ldexp(rate, 64));
  const cpp_int one = cpp_int(1) << 64, out = one - in;
  std::vector<cpp_int> found;
  cpp_int below = 0, ways = 1;
  for (unsigned k = 0; k <= rows; ++k) {
    below += ways * pow(cpp_int(in), k) * pow(out, rows - k);
    found.push_back((below << 128) >> (64 * rows));
    ways = ways * (rows - k) / (k + 1);
  }
  return found;
}

TEST(PoissonCoins, ThresholdsAreTheExactChancesOfTheSizes) {
  for (const unsigned rows : {1U, 2U, 7U, 64U, 130U, 400U}) {
    for (const double rate : {0x1p-64, 1e-9, 0.01, 1.0 / 3, 0.5, 0.9, 1 - 0x1p-53}) {
      const PoissonCoins coins(exact_rate(rate), rows);
      const std::vector<cpp_int> exact = exact_thresholds(exact_rate(rate), rows);
      const cpp_int all = cpp_int(1) << 128;
      EXPECT_TRUE(std::ranges::is_sorted(coins.thresholds())) << rows << " rows at " << rate;
      for (std::uint64_t k = 0; k <= rows; ++k) {
        const std::uint64_t end = coins.least() + coins.thresholds().size();
        const cpp_int held = k < coins.least() ? cpp_int(0)
                             : k < end         ? integer(coins.thresholds()[k - coins.least()])
                                               : all;
        EXPECT_LE(abs(held - exact[k]), 1) << rows << " rows at " << rate << ", size " << k;
      }
    }
  }
}

TEST(PoissonCoins, ThresholdsOfManyRowsFollowTheBinomialLaw) {
  for (const auto& [rows, rate] : std::vector<std::pair<std::uint64_t, double>>{
           {200000, 1.0 / 200000}, {1000000, 0.001}, {10000000000, 5e-8}, {std::uint64_t{1} << 40, 1e-9}}) {
    const PoissonCoins coins(exact_rate(rate), rows);
    const boost::math::binomial_distribution<long double> law(static_cast<long double>(rows), exact_rate(rate));
    ASSERT_LT(coins.thresholds().size(), 40 * std::sqrt(static_cast<double>(rows) * rate) + 200);
    for (std::size_t i = 0; i < coins.thresholds().size(); i += 1 + i / 8) {
      const long double held = std::ldexp(static_cast<long double>(coins.thresholds()[i][0]), -64);
      EXPECT_LE(std::fabs(held - cdf(law, static_cast<long double>(coins.least() + i))), 1e-9L);
    }
  }
}

TEST(PoissonCoins, TheDistanceCoversEveryThreshold) {
  const PoissonCoins coins(exact_rate(0.2), 5000);
  const double sizes = static_cast<double>(coins.thresholds().size());
  EXPECT_GE(coins_distance(sizes), std::ldexp(sizes, -128));
  EXPECT_LE(coins_distance(sizes), std::ldexp(2 * sizes, -128));
}

/// Chi-square of counts against expectations, as the chance of so much or more; cells of less than 8 are put together.
double chance_of(const std::vector<double>& seen, const std::vector<double>& expected) {
  double sum = 0, rest_seen = 0, rest = 0, cells = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    rest_seen += seen[i], rest += expected[i];
    if (rest < 8) continue;
    sum += std::pow(rest_seen - rest, 2) / rest, cells += 1;
    rest_seen = rest = 0;
  }
  return cells < 2 ? 1 : cdf(complement(boost::math::chi_squared(cells - 1), sum));
}

struct Tally {
  std::vector<double> sizes, rows, pairs;  // pairs: of neighbours, the last with the first
  double again = 0;                        // the last row in two batches running
};

/// Checks the shape of every batch on the way.
Tally tally(double rate, std::uint64_t rows, int batches) {
  BitSource bits(ReproducibleSeed{11});
  const PoissonCoins coins(exact_rate(rate), rows);
  Tally tally{std::vector<double>(rows + 1), std::vector<double>(rows), std::vector<double>(rows), 0};
  bool before = false;
  for (int i = 0; i < batches; ++i) {
    const std::vector<std::uint64_t> batch = coins.draw(bits);
    std::vector<bool> in(rows);
    EXPECT_TRUE(std::ranges::adjacent_find(batch, std::greater_equal{}) == batch.end()) << "ascends, none twice";
    for (const std::uint64_t row : batch) in.at(row) = true;
    tally.sizes[batch.size()] += 1;
    for (std::uint64_t row = 0; row < rows; ++row) {
      tally.rows[row] += in[row];
      tally.pairs[row] += in[row] && in[(row + 1) % rows];
    }
    tally.again += before && in[rows - 1];
    before = in[rows - 1];
  }
  return tally;
}

// 150 rows at 0.9, 0.3 and 0.02: sets by those left out and by marks; 700 rows at 0.004: by sorting.
TEST(PoissonCoins, SetsAreThoseOfIndependentCoins) {
  constexpr int kBatches = 40000;
  for (const auto& [rows, rate] :
       std::vector<std::pair<std::uint64_t, double>>{{150, 0.02}, {150, 0.3}, {150, 0.9}, {700, 0.004}, {5, 0.5}}) {
    const Tally seen = tally(rate, rows, kBatches);
    std::vector<double> sizes;
    const boost::math::binomial law(static_cast<double>(rows), rate);
    for (std::uint64_t k = 0; k <= rows; ++k) sizes.push_back(kBatches * pdf(law, static_cast<double>(k)));
    EXPECT_GT(chance_of(seen.sizes, sizes), 1e-4) << rate;
    // Rows are independent, so their counts have the variance of one coin each: out of (1 - rate) of a Poisson's.
    const auto scaled = [&](std::vector<double> counts, double share) {
      const double mean = kBatches * share, spread = std::sqrt(1 - share);
      for (double& count : counts) count = mean + (count - mean) / spread;
      counts.push_back(mean);  // no sum is given
      return chance_of(counts, std::vector<double>(counts.size(), mean));
    };
    EXPECT_GT(scaled(seen.rows, rate), 1e-4) << rate << ", every row";
    const double row_spread = std::sqrt(rate * (1 - rate) / kBatches);
    for (const double row : seen.rows) EXPECT_NEAR(row / kBatches, rate, 6 * row_spread) << rate << ", each row";
    EXPECT_NEAR(std::accumulate(seen.pairs.begin(), seen.pairs.end(), 0.0) / kBatches,
                static_cast<double>(rows) * rate * rate,
                5 * std::sqrt(static_cast<double>(rows) * 3 / kBatches) * rate);
    EXPECT_NEAR(seen.again / kBatches, rate * rate, 5 * rate / std::sqrt(kBatches)) << "batches are independent";
    const double pair_spread = std::sqrt(rate * rate * (1 - rate * rate) / kBatches);
    for (const double pairs : seen.pairs) EXPECT_NEAR(pairs / kBatches, rate * rate, 5 * pair_spread) << rate;
  }
}

TEST(PoissonCoins, EdgesOfRowsAndRates) {
  BitSource bits(ReproducibleSeed{1});
  EXPECT_TRUE(PoissonCoins(0.5, 0).draw(bits).empty());
  EXPECT_TRUE(PoissonCoins(1, 0).draw(bits).empty());
  EXPECT_EQ(PoissonCoins(1, 1).draw(bits), std::vector<std::uint64_t>{0});
  const std::vector<std::uint64_t> all = PoissonCoins(1, 130).draw(bits);
  ASSERT_EQ(all.size(), 130U);
  EXPECT_EQ(all.back(), 129U);
  double heads = 0;
  for (int i = 0; i < 4000; ++i) heads += static_cast<double>(PoissonCoins(0.25, 1).draw(bits).size());
  EXPECT_NEAR(heads, 1000, 140);
  const PoissonCoins rare(0x1p-64, 10000000000), common(1 - 0x1p-53, 1000);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(rare.draw(bits).empty());
    EXPECT_EQ(common.draw(bits).size(), 1000U);
  }
  EXPECT_THROW(PoissonCoins(0, 10), Error);
}

TEST(PoissonCoins, RatesAreMultiplesOfTheCoinAndNeverSmallerThanAsked) {
  for (const double rate : {1e-12, 1e-6, 0.1, 1.0 / 3, 1.0}) {
    const double exact = exact_rate(rate);
    EXPECT_GE(exact, rate);
    EXPECT_LE(exact, rate + 0x1p-64);
    EXPECT_EQ(std::ldexp(exact, 64), std::floor(std::ldexp(exact, 64)));
  }
}

TEST(PoissonCoins, BatchesNeverRepeatAcrossSources) {
  BitSource one, other;
  const PoissonCoins coins(0.5, 256);
  EXPECT_NE(coins.draw(one), coins.draw(other));
  EXPECT_NE(coins.draw(one), coins.draw(one));
}

}  // namespace
}  // namespace sotto
