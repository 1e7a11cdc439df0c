#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sotto/base/error.h"
#include "sotto/data/scan_order.h"
#include "sotto/data/scan_order_stream.h"

namespace sotto {
namespace {

using Positions = std::vector<std::uint64_t>;

ScanOrder shuffled(std::uint32_t block_rows, std::uint32_t buffer_rows, std::uint64_t seed = 7) {
  return {.block_rows = block_rows, .buffer_rows = buffer_rows, .key = {seed, seed * 31 + 1, ~seed, seed << 20U}};
}

Positions visit(const ScanOrder& order, std::uint64_t rows, std::uint32_t pass = 0) {
  Positions visited;
  ScanOrder::Window window;
  for (std::uint64_t i = 0; i < order.window_count(rows); ++i) {
    order.window(rows, pass, i, window);
    EXPECT_LE(window.rows.size(), order.max_window_rows(rows));
    visited.insert(visited.end(), window.rows.begin(), window.rows.end());
  }
  return visited;
}

bool is_permutation_of_all(Positions visited, std::uint64_t rows) {
  std::sort(visited.begin(), visited.end());
  for (std::uint64_t i = 0; i < visited.size(); ++i) {
    if (visited[i] != i) return false;
  }
  return visited.size() == rows;
}

TEST(ScanOrder, VisitsEveryRowExactlyOnceWhateverTheSizes) {
  for (const std::uint64_t rows : {1ULL, 2ULL, 7ULL, 40ULL, 41ULL, 100ULL, 1000ULL, 4096ULL, 5003ULL}) {
    for (const std::uint32_t block_rows : {1U, 3U, 40U, 64U, 9999U}) {
      for (const std::uint32_t buffer_rows : {0U, 1U, 50U, 128U, 1000U, 100000U}) {
        ScanOrder order = shuffled(block_rows, buffer_rows);
        for (const bool fresh : {false, true}) {
          order.fresh = fresh;
          EXPECT_TRUE(is_permutation_of_all(visit(order, rows, 3), rows)) << rows << " " << block_rows;
        }
        order.kind = ScanOrder::Kind::stored;
        const Positions stored = visit(order, rows);
        EXPECT_TRUE(stored.size() == rows && std::is_sorted(stored.begin(), stored.end()));
      }
    }
  }
}

TEST(ScanOrder, SlotsTellTheSameOrderFromTheReadersSide) {
  const ScanOrder order = shuffled(7, 30);
  ScanOrder::Window window;
  for (std::uint64_t i = 0; i < order.window_count(100); ++i) {
    order.window(100, 0, i, window);
    std::size_t counted = 0;
    for (const std::uint64_t block : window.blocks) {
      for (std::uint64_t row = block * 7; row < std::min<std::uint64_t>(100, block * 7 + 7); ++row) {
        EXPECT_EQ(window.rows[window.slots[counted++]], row);
      }
    }
    EXPECT_EQ(counted, window.rows.size());
  }
}

TEST(ScanOrder, AFixedOrderRepeatsAndAFreshOneDoesNot) {
  ScanOrder order = shuffled(4, 64);
  EXPECT_EQ(visit(order, 500, 0), visit(order, 500, 5));
  EXPECT_TRUE(order.same_order_every_pass());
  order.fresh = true;
  EXPECT_NE(visit(order, 500, 0), visit(order, 500, 1));
  EXPECT_EQ(visit(order, 500, 1), visit(order, 500, 1));
  EXPECT_FALSE(order.same_order_every_pass());
}

TEST(ScanOrder, EveryWordOfTheKeyChangesBothTheBlockOrderAndTheShuffle) {
  const ScanOrder order = shuffled(1, 4096);  // one window: the shuffle alone
  const ScanOrder blocks = shuffled(1, 1);    // one row a window: the block order alone
  for (std::size_t word = 0; word < 4; ++word) {
    ScanOrder other = order;
    other.key[word] ^= 1U << 3U;
    ScanOrder::Window a;
    ScanOrder::Window b;
    order.window(1000, 0, 0, a);
    other.window(1000, 0, 0, b);
    EXPECT_NE(a.slots, b.slots) << word;
    other.buffer_rows = 1;
    EXPECT_NE(visit(blocks, 1000), visit(other, 1000)) << word;
  }
}

TEST(ScanOrder, WindowsOfOnePassAreShuffledDifferently) {
  const ScanOrder order = shuffled(1, 100);
  ScanOrder::Window a;
  ScanOrder::Window b;
  order.window(1000, 0, 0, a);
  order.window(1000, 0, 1, b);
  EXPECT_NE(a.slots, b.slots);
}

TEST(ScanOrder, AWindowHoldsWholeBlocksAndStaysWithinTheBuffer) {
  const ScanOrder order = shuffled(40, 8192);
  ScanOrder::Window window;
  for (std::uint64_t i = 0; i < order.window_count(100000); ++i) {
    order.window(100000, 0, i, window);
    EXPECT_LE(window.blocks.size(), 8192U / 40U);
    std::set<std::uint64_t> of_blocks;
    for (const std::uint64_t row : window.rows) of_blocks.insert(row / 40);
    EXPECT_TRUE(std::equal(of_blocks.begin(), of_blocks.end(),
                           std::set<std::uint64_t>(window.blocks.begin(), window.blocks.end()).begin()));
  }
}

TEST(ScanOrder, RowsThatFitTheBufferAreOneWindowEvenWhenBlocksDoNotDivideIt) {
  EXPECT_EQ(shuffled(40, 100).window_count(100), 1U);
  EXPECT_GT(shuffled(40, 100).window_count(101), 1U);
}

TEST(ScanOrder, AllOrdersOfFourRowsAreAboutEquallyLikelyInsideAWindow) {
  // One block: its rows are put in order by the shuffle of the window alone.
  std::map<Positions, int> seen;
  const int draws = 24000;
  for (int i = 0; i < draws; ++i) ++seen[visit(shuffled(4, 4, static_cast<std::uint64_t>(i) + 1), 4)];
  ASSERT_EQ(seen.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : seen) chi_square += std::pow(count - draws / 24.0, 2) / (draws / 24.0);
  EXPECT_LT(chi_square, 50.0);  // 23 degrees of freedom: exceeded once in a thousand at 49.7
}

TEST(ScanOrder, ARowMeetsEveryPlaceAcrossBlocksAndWindows) {
  const std::uint64_t rows = 64;
  std::vector<int> place(rows);
  const int draws = 12800;
  for (int i = 0; i < draws; ++i) {
    const Positions visited = visit(shuffled(4, 16, static_cast<std::uint64_t>(i) * 977 + 5), rows);
    ++place[static_cast<std::size_t>(std::find(visited.begin(), visited.end(), 13U) - visited.begin())];
  }
  double chi_square = 0;
  for (const int count : place) chi_square += std::pow(count - draws / 64.0, 2) / (draws / 64.0);
  EXPECT_LT(chi_square, 104.0);  // 63 degrees of freedom, one in a thousand
}

TEST(ScanOrder, RefusesABlockOfNoRowsAndAWindowBeyondTheLast) {
  ScanOrder::Window window;
  EXPECT_THROW(static_cast<void>(shuffled(0, 10).window_count(5)), Error);
  EXPECT_THROW(shuffled(1, 10).window(5, 0, 1, window), Error);
  EXPECT_EQ(shuffled(1, 10).window_count(0), 0U);
}

TEST(ScanOrderStream, GivesThePublishedVectorsOfPhilox) {
  using Counter = ScanOrderStream::Counter;
  EXPECT_EQ(ScanOrderStream::philox({0, 0, 0, 0}, {0, 0}),
            (Counter{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  const std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(ScanOrderStream::philox({ones, ones, ones, ones}, {ones, ones}),
            (Counter{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
}

TEST(ScanOrderStream, BoundedDrawsAreUniformWhenTheBoundDoesNotDivideTheRange) {
  ScanOrderStream coins({1, 2}, {3, 4, 5, 6});
  // A bound of 3/4 of the range: without rejection every third value would come twice as often.
  const std::uint32_t bound = 3U << 30U;
  std::array<int, 3> residue{};
  for (int i = 0; i < 30000; ++i) ++residue[coins.bounded(bound) % 3];
  for (const int count : residue) EXPECT_NEAR(count, 10000, 350);
}

}  // namespace
}  // namespace sotto
