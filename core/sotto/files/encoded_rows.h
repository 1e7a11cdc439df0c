#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/data/row_encoder.h"
#include "sotto/data/row_sink.h"

namespace sotto {

/// Encoded rows one after another, on their way from the thread that encoded them to a sink.
class EncodedRows {
 public:
  void clear() noexcept;
  void add(const EncodedRow& row);
  std::size_t size() const noexcept { return labels_.size(); }
  /// True from about 16 MiB on.
  bool full() const noexcept { return values_.size() + columns_.size() >= kMostNumbers; }
  void send(RowSink& sink) const;
  /// Leaves out rows that a bad cell or label has made zero; returns how many were sent.
  std::uint64_t send_usable(RowSink& sink) const;

 private:
  static constexpr std::size_t kMostNumbers = std::size_t{4} << 20;
  void send_row(RowSink& sink, std::size_t row) const;

  bool sparse_ = false;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
  std::vector<std::size_t> ends_;  // of each row's values
  std::vector<float> labels_;
  std::vector<char> usable_;
};

}  // namespace sotto
