#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sotto/random/permutation.h"
#include "unit/random_checks.h"

namespace sotto {
namespace {

constexpr KeyedPermutation::Key kKey = {0x0123456789abcdef, 2, 3, 4};

std::vector<std::uint64_t> image(const KeyedPermutation& permutation) {
  std::vector<std::uint64_t> out(permutation.size());
  for (std::uint64_t i = 0; i < permutation.size(); ++i) out[i] = permutation(i);
  return out;
}

double fixed_points(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  double same = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
  return same;
}

TEST(KeyedPermutation, IsABijectionForEverySize) {
  std::vector<std::uint64_t> sizes = {4095, 4096, 4097, 65535, 65536, 65537, 300000};
  for (std::uint64_t n = 1; n <= 1000; ++n) sizes.push_back(n);
  for (const std::uint64_t n : sizes) {
    const KeyedPermutation permutation(kKey, n, n);
    std::vector<char> hit(n, 0);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t to = permutation(i);
      ASSERT_LT(to, n);
      ASSERT_EQ(hit[to], 0) << n;
      hit[to] = 1;
    }
  }
}

TEST(KeyedPermutation, StaysInRangeForHugeSizes) {
  for (const std::uint64_t n : {std::uint64_t{1} << 32, (std::uint64_t{1} << 62) + 1, ~std::uint64_t{0}}) {
    const KeyedPermutation permutation(kKey, 0, n);
    for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_LT(permutation(n - 1 - i), n);
  }
}

TEST(KeyedPermutation, AnEmptyOneCanBeBuilt) { EXPECT_EQ(KeyedPermutation(kKey, 0, 0).size(), 0U); }

TEST(KeyedPermutation, DependsOnEveryWordOfTheKeyAndOnTheTweak) {
  const auto base = image(KeyedPermutation(kKey, 9, 5000));
  EXPECT_EQ(base, image(KeyedPermutation(kKey, 9, 5000)));
  EXPECT_LT(fixed_points(base, image(KeyedPermutation(kKey, 10, 5000))), 10.0);
  for (std::size_t word = 0; word < 4; ++word) {
    for (const int bit : {0, 31, 63}) {
      auto key = kKey;
      key[word] ^= std::uint64_t{1} << bit;
      EXPECT_LT(fixed_points(base, image(KeyedPermutation(key, 9, 5000))), 10.0) << word << ' ' << bit;
    }
  }
}

TEST(KeyedPermutation, IsTheSameOnEveryMachine) {
  const KeyedPermutation permutation(kKey, 9, 1000000);
  const std::vector<std::uint64_t> first = {permutation(0), permutation(1), permutation(2)};
  EXPECT_EQ(first, (std::vector<std::uint64_t>{210401, 627983, 730697}));
}

TEST(KeyedPermutation, EveryOrderOfAFewItemsIsAboutEquallyLikely) {
  for (const std::uint64_t n : {2U, 3U, 4U, 5U, 6U, 7U}) {
    std::map<std::vector<std::uint64_t>, double> seen;
    std::size_t orders = 1;
    for (std::uint64_t i = 2; i <= n; ++i) orders *= i;
    for (std::uint64_t tweak = 0; tweak < 100 * orders; ++tweak) seen[image(KeyedPermutation(kKey, tweak, n))] += 1.0;
    std::vector<double> counts;
    for (const auto& [order, count] : seen) counts.push_back(count);
    EXPECT_EQ(counts.size(), orders) << n;
    EXPECT_GT(checks::uniform_p_value(counts), checks::kRefuse) << n;
  }
}

TEST(KeyedPermutation, EveryItemIsAboutEquallyLikelyAtEveryPlace) {
  constexpr std::uint64_t n = 37;
  std::vector<double> counts(n * n, 0.0);
  for (std::uint64_t tweak = 0; tweak < 100 * n; ++tweak) {
    const auto order = image(KeyedPermutation(kKey, tweak, n));
    for (std::uint64_t i = 0; i < n; ++i) counts[i * n + order[i]] += 1.0;
  }
  EXPECT_GT(checks::uniform_p_value(counts), checks::kRefuse);
}

TEST(KeyedPermutation, NeighboursAreScattered) {
  // The distance between the images of i and i + 1 is that of two places drawn at random.
  constexpr std::uint64_t n = 10007;
  const auto order = image(KeyedPermutation(kKey, 1, n));
  std::vector<double> counts(20, 0.0);
  for (std::uint64_t i = 0; i + 1 < n; ++i) counts[(order[i + 1] + n - order[i]) % n * 20 / n] += 1.0;
  EXPECT_GT(checks::uniform_p_value(counts), checks::kRefuse);
}

}  // namespace
}  // namespace sotto
