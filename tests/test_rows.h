#pragma once
// Rows for tests: a table that is dense and CSR at once, and a run of permutation SGD over it in a given order.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sensitive_access.h"
#include "sotto/data/facts.h"
#include "sotto/optim/psgd.h"

namespace sotto::test {

using Order = std::vector<std::size_t>;

/// One labelled row.
struct Row {
  std::vector<double> x;
  float label = 1;
};

/// A private table. Rows are clipped to `norm` on entry, as a data set does.
class Rows {
 public:
  Rows(std::size_t rows, std::uint32_t features, double norm = 1, std::uint32_t classes = 2)
      : features_(features), norm_(norm), classes_(classes) {
    values_.assign(rows * features, 0.0F);
    labels_.assign(rows, 1.0F);
  }
  std::size_t size() const { return labels_.size(); }
  void set(std::size_t position, const Row& row) {
    double squares = 0;
    for (const double v : row.x) squares += v * v;
    const double shrink = squares > norm_ * norm_ ? norm_ / std::sqrt(squares) : 1.0;
    for (std::uint32_t j = 0; j < features_; ++j) {
      values_[position * features_ + j] = static_cast<float>(row.x[j] * shrink);
    }
    labels_[position] = row.label;
  }
  Facts facts(bool sparse = false) const { return {size(), features_, norm_, sparse, classes_}; }

  /// Feeds the rows in the given order, `block` at a time, dense or CSR.
  void feed(RowConsumer& consumer, const Order& order, std::size_t block, bool sparse) const {
    for (std::size_t first = 0; first < order.size(); first += block) {
      const std::size_t count = std::min(block, order.size() - first);
      feed_block(consumer,
                 {order.begin() + static_cast<std::ptrdiff_t>(first),
                  order.begin() + static_cast<std::ptrdiff_t>(first + count)},
                 sparse);
    }
  }

 private:
  void feed_block(RowConsumer& consumer, const Order& part, bool sparse) const {
    std::vector<float> dense, labels, values;
    std::vector<std::uint64_t> offsets = {0};
    std::vector<std::uint32_t> columns;
    for (const std::size_t row : part) {
      labels.push_back(labels_[row]);
      for (std::uint32_t j = 0; j < features_; ++j) {
        const float v = values_[row * features_ + j];
        dense.push_back(v);
        if (v == 0) continue;
        columns.push_back(j);
        values.push_back(v);
      }
      offsets.push_back(values.size());
    }
    RowBlock block{part.size(), features_, labels.data(), dense.data(), nullptr, nullptr, nullptr};
    if (sparse) {
      block.dense = nullptr;
      block.offsets = offsets.data();
      block.columns = columns.data();
      block.values = values.data();
    }
    consumer.consume(block);
  }

  std::uint32_t features_;
  double norm_;
  std::uint32_t classes_;
  std::vector<float> values_;
  std::vector<float> labels_;
};

inline Order stored_order(std::size_t rows) {
  Order order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// How a run feeds its rows; orders[j mod size] is the order of pass j, empty means as stored.
struct Feeding {
  std::vector<Order> orders;
  std::size_t block = 64;
  bool sparse = false;
};

/// The un-noised weights of the recipe.
inline Vector run(const Recipe& recipe, const Rows& rows, const Feeding& feeding = {}, StepNoise* noise = nullptr) {
  Psgd psgd(recipe, rows.facts(feeding.sparse), noise);
  const Order stored = stored_order(rows.size());
  for (std::uint32_t pass = 0; pass < recipe.passes; ++pass) {
    const Order& order = feeding.orders.empty() ? stored : feeding.orders[pass % feeding.orders.size()];
    rows.feed(psgd, order, feeding.block, feeding.sparse);
  }
  return SensitiveTestAccess::open(std::move(psgd).finish());
}

inline double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

}  // namespace sotto::test
