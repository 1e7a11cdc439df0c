#pragma once
// An engine over a table of test rows, without a disk or a shuffle.
#include <numeric>

#include "sotto/optim/engine.h"
#include "test_rows.h"

namespace sotto::test {

/// Feeds the rows as stored, whatever order is asked for. It may claim another bound than its rows have.
class TableEngine final : public Engine {
 public:
  explicit TableEngine(const Rows& rows) : rows_(rows), facts_(rows.facts()) {}
  TableEngine(const Rows& rows, double claimed_norm) : TableEngine(rows) { facts_.data_norm = claimed_norm; }

  Facts facts() const override { return facts_; }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t, RowConsumer& consumer) override { scan_rows(0, rows_.size(), consumer); }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    Order order(count);
    std::iota(order.begin(), order.end(), static_cast<std::size_t>(first));
    rows_.feed(consumer, order, 64, false);
  }

 private:
  const Rows& rows_;
  Facts facts_;
};

}  // namespace sotto::test
