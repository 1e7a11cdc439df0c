// Sums over rows: gradients and losses against their definition, and the same bits for any number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sensitive_access.h"
#include "sotto/base/error.h"
#include "sotto/data/dataset.h"
#include "sotto/engines/in_memory.h"
#include "sotto/optim/gradient_sum.h"

namespace sotto {
namespace {

struct Case {
  Loss loss;
  std::uint32_t classes;
  bool sparse;
};
const Case kCases[] = {{Logistic{}, 2, false}, {HuberSvm{}, 2, true},  {Hinge{}, 2, false}, {Softmax{}, 2, true},
                       {Softmax{}, 5, false},  {Logistic{}, 4, false}, {Softmax{}, 3, true}};

/// Rows that own their memory, labelled for any number of classes.
struct Table {
  Facts facts;
  std::vector<float> dense, labels, values;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;

  Table(std::uint64_t rows, std::uint32_t features, const Case& of)
      : facts{rows, features, 1.0, of.sparse, of.classes} {
    std::mt19937_64 random(5);
    std::normal_distribution<float> normal;
    for (std::uint64_t i = 0; i < rows; ++i) {
      const auto pick = static_cast<float>(random() % of.classes);
      labels.push_back(of.classes == 2 ? 2 * pick - 1 : pick);
      for (std::uint32_t j = 0; j < features; ++j) {
        const float v = random() % 3 == 0 ? 0.0F : normal(random) / static_cast<float>(features);
        dense.push_back(v);
        if (v == 0) continue;
        columns.push_back(j);
        values.push_back(v);
      }
      offsets.push_back(values.size());
    }
  }
  RowBlock view() const {
    RowBlock block{labels.size(), facts.features, labels.data(), nullptr, nullptr, nullptr, nullptr};
    if (facts.sparse) {
      block.offsets = offsets.data();
      block.columns = columns.data();
      block.values = values.data();
    } else {
      block.dense = dense.data();
    }
    return block;
  }
};

/// The loss of one row by its definition, in extended precision.
long double loss_of(const Case& of, const Table& table, std::size_t row, const Vector& w) {
  const std::size_t d = table.facts.features, outputs = w.size() / d;
  std::vector<long double> z(outputs, 0);
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t j = 0; j < d; ++j) z[k] += static_cast<long double>(table.dense[row * d + j]) * w[k * d + j];
  }
  const float label = table.labels[row];
  if (std::holds_alternative<Softmax>(of.loss)) {
    long double sum = 0;
    for (const long double score : z) sum += std::exp(score);
    const auto c = static_cast<std::size_t>(of.classes == 2 ? (label > 0 ? 1 : 0) : label);
    return std::log(sum) - z[c];
  }
  long double total = 0;
  for (std::size_t k = 0; k < outputs; ++k) {
    const double sign = outputs == 1 ? label : (label == static_cast<float>(k) ? 1.0 : -1.0);
    with_margin_loss(of.loss, [&](const auto& l) { total += l.value(static_cast<double>(sign * z[k])); });
  }
  return total;
}

Vector point(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Vector w(size);
  for (double& v : w) v = 2 * normal(random);
  return w;
}

TEST(GradientSum, IsTheDerivativeOfTheSummedLosses) {
  for (const Case& of : kCases) {
    const Table table(70, 4, of);
    Vector w = point(weight_count(of.loss, table.facts), 1);
    GradientSum sum(of.loss, table.facts, fine_gradients(of.loss, table.facts));
    sum.start(w);
    sum.consume(table.view());
    const Vector gradient = SensitiveTestAccess::open(sum.take());
    ASSERT_EQ(gradient.size(), w.size());
    const auto total = [&](const Vector& at) {
      long double all = 0;
      for (std::size_t i = 0; i < 70; ++i) all += loss_of(of, table, i, at);
      return all;
    };
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double h = 1e-6;
      Vector up = w, down = w;
      up[j] += h;
      down[j] -= h;
      EXPECT_NEAR(gradient[j], static_cast<double>((total(up) - total(down)) / (2 * h)), 1e-4) << name_of(of.loss);
    }
  }
}

TEST(LossSums, AreTheCappedLossesAtEveryPoint) {
  for (const Case& of : kCases) {
    const Table table(300, 4, of);
    const std::size_t size = weight_count(of.loss, table.facts);
    const Vector origin = point(size, 2), direction = point(size, 3), lengths{0, 0.7, -4};
    for (const double cap : {0.5, 1e3}) {
      LossSums sums(of.loss, table.facts, narrow_grid(cap, 300));
      sums.start({origin, direction, lengths});
      sums.consume(table.view());
      const Vector found = SensitiveTestAccess::open(sums.take());
      ASSERT_EQ(found.size(), 3U);
      for (std::size_t p = 0; p < 3; ++p) {
        Vector w = origin;
        for (std::size_t i = 0; i < size; ++i) w[i] -= lengths[p] * direction[i];
        long double expected = 0;
        for (std::size_t i = 0; i < 300; ++i) expected += std::min<long double>(loss_of(of, table, i, w), cap);
        EXPECT_NEAR(found[p], static_cast<double>(expected), 300 * 0x1p-32 * cap);
      }
    }
  }
}

TEST(LossSums, HaveTheSameBitsForAnyBlockingAndNumberOfThreads) {
  for (const Case& of : kCases) {
    const Table table(3000, 4, of);
    const std::size_t size = weight_count(of.loss, table.facts);
    const Vector origin = point(size, 7), direction = point(size, 8), lengths{0.5, 2};
    const WeightLine line{origin, direction, lengths};
    InMemoryEngine engine(table.facts, table.view());
    LossSums whole(of.loss, table.facts, narrow_grid(20, 3000)), pieces = whole, threaded = whole;
    whole.start(line);
    whole.consume(table.view());
    pieces.start(line);
    for (std::size_t first = 0; first < 3000; first += 7) {
      pieces.consume(table.view().slice(first, std::min<std::size_t>(7, 3000 - first)));
    }
    const Vector expected = SensitiveTestAccess::open(whole.take());
    EXPECT_EQ(SensitiveTestAccess::open(pieces.take()), expected);
    for (const unsigned threads : {1U, 3U}) {
      threaded.start(line);
      sum_rows(engine, threaded, threads);
      EXPECT_EQ(SensitiveTestAccess::open(threaded.take()), expected) << threads;
    }
  }
}

TEST(GradientSum, NoRowAddsMoreThanTheClip) {
  for (const Case& of : kCases) {
    const Table table(200, 4, of);
    const Vector w = point(weight_count(of.loss, table.facts), 3);
    const double bound = constants_of(of.loss, 1.0, of.classes).lipschitz;
    for (const double clip : {0.01, 0.3, 10.0}) {
      GradientSum sum(of.loss, table.facts, fine_gradients(of.loss, table.facts, clip), clip);
      double longest = 0;
      for (std::size_t i = 0; i < 200; ++i) {
        sum.start(w);
        sum.consume(table.view().slice(i, 1));
        double squares = 0;
        for (const double g : SensitiveTestAccess::open(sum.take())) squares += g * g;
        longest = std::max(longest, std::sqrt(squares));
      }
      EXPECT_LE(longest, std::min(clip, bound));
      if (clip == 0.01) {
        EXPECT_GT(longest, 0.0099);
      }
    }
  }
}

TEST(SumRows, HasTheSameBitsForAnyNumberOfThreadsAndBlocking) {
  for (const Case& of : kCases) {
    const Table table(5000, 3, of);
    InMemoryEngine engine(table.facts, table.view());
    const Vector w = point(weight_count(of.loss, table.facts), 4);
    Vector first;
    for (const unsigned threads : {1U, 2U, 3U, 8U, 0U}) {
      GradientSum sum(of.loss, table.facts, fine_gradients(of.loss, table.facts));
      sum.start(w);
      sum_rows(engine, sum, threads);
      const Vector found = SensitiveTestAccess::open(sum.take());
      if (first.empty()) first = found;
      EXPECT_EQ(found, first) << threads;
    }
    GradientSum whole(of.loss, table.facts, fine_gradients(of.loss, table.facts));
    whole.start(w);
    whole.consume(table.view());
    EXPECT_EQ(SensitiveTestAccess::open(whole.take()), first);
  }
}

TEST(SumRows, ARowChangesTheSumByAtMostItsDiameterAndTheRounding) {
  for (const Case& of : kCases) {
    Table table(3000, 3, of), neighbour = table;
    const auto flip = [&](Table& t, float to) {
      const std::size_t row = 1500;
      std::fill_n(t.dense.begin() + static_cast<std::ptrdiff_t>(row) * 3, 3, 0.0F);
      t.dense[row * 3] = to;
      if (!of.sparse) return;
      for (std::uint64_t e = t.offsets[row]; e < t.offsets[row + 1]; ++e) t.values[e] = t.columns[e] == 0 ? to : 0.0F;
    };
    flip(table, 1.0F);
    flip(neighbour, -1.0F);
    const Vector w = point(weight_count(of.loss, table.facts), 6);
    const RowGrid grid = narrow_grid(gradient_bound(of.loss, table.facts), 3000);
    const auto gradient = [&](const Table& t) {
      InMemoryEngine engine(t.facts, t.view());
      GradientSum sum(of.loss, t.facts, grid);
      sum.start(w);
      sum_rows(engine, sum);
      return SensitiveTestAccess::open(sum.take());
    };
    const Vector one = gradient(table), other = gradient(neighbour);
    double squares = 0;
    for (std::size_t j = 0; j < one.size(); ++j) squares += (one[j] - other[j]) * (one[j] - other[j]);
    const LossConstants c = constants_of(of.loss, 1.0, of.classes);
    EXPECT_LE(std::sqrt(squares), c.diameter_replace_one + added_distance(grid, one.size(), true));
  }
}

/// Fails in the middle.
class BrokenEngine final : public Engine {
 public:
  Facts facts() const override { return {100000, 2, 1.0, false}; }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t, RowConsumer&) override {}
  void scan_rows(std::uint64_t first, std::uint64_t, RowConsumer&) const override {
    if (first > 20000) throw Error(ErrorKind::io, "the storage failed");
  }
};

TEST(SumRows, AFailingEngineIsOneErrorWhateverTheThreads) {
  const BrokenEngine engine;
  const Vector w(2, 0.0);
  for (const unsigned threads : {1U, 4U}) {
    GradientSum sum(Logistic{}, engine.facts(), fine_gradients(Logistic{}, engine.facts()));
    sum.start(w);
    EXPECT_THROW(sum_rows(engine, sum, threads), Error);
  }
}

}  // namespace
}  // namespace sotto
