#pragma once
#include <cstddef>
#include <cstdint>

#include "sotto/optim/engine.h"

/// Another engine's rows, in part or under other labels.
namespace sotto {

/// What such views share: rows come as stored, whatever order is asked for. The engine must outlive the view.
class RowView : public Engine {
 public:
  explicit RowView(const Engine& rows) : rows_(rows) {}

  std::uint32_t block_rows() const override { return rows_.block_rows(); }
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;

 protected:
  const Engine& rows() const noexcept { return rows_; }

 private:
  const Engine& rows_;
};

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

/// Rows of one class against the rest: labels are +1 and -1.
class OneAgainstRest final : public RowView {
 public:
  OneAgainstRest(const Engine& rows, std::size_t output) : RowView(rows), label_(static_cast<float>(output)) {}

  Facts facts() const override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;

 private:
  float label_;
};

}  // namespace sotto
