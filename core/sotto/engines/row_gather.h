#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/data/row_block.h"

namespace sotto {

/// Hands single rows on in blocks: dense ones are copied side by side first, since kernels take several at a time.
/// Sparse ones go on as they come.
class RowGather {
 public:
  RowGather(std::uint32_t features, bool sparse, RowConsumer& next)
      : features_(features), room_(sparse ? 0 : room_for(features)), next_(next) {
    dense_.resize(room_ * features);
    labels_.resize(room_);
  }

  /// One row, without a weight of its own; a dense one need not stay.
  void add(const RowBlock& row) noexcept {
    if (room_ == 0) return next_.consume(row);
    std::copy_n(row.dense, features_, dense_.data() + count_ * features_);
    labels_[count_] = *row.labels;
    if (++count_ == room_) flush();
  }
  /// Hands on what is left; must be called after the last row.
  void flush() noexcept {
    if (count_ == 0) return;
    RowBlock rows;
    rows.rows = count_;
    rows.features = features_;
    rows.labels = labels_.data();
    rows.dense = dense_.data();
    count_ = 0;
    next_.consume(rows);
  }

 private:
  static std::size_t room_for(std::uint32_t features) noexcept {
    constexpr std::size_t kBytes = 131072;  // stays near
    return std::clamp<std::size_t>(kBytes / (sizeof(float) * std::max<std::size_t>(features, 1)), 8, 256) / 8 * 8;
  }

  std::uint32_t features_;
  std::size_t room_;
  std::size_t count_ = 0;
  std::vector<float> dense_;
  std::vector<float> labels_;
  RowConsumer& next_;
};

}  // namespace sotto
