#pragma once
#include <cstdint>

#include "sotto/optim/engine.h"

namespace sotto {

/// What views of another engine's rows share: the contract of an engine. A view says what the rows at given positions
/// are (scan_rows); any scan order then visits the view's own positions, and what its user is told reaches the engine
/// behind it. The engine must outlive the view.
class RowView : public Engine {
 public:
  explicit RowView(const Engine& rows) : rows_(rows) {}

  Facts facts() const override { return rows_.facts(); }
  std::uint32_t block_rows() const override { return rows_.block_rows(); }
  /// The stored order is one call of scan_rows. A shuffled one asks for every row alone: views are made for sums, which
  /// need no order.
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void poll(std::uint64_t rows) const override { rows_.poll(rows); }
  void require_unchanged() const override { rows_.require_unchanged(); }

 protected:
  const Engine& rows() const noexcept { return rows_; }

 private:
  const Engine& rows_;
};

}  // namespace sotto
