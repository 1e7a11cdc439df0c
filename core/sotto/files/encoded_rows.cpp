#include "sotto/files/encoded_rows.h"

#include <span>

namespace sotto {

void EncodedRows::clear() noexcept {
  columns_.clear();
  values_.clear();
  ends_.clear();
  labels_.clear();
  usable_.clear();
}

void EncodedRows::add(const EncodedRow& row) {
  sparse_ = row.sparse;
  if (sparse_) columns_.insert(columns_.end(), row.columns.begin(), row.columns.end());
  values_.insert(values_.end(), row.values.begin(), row.values.end());
  ends_.push_back(values_.size());
  labels_.push_back(row.label);
  usable_.push_back(row.usable ? 1 : 0);
}

void EncodedRows::send_row(RowSink& sink, std::size_t row) const {
  const std::size_t first = row == 0 ? 0 : ends_[row - 1];
  const std::size_t count = ends_[row] - first;
  const std::span<const float> values = std::span(values_).subspan(first, count);
  if (sparse_) {
    sink.add_sparse(std::span(columns_).subspan(first, count), values, labels_[row]);
  } else {
    sink.add_dense(values, labels_[row]);
  }
}

void EncodedRows::send(RowSink& sink) const {
  for (std::size_t i = 0; i < size(); ++i) send_row(sink, i);
}

std::uint64_t EncodedRows::send_usable(RowSink& sink) const {
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (usable_[i] == 0) continue;
    send_row(sink, i);
    ++sent;
  }
  return sent;
}

}  // namespace sotto
