#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/optim/views/row_view.h"

namespace sotto {

/// Rows of one class against the rest: labels are +1 and -1.
class OneAgainstRest final : public RowView {
 public:
  OneAgainstRest(const Engine& rows, std::size_t output) : RowView(rows), label_(static_cast<float>(output)) {}

  Facts facts() const override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;
  void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const override;

 private:
  float label_;
};

}  // namespace sotto
