#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/optim/engine.h"

/// Tables an audit invents, and an engine that feeds them in the order the audit wants.
namespace sotto::audit {

using Order = std::vector<std::size_t>;

/// One labelled row.
struct Row {
  std::vector<double> x;
  float label = 1;
};

/// Rows that are clipped to `norm` on entry, as a data set does.
class Table {
 public:
  Table(std::size_t rows, std::uint32_t features, double norm = 1, std::uint32_t classes = 2);
  std::size_t size() const { return labels_.size(); }
  void set(std::size_t position, const Row& row);
  Row row(std::size_t position) const;
  /// As it was set, before it was clipped.
  Row raw(std::size_t position) const;
  /// The same rows but for the last.
  Table without_last() const;
  Facts facts(bool sparse = false) const { return {size(), features_, norm_, sparse, classes_}; }
  /// All rows, dense, as stored.
  RowBlock view() const;
  /// Feeds the rows in the given order, `block` at a time, dense or CSR.
  void feed(RowConsumer& consumer, const Order& order, std::size_t block, bool sparse) const;

 private:
  void feed_block(RowConsumer& consumer, const Order& part, bool sparse) const;

  std::uint32_t features_;
  double norm_;
  std::uint32_t classes_;
  std::vector<float> values_;
  std::vector<float> labels_;
  std::map<std::size_t, Row> clipped_;  ///< the rows that were too long, as they came
};

Order stored_order(std::size_t rows);

/// How rows are fed; orders[j mod size] is the order of pass j, empty means as stored.
struct Feeding {
  std::vector<Order> orders;
  std::size_t block = 64;
  bool sparse = false;
};

/// Feeds a table as told, whatever order is asked for: an audit looks for the worst order. May claim another norm than
/// its rows have.
class TableEngine final : public Engine {
 public:
  explicit TableEngine(const Table& rows, Feeding feeding = {});
  TableEngine(const Table& rows, double claimed_norm) : TableEngine(rows) { facts_.data_norm = claimed_norm; }

  Facts facts() const override { return facts_; }
  std::uint32_t block_rows() const override { return 1; }
  void scan(const ScanOrder&, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;

 private:
  const Table& rows_;
  Feeding feeding_;
  Order stored_;
  Facts facts_;
};

}  // namespace sotto::audit
