#pragma once
#include <cstdint>

#include "sotto/optim/engine.h"

/// Another engine's rows, in part or under other labels. The engine must outlive the view; rows come as stored.
namespace sotto {

/// The first of every kStride runs of rows.
class SomeRows final : public Engine {
 public:
  static constexpr std::uint64_t kStride = 8;

  explicit SomeRows(const Engine& rows);

  Facts facts() const override;
  std::uint32_t block_rows() const override { return rows_.block_rows(); }
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;

 private:
  const Engine& rows_;
  std::uint64_t run_;
};

/// Rows of one class against the rest: labels are +1 and -1.
class OneAgainstRest final : public Engine {
 public:
  OneAgainstRest(const Engine& rows, std::size_t output) : rows_(rows), label_(static_cast<float>(output)) {}

  Facts facts() const override;
  std::uint32_t block_rows() const override { return rows_.block_rows(); }
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;

 private:
  const Engine& rows_;
  float label_;
};

}  // namespace sotto
