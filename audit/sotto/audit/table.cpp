#include "sotto/audit/table.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "sotto/data/clip.h"

namespace sotto::audit {

Table::Table(std::size_t rows, std::uint32_t features, double norm, std::uint32_t classes)
    : features_(features), norm_(norm), classes_(classes) {
  values_.assign(rows * features, 0.0F);
  labels_.assign(rows, 1.0F);
}

void Table::set(std::size_t position, const Row& row) {
  const std::span<float> stored(values_.data() + position * features_, features_);
  std::transform(row.x.begin(), row.x.begin() + features_, stored.begin(),
                 [](double v) { return static_cast<float>(v); });
  const std::vector<float> before(stored.begin(), stored.end());
  enforce_norm(stored, norm_);  // as a data set does, to the bit
  labels_[position] = row.label;
  clipped_.erase(position);
  if (!std::equal(stored.begin(), stored.end(), before.begin())) clipped_[position] = row;
}

Row Table::row(std::size_t position) const {
  const float* first = values_.data() + position * features_;
  return {{first, first + features_}, labels_[position]};
}

Row Table::raw(std::size_t position) const {
  const auto found = clipped_.find(position);
  return found == clipped_.end() ? row(position) : found->second;
}

Table Table::without_last() const {
  Table rest = *this;
  rest.values_.resize(values_.size() - features_);
  rest.labels_.pop_back();
  rest.clipped_.erase(rest.size());
  return rest;
}

RowBlock Table::view() const { return {size(), features_, labels_.data(), values_.data(), nullptr, nullptr, nullptr}; }

void Table::feed(RowConsumer& consumer, const Order& order, std::size_t block, bool sparse) const {
  for (std::size_t first = 0; first < order.size(); first += block) {
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
    feed_block(consumer, {from, from + static_cast<std::ptrdiff_t>(std::min(block, order.size() - first))}, sparse);
  }
}

void Table::feed_block(RowConsumer& consumer, const Order& part, bool sparse) const {
  std::vector<float> dense, labels, values;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (const std::size_t row : part) {
    labels.push_back(labels_[row]);
    const float* x = values_.data() + row * features_;
    if (!sparse) {
      dense.insert(dense.end(), x, x + features_);
      continue;
    }
    for (std::uint32_t j = 0; j < features_; ++j) {
      if (x[j] == 0) continue;
      columns.push_back(j);
      values.push_back(x[j]);
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

Order stored_order(std::size_t rows) {
  Order order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

TableEngine::TableEngine(const Table& rows, Feeding feeding)
    : rows_(rows),
      feeding_(std::move(feeding)),
      stored_(stored_order(rows.size())),
      facts_(rows.facts(feeding_.sparse)) {}

void TableEngine::scan(const ScanOrder&, std::uint32_t pass, RowConsumer& consumer) {
  const Order& order = feeding_.orders.empty() ? stored_ : feeding_.orders[pass % feeding_.orders.size()];
  rows_.feed(consumer, order, feeding_.block, feeding_.sparse);
}

void TableEngine::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  if (!feeding_.sparse && feeding_.orders.empty()) return consumer.consume(rows_.view().slice(first, count));
  const Order& order = feeding_.orders.empty() ? stored_ : feeding_.orders.front();
  const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
  rows_.feed(consumer, {from, from + static_cast<std::ptrdiff_t>(count)}, feeding_.block, feeding_.sparse);
}

}  // namespace sotto::audit
