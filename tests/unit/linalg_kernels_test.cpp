#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg_reference.h"
#include "sotto/linalg/targets.h"

namespace sotto {
namespace {

using linalg_reference::bits_of;
using linalg_reference::lengths;
using linalg_reference::numbers;
using linalg_reference::Values;

/// Each test runs with every instruction set of this CPU.
class Kernels : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(kernels::use_target(GetParam())); }
  void TearDown() override { kernels::use_target(""); }

  /// Calls check(n, kind, offset) for all lengths, kinds of numbers and alignments.
  template <class Check>
  static void for_all(const Check& check) {
    for (const std::size_t n : lengths()) {
      for (const Values kind : {Values::ordinary, Values::adversarial}) {
        for (const std::size_t offset : {0, 1, 3}) {
          SCOPED_TRACE(testing::Message() << "n " << n << ", kind " << static_cast<int>(kind) << ", offset " << offset);
          check(n, kind, offset);
        }
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(EveryTarget, Kernels, ::testing::ValuesIn(kernels::available_targets()),
                         [](const auto& named) { return named.param; });

TEST_P(Kernels, UseTheTargetThatWasAskedFor) { EXPECT_EQ(kernels::target_name(), GetParam()); }

TEST_P(Kernels, DotProductsHaveTheBitsOfTheScalarReference) {
  for_all([](std::size_t n, Values kind, std::size_t offset) {
    const auto x = numbers<float>(n + offset, kind, 1);
    const auto y = numbers<double>(n + offset, kind, 2);
    const auto w = numbers<double>(n + offset, kind, 3);
    const float* xs = x.data() + offset;
    const double* ys = y.data() + offset;
    const double* ws = w.data() + offset;
    ASSERT_EQ(bits_of(kernels::dot(xs, ws, n)), bits_of(linalg_reference::dot(xs, ws, n)));
    ASSERT_EQ(bits_of(kernels::dot(ys, ws, n)), bits_of(linalg_reference::dot(ys, ws, n)));
    ASSERT_EQ(bits_of(kernels::squared_norm(xs, n)), bits_of(linalg_reference::dot(xs, xs, n)));
    ASSERT_EQ(bits_of(kernels::squared_norm(ws, n)), bits_of(linalg_reference::dot(ws, ws, n)));
    ASSERT_EQ(bits_of(kernels::norm(xs, n)), bits_of(std::sqrt(linalg_reference::dot(xs, xs, n))));
    ASSERT_EQ(bits_of(kernels::norm(ws, n)), bits_of(std::sqrt(linalg_reference::dot(ws, ws, n))));
  });
}

TEST_P(Kernels, UpdatesHaveTheBitsOfTheScalarReferenceAndTouchNothingElse) {
  for_all([](std::size_t n, Values kind, std::size_t offset) {
    const auto x = numbers<float>(n + offset + 1, kind, 4);
    const auto g = numbers<double>(n + offset + 1, kind, 5);
    const auto start = numbers<double>(n + offset + 1, kind, 6);
    const double a = -0.3;
    const double decay = 0.99;
    const auto check = [&](const auto& run, const auto& formula) {
      std::vector<double> expected = start;
      for (std::size_t i = offset; i < n + offset; ++i) expected[i] = formula(i);
      std::vector<double> w = start;
      run(w.data() + offset);
      ASSERT_EQ(bits_of(w), bits_of(expected));
    };
    check([&](double* w) { kernels::axpy(a, x.data() + offset, w, n); },
          [&](std::size_t i) { return start[i] + a * static_cast<double>(x[i]); });
    check([&](double* w) { kernels::axpy(a, g.data() + offset, w, n); },
          [&](std::size_t i) { return start[i] + a * g[i]; });
    check([&](double* w) { kernels::scale(a, w, n); }, [&](std::size_t i) { return a * start[i]; });
    check([&](double* w) { kernels::step(decay, a, x.data() + offset, w, n); },
          [&](std::size_t i) { return decay * start[i] - a * static_cast<double>(x[i]); });
    check([&](double* w) { kernels::step(decay, a, g.data() + offset, w, n); },
          [&](std::size_t i) { return decay * start[i] - a * g[i]; });
  });
}

TEST_P(Kernels, DotsOfABlockHaveTheBitsOfDotRowByRowForAnyBlocking) {
  constexpr std::size_t kRows = 23;
  for_all([](std::size_t n, Values kind, std::size_t offset) {
    const auto dense = numbers<float>(kRows * n + offset, kind, 7);
    const auto w = numbers<double>(n + offset, kind, 8);
    const float* rows = dense.data() + offset;
    std::vector<double> expected;
    for (std::size_t row = 0; row < kRows; ++row) {
      expected.push_back(linalg_reference::dot(rows + row * n, w.data() + offset, n));
    }
    for (const std::size_t block : {1, 2, 5, 8, 23}) {
      std::vector<double> margins(kRows + 1, 7.0);
      for (std::size_t row = 0; row < kRows; row += block) {
        const std::size_t count = std::min(block, kRows - row);
        kernels::dots(rows + row * n, count, n, w.data() + offset, margins.data() + row);
        ASSERT_EQ(margins[row + count], 7.0) << "wrote past the block";
      }
      margins.resize(kRows);
      ASSERT_EQ(bits_of(margins), bits_of(expected)) << "blocks of " << block;
    }
  });
}

TEST_P(Kernels, AccumulateHasTheBitsOfAddingRowByRowForAnyBlocking) {
  constexpr std::size_t kRows = 23;
  for_all([](std::size_t n, Values kind, std::size_t offset) {
    const auto dense = numbers<float>(kRows * n + offset, kind, 9);
    const auto coefficients = numbers<double>(kRows, Values::ordinary, 10);
    const auto start = numbers<double>(n + offset + 1, kind, 11);
    const float* rows = dense.data() + offset;
    std::vector<double> expected = start;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < n; ++i) {
        expected[offset + i] += coefficients[row] * static_cast<double>(rows[row * n + i]);
      }
    }
    for (const std::size_t block : {1, 2, 5, 8, 23}) {
      std::vector<double> g = start;
      for (std::size_t row = 0; row < kRows; row += block) {
        kernels::accumulate(coefficients.data() + row, rows + row * n, std::min(block, kRows - row), n,
                            g.data() + offset);
      }
      ASSERT_EQ(bits_of(g), bits_of(expected)) << "blocks of " << block;
    }
  });
}

// Eights of zeros, of either sign, are passed over.
TEST_P(Kernels, OfSeveralOutputsHaveTheBitsOfOneAfterTheOther) {
  constexpr std::size_t kRows = 19, kStride = 23;
  std::vector<std::size_t> features = lengths();
  features.push_back(5000);  // more than are listed
  for (const std::size_t n : features) {
    for (const std::size_t outputs : {1, 2, 3, 7, 10, 13}) {
      for (const Values kind : {Values::ordinary, Values::adversarial}) {
        auto dense = numbers<float>(kRows * n, kind, 14);
        for (std::size_t i = 0; i < dense.size(); ++i) {
          if (i / 11 % 3 != 0) dense[i] = i % 2 == 0 ? 0.0F : -0.0F;
        }
        const auto w = numbers<double>(outputs * n, kind, 15);
        const auto coefficients = numbers<double>(outputs * kStride, Values::ordinary, 16);
        std::vector<double> scores(outputs * kStride, 7.0), expected_scores = scores;
        std::vector<double> g(outputs * n, 0.0), expected = g;
        for (std::size_t k = 0; k < outputs; ++k) {
          for (std::size_t row = 0; row < kRows; ++row) {
            expected_scores[k * kStride + row] = kernels::dot(dense.data() + row * n, w.data() + k * n, n);
            kernels::axpy(coefficients[k * kStride + row], dense.data() + row * n, expected.data() + k * n, n);
          }
        }
        const kernels::DenseRows rows{dense.data(), kRows, n};
        kernels::dots_of_outputs(rows, w.data(), outputs, scores.data(), kStride);
        kernels::accumulate_outputs(coefficients.data(), kStride, rows, outputs, g.data());
        ASSERT_EQ(bits_of(scores), bits_of(expected_scores)) << n << " features, " << outputs << " outputs";
        ASSERT_EQ(bits_of(g), bits_of(expected)) << n << " features, " << outputs << " outputs";
      }
    }
  }
}

// A row's scores are its own, also where a weight that the row does not have is infinite.
TEST_P(Kernels, ScoresOfSeveralOutputsDoNotDependOnTheOtherRows) {
  constexpr std::size_t kRows = 21, kOutputs = 6;
  for (const std::size_t n : {16U, 37U, 785U, 3000U}) {
    auto dense = numbers<float>(kRows * n, Values::ordinary, 17);
    for (std::size_t i = 0; i < dense.size(); ++i) {
      if (i % n / 8 % 2 != 0) dense[i] = 0;
    }
    auto w = numbers<double>(kOutputs * n, Values::ordinary, 18);
    w[8] = w[2 * n + 9] = HUGE_VAL;
    std::vector<double> together(kOutputs * kRows), apart(kOutputs * kRows);
    kernels::dots_of_outputs({dense.data(), kRows, n}, w.data(), kOutputs, together.data(), kRows);
    for (const std::size_t block : {1U, 3U, 7U, 8U, 20U}) {
      for (std::size_t first = 0; first < kRows; first += block) {
        const std::size_t count = std::min<std::size_t>(block, kRows - first);
        kernels::dots_of_outputs({dense.data() + first * n, count, n}, w.data(), kOutputs, apart.data() + first, kRows);
      }
      ASSERT_EQ(bits_of(apart), bits_of(together)) << n << " features, " << block << " rows at a time";
    }
  }
}

TEST_P(Kernels, SumOfNothingIsPositiveZero) {
  const float x[1] = {-0.0F};
  const double w[1] = {1.0};
  EXPECT_EQ(bits_of(kernels::dot(x, w, 0)), bits_of(0.0));
  EXPECT_EQ(bits_of(kernels::dot(x, w, 1)), bits_of(0.0));
  double g[1] = {-0.0};
  kernels::dots(x, 0, 1, w, nullptr);
  kernels::accumulate(w, x, 0, 1, g);
  EXPECT_EQ(bits_of(g[0]), bits_of(-0.0));
}

TEST_P(Kernels, OfSparseRowsHaveTheBitsOfTheDenseOnesOnAFullRow) {
  for_all([](std::size_t n, Values kind, std::size_t offset) {
    const auto x = numbers<float>(n + offset, kind, 12);
    const auto w = numbers<double>(n, kind, 13);
    const float* values = x.data() + offset;
    std::vector<std::uint32_t> columns(n);
    for (std::size_t i = 0; i < n; ++i) columns[i] = static_cast<std::uint32_t>(i);
    ASSERT_EQ(bits_of(kernels::dot(columns.data(), values, n, w.data())), bits_of(kernels::dot(values, w.data(), n)));
    std::vector<double> sparse = w;
    std::vector<double> dense = w;
    kernels::axpy(-0.7, columns.data(), values, n, sparse.data());
    kernels::axpy(-0.7, values, dense.data(), n);
    ASSERT_EQ(bits_of(sparse), bits_of(dense));
  });
}

TEST_P(Kernels, OfSparseRowsCountStoredEntriesForTheLanes) {
  for_all([](std::size_t count, Values kind, std::size_t offset) {
    const auto values = numbers<float>(count + offset, kind, 14);
    const auto w = numbers<double>(5 * count + 3, kind, 15);
    std::vector<std::uint32_t> columns(count);
    std::vector<double> picked(count);
    for (std::size_t i = 0; i < count; ++i) {
      columns[i] = static_cast<std::uint32_t>(5 * i + i % 3);
      picked[i] = w[columns[i]];
    }
    ASSERT_EQ(bits_of(kernels::dot(columns.data(), values.data() + offset, count, w.data())),
              bits_of(linalg_reference::dot(values.data() + offset, picked.data(), count)));
  });
}

TEST(KernelTargets, AnUnknownNameChangesNothing) {
  const std::string before = kernels::target_name();
  EXPECT_FALSE(kernels::use_target("PDP11"));
  EXPECT_EQ(kernels::target_name(), before);
  EXPECT_EQ(kernels::available_targets().front(), before);
}

}  // namespace
}  // namespace sotto
