#include "sotto/engines/window_buffer.h"

#include <algorithm>
#include <cstring>

namespace sotto {
namespace {

// What was there is not needed: let it go first, so that old and new are never held together. An eighth more than asked
// for, so that windows of slightly different size soon stop allocating.
template <class T>
void grow(std::vector<T>& items, std::size_t count) {
  if (items.size() >= count) return;
  std::vector<T>().swap(items);
  items.resize(count + count / 8);
}

}  // namespace

std::uint64_t WindowBuffer::bytes_for(std::uint64_t rows, std::uint32_t features, bool sparse, std::uint64_t entries) {
  const std::uint64_t bytes =
      sparse ? rows * (sizeof(SparseRow) + 4 + 8) + 8 + entries * 8 : rows * 4 * (std::uint64_t{features} + 1);
  return bytes + bytes / 8;
}

void WindowBuffer::begin(std::uint32_t first, std::uint32_t last) {
  first_ = first;
  count_ = last - first;
  grow(labels_, count_);
  if (sparse_) {
    placed_.clear();
    placed_.reserve(count_);
    grow(offsets_, std::size_t{count_} + 1);
  } else {
    grow(dense_, std::size_t{count_} * features_);
  }
}

void WindowBuffer::place(const RowBlock& source, std::span<const std::uint32_t> slots) {
  if (sparse_) {
    place_sparse(source, slots);
  } else {
    place_dense(source, slots);
  }
}

void WindowBuffer::place_dense(const RowBlock& source, std::span<const std::uint32_t> slots) noexcept {
  const std::size_t features = features_;
  for (std::size_t i = 0; i < source.rows; ++i) {
    const std::uint32_t visit = slots[i] - first_;
    if (visit >= count_) continue;  // before `first` as well: the difference wraps around
    std::memcpy(dense_.data() + visit * features, source.dense + i * features, features * sizeof(float));
    labels_[visit] = source.labels[i];
  }
}

void WindowBuffer::place_sparse(const RowBlock& source, std::span<const std::uint32_t> slots) {
  for (std::size_t i = 0; i < source.rows; ++i) {
    const std::uint32_t visit = slots[i] - first_;
    if (visit >= count_) continue;
    const std::uint64_t begin = source.offsets[i];
    labels_[visit] = source.labels[i];
    offsets_[visit + 1] = source.offsets[i + 1] - begin;
    placed_.push_back({source.columns + begin, source.values + begin, visit});
  }
}

void WindowBuffer::lay_out_sparse() {
  offsets_[0] = 0;
  for (std::size_t i = 0; i < count_; ++i) offsets_[i + 1] += offsets_[i];
  grow(columns_, offsets_[count_]);
  grow(values_, offsets_[count_]);
  for (const SparseRow& row : placed_) {
    const std::uint64_t begin = offsets_[row.visit];
    const std::uint64_t entries = offsets_[row.visit + 1] - begin;
    std::copy_n(row.columns, entries, columns_.data() + begin);
    std::copy_n(row.values, entries, values_.data() + begin);
  }
}

RowBlock WindowBuffer::rows() {
  RowBlock block;
  block.rows = count_;
  block.features = features_;
  block.labels = labels_.data();
  if (sparse_) {
    lay_out_sparse();
    block.offsets = offsets_.data();
    block.columns = columns_.data();
    block.values = values_.data();
  } else {
    block.dense = dense_.data();
  }
  return block;
}

}  // namespace sotto
