#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

#include "sotto/random/bit_source.h"
#include "unit/random_checks.h"

namespace sotto {
namespace {

std::vector<std::uint64_t> read_words(BitSource& bits, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (auto& w : words) w = bits.next();
  return words;
}

std::size_t read_all(int descriptor, std::vector<std::uint64_t>& words) {
  auto* out = reinterpret_cast<char*>(words.data());
  std::size_t got = 0;
  ssize_t n = 0;
  while (got < 8 * words.size() && (n = read(descriptor, out + got, 8 * words.size() - got)) > 0) {
    got += static_cast<std::size_t>(n);
  }
  close(descriptor);
  return got;
}

/// Forks; the child reads words by `read`, the parent returns them.
template <class Read>
std::vector<std::uint64_t> words_of_a_child(std::size_t count, const Read& read) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<std::uint64_t> words = read();
    const bool ok = write(ends[1], words.data(), 8 * count) == static_cast<ssize_t>(8 * count);
    _exit(ok ? 0 : 1);
  }
  close(ends[1]);
  std::vector<std::uint64_t> words(count);
  EXPECT_EQ(read_all(ends[0], words), 8 * count);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return words;
}

void expect_disjoint(std::vector<std::uint64_t> a, const std::vector<std::uint64_t>& b) {
  const std::size_t total = a.size() + b.size();
  a.insert(a.end(), b.begin(), b.end());
  EXPECT_EQ(std::set<std::uint64_t>(a.begin(), a.end()).size(), total);
}

TEST(BitSource, SaysWhetherItsStreamCanBeRepeated) {
  EXPECT_TRUE(BitSource().is_private());
  EXPECT_FALSE(BitSource(ReproducibleSeed{1}).is_private());
  BitSource moved = BitSource(ReproducibleSeed{1});
  EXPECT_FALSE(moved.is_private());
}

TEST(BitSource, AReproducibleStreamRepeatsWordByWordOnEveryMachine) {
  BitSource a(ReproducibleSeed{7}), b(ReproducibleSeed{7}), c(ReproducibleSeed{8});
  const auto words = read_words(a, 2000);
  EXPECT_EQ(words, read_words(b, 2000));
  expect_disjoint(words, read_words(c, 2000));
  // AES-256-CTR under SHA-256(label, 0, seed in little endian), counter 0: computed with the openssl command.
  EXPECT_EQ(words[0], 0x6e33d55ba3d7f7c0U);
}

TEST(BitSource, ALongFillIsTheKeyStreamItself) {
  BitSource a(ReproducibleSeed{7}), b(ReproducibleSeed{7});
  std::vector<std::uint64_t> direct(5000);
  a.fill(direct);
  EXPECT_EQ(direct, read_words(b, 5000));
}

TEST(BitSource, AShortFillTakesTheNextWords) {
  BitSource a(ReproducibleSeed{7}), b(ReproducibleSeed{7});
  std::vector<std::uint64_t> together;
  for (std::size_t count = 0; count < 60; ++count) {
    std::vector<std::uint64_t> part(count);
    a.fill(part);
    together.insert(together.end(), part.begin(), part.end());
    together.push_back(a.next());
  }
  EXPECT_EQ(together, read_words(b, together.size()));
}

TEST(BitSource, TakenWordsAreTheNextOnesUnlessTheBufferIsTooShort) {
  BitSource a(ReproducibleSeed{7}), b(ReproducibleSeed{7});
  const auto words = read_words(b, 3 * BitSource::kBufferWords);
  const auto first = a.take(1000);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), words.begin()));
  const auto second = a.take(40);
  EXPECT_TRUE(std::equal(second.begin(), second.end(), words.begin() + BitSource::kBufferWords));
  EXPECT_EQ(a.next(), words[BitSource::kBufferWords + 40]);
}

TEST(BitSource, AChildProcessNeverTakesItsParentsWords) {
  BitSource bits;
  bits.next();
  const auto take = [&] {
    const auto words = bits.take(40);
    return std::vector<std::uint64_t>(words.begin(), words.end());
  };
  const auto child = words_of_a_child(40, take);
  expect_disjoint(child, take());
}

TEST(BitSource, TwoThousandSourcesArePairwiseDistinct) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 2000; ++i) {
    BitSource bits;
    EXPECT_TRUE(seen.insert(bits.next()).second);
    EXPECT_TRUE(seen.insert(bits.next()).second);
  }
}

TEST(BitSource, ThreadsReadDifferentWords) {
  std::vector<std::vector<std::uint64_t>> words(8);
  std::vector<std::thread> threads;
  for (auto& mine : words) {
    threads.emplace_back([&mine] {
      BitSource bits;
      mine = read_words(bits, 1000);
    });
  }
  for (auto& t : threads) t.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : words) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 8000U);
}

TEST(BitSource, AChildProcessNeverReadsItsParentsWords) {
  BitSource bits;
  bits.next();  // the buffer is full of words that both processes hold
  const auto child = words_of_a_child(1500, [&] { return read_words(bits, 1500); });
  expect_disjoint(child, read_words(bits, 1500));
}

TEST(BitSource, AChildProcessNeverFillsWithItsParentsWords) {
  BitSource bits;
  bits.next();
  for (const std::size_t count : {std::size_t{40}, std::size_t{3000}}) {
    const auto fill = [&] {
      std::vector<std::uint64_t> words(count);
      bits.fill(words);
      return words;
    };
    const auto child = words_of_a_child(count, fill);
    expect_disjoint(child, fill());
  }
}

TEST(BitSource, SiblingsReadDifferentWords) {
  BitSource bits;
  bits.next();
  const auto first = words_of_a_child(100, [&] { return read_words(bits, 100); });
  const auto second = words_of_a_child(100, [&] { return read_words(bits, 100); });
  expect_disjoint(first, second);
}

TEST(BitSource, AReproducibleStreamGoesOnInAChild) {
  BitSource bits(ReproducibleSeed{3});
  bits.next();
  const auto child = words_of_a_child(700, [&] { return read_words(bits, 700); });
  EXPECT_EQ(child, read_words(bits, 700));
}

TEST(BitSource, AMovedSourceGoesOnWhereItWas) {
  BitSource a(ReproducibleSeed{5}), reference(ReproducibleSeed{5});
  const auto expected = read_words(reference, 20);
  auto words = read_words(a, 10);
  BitSource b(std::move(a));
  for (const auto w : read_words(b, 10)) words.push_back(w);
  EXPECT_EQ(words, expected);
}

TEST(BitSource, EveryBitIsAFairCoinAcrossARekeying) {
  BitSource bits;
  std::vector<std::uint64_t> words(std::size_t{9} << 20);  // 72 MiB: one change of key inside
  bits.fill(words);
  std::vector<double> ones(64, 0.0);
  for (const auto w : words) {
    for (std::size_t i = 0; i < 64; ++i) ones[i] += static_cast<double>(w >> i & 1);
  }
  const auto n = static_cast<double>(words.size());
  for (const double count : ones) EXPECT_LT(std::abs(count - n / 2), 7.0 * std::sqrt(n / 4));
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
}

}  // namespace
}  // namespace sotto
