#include "sotto/data/dataset.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/data/clip.h"

namespace sotto {

Dataset::Dataset(const Facts& facts, std::uint32_t block_rows) : facts_(facts), block_rows_(block_rows) {
  facts_.rows = 0;
}

void Dataset::reserve(std::uint64_t rows, std::uint64_t entries) {
  labels_.reserve(rows);
  if (!facts_.sparse) return values_.reserve(rows * facts_.features);
  offsets_.reserve(rows + 1);
  columns_.reserve(entries);
  values_.reserve(entries);
}

void Dataset::append(const RowBlock& block) {
  labels_.insert(labels_.end(), block.labels, block.labels + block.rows);
  facts_.rows += block.rows;
  if (!block.sparse()) {
    values_.insert(values_.end(), block.dense, block.dense + block.rows * block.features);
    return;
  }
  const std::uint64_t first = block.offsets[0];
  const std::uint64_t last = block.offsets[block.rows];
  const std::uint64_t base = columns_.size();
  for (std::size_t i = 0; i < block.rows; ++i) offsets_.push_back(base + block.offsets[i + 1] - first);
  columns_.insert(columns_.end(), block.columns + first, block.columns + last);
  values_.insert(values_.end(), block.values + first, block.values + last);
}

RowBlock Dataset::view() const noexcept {
  RowBlock block;
  block.rows = labels_.size();
  block.features = facts_.features;
  block.labels = labels_.data();
  if (facts_.sparse) {
    block.offsets = offsets_.data();
    block.columns = columns_.data();
    block.values = values_.data();
  } else {
    static constexpr float kNoValue = 0;
    block.dense = values_.empty() ? &kNoValue : values_.data();  // dense without rows, too
  }
  return block;
}

DatasetBuilder::DatasetBuilder(const Facts& facts) : dataset_(facts) {
  require(facts.features > 0, "features", "a data set needs at least one feature");
  require(facts.data_norm >= kMinDataNorm && facts.data_norm <= kMaxDataNorm, "data_norm",
          "must be between 1e-30 and 1e30");
  require(facts.classes >= 2 && facts.classes <= kMaxClasses, "classes", "must lie between 2 and 4096");
  constexpr std::uint64_t kMaxReserved = std::uint64_t{1} << 20;
  const std::uint64_t rows = std::min(facts.rows, kMaxReserved);
  dataset_.labels_.reserve(rows);
  if (!facts.sparse) dataset_.values_.reserve(std::min(rows * facts.features, std::uint64_t{1} << 28));
}

void DatasetBuilder::add_dense(std::span<const float> row, float label) {
  require(row.size() == dataset_.facts_.features, "features",
          "a row has " + std::to_string(row.size()) + " features, the data set " +
              std::to_string(dataset_.facts_.features));
  const std::size_t first = dataset_.values_.size();
  if (!dataset_.facts_.sparse) {
    dataset_.values_.insert(dataset_.values_.end(), row.begin(), row.end());
    return close_row(first, label);
  }
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    if (row[i] == 0.0F) continue;
    dataset_.columns_.push_back(i);
    dataset_.values_.push_back(row[i]);
  }
  close_row(first, label);
}

void DatasetBuilder::add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) {
  require(columns.size() == values.size(), "columns", "a sparse row needs as many columns as values");
  const bool ascending = std::ranges::adjacent_find(columns, std::greater_equal{}) == columns.end();
  require(ascending && (columns.empty() || columns.back() < dataset_.facts_.features), "columns",
          "the columns of a sparse row must ascend and be below the number of features");
  const std::size_t first = dataset_.values_.size();
  if (dataset_.facts_.sparse) {
    dataset_.columns_.insert(dataset_.columns_.end(), columns.begin(), columns.end());
    dataset_.values_.insert(dataset_.values_.end(), values.begin(), values.end());
  } else {
    dataset_.values_.resize(first + dataset_.facts_.features, 0.0F);
    for (std::size_t i = 0; i < columns.size(); ++i) dataset_.values_[first + columns[i]] = values[i];
  }
  close_row(first, label);
}

void DatasetBuilder::close_row(std::size_t first_value, float label) {
  const std::span<float> row = std::span(dataset_.values_).subspan(first_value);
  const bool label_ok = is_label(label, dataset_.facts_.classes);
  if (!label_ok) std::ranges::fill(row, 0.0F);
  const bool kept = enforce_norm(row, dataset_.facts_.data_norm) && label_ok;
  dataset_.labels_.push_back(kept ? label : 1.0F);
  if (dataset_.facts_.sparse) dataset_.offsets_.push_back(dataset_.values_.size());
  ++dataset_.facts_.rows;
}

Dataset DatasetBuilder::finish() {
  Dataset done = std::move(dataset_);
  dataset_ = Dataset(done.facts_);
  return done;
}

}  // namespace sotto
