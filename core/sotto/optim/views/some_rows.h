#pragma once
#include <cstdint>

#include "sotto/optim/views/row_view.h"

namespace sotto {

/// The first of every kStride runs of rows.
class SomeRows final : public RowView {
 public:
  static constexpr std::uint64_t kStride = 8;

  explicit SomeRows(const Engine& rows);

  Facts facts() const override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;

 private:
  std::uint64_t run_;
};

}  // namespace sotto
