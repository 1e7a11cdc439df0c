#pragma once
// A table of any number of classes, dense or CSR, and an engine that feeds it as stored.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "sotto/optim/engine.h"
#include "sotto/random/bit_source.h"

namespace sotto::test {

struct RowTable {
  Facts facts{};
  std::vector<float> dense, labels, values;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;

  RowTable(std::uint32_t features, std::uint32_t classes = 2, bool sparse = false) {
    facts.features = features;
    facts.classes = classes;
    facts.sparse = sparse;
  }
  void add(const std::vector<double>& x, double label) {
    double squares = 0;
    for (const double v : x) squares += v * v;
    const double shrink = squares > 1 ? 1 / std::sqrt(squares) : 1;
    for (std::uint32_t j = 0; j < facts.features; ++j) {
      const auto v = static_cast<float>(x[j] * shrink);
      dense.push_back(v);
      if (v == 0) continue;
      columns.push_back(j);
      values.push_back(v);
    }
    offsets.push_back(values.size());
    labels.push_back(static_cast<float>(label));
    ++facts.rows;
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

/// Rows with a planted direction and noisy labels.
inline RowTable planted_table(std::uint64_t rows, std::uint32_t features, std::uint32_t classes = 2,
                              bool sparse = false) {
  RowTable table(features, classes, sparse);
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> x(features);
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (double& v : x) v = random() % 4 == 0 ? 0.0 : normal(random) / std::sqrt(static_cast<double>(features));
    const double score = 3 * x[0] - 2 * x[features / 2] + 0.5 * normal(random);
    const double share = 1 / (1 + std::exp(-2 * score));
    const double pick = std::min<double>(classes - 1.0, std::floor(share * classes));
    table.add(x, classes == 2 ? (pick > 0 ? 1 : -1) : pick);
  }
  return table;
}

class RowTableEngine final : public Engine {
 public:
  explicit RowTableEngine(const RowTable& table, std::size_t block = 100) : table_(table), block_(block) {}
  Facts facts() const override { return table_.facts; }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t, RowConsumer& consumer) override {
    scan_rows(0, table_.facts.rows, consumer);
  }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    for (std::uint64_t done = 0; done < count; done += block_) {
      consumer.consume(table_.view().slice(first + done, std::min<std::uint64_t>(block_, count - done)));
    }
  }

 private:
  const RowTable& table_;
  std::size_t block_;
};

}  // namespace sotto::test
