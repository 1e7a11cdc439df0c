#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/optim/views/row_view.h"

namespace sotto {

/// Another engine's rows, each with the public weight of its position. Which position comes when is what the ScanOrder
/// says, which every engine follows.
class WeightedEngine final : public RowView {
 public:
  /// `rows` must outlive it. Throws Error{invalid_argument} unless there is one weight in [0, 1] a row.
  WeightedEngine(Engine& rows, std::vector<float> weights);

  /// As the engine behind it scans this order.
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;
  void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const override;

 private:
  Engine& ordered_;
  std::vector<float> weights_;
};

}  // namespace sotto
