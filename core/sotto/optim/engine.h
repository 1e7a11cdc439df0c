#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sotto/base/sha256.h"
#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/data/row_check.h"
#include "sotto/data/scan_order.h"

namespace sotto {

/// Whoever owns the loop over rows and feeds an aggregate. An engine sees no method and no privacy.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Public facts; reads no row.
  virtual Facts facts() const = 0;
  /// The positions per block that this engine's storage has; a ScanOrder for it uses the same number.
  virtual std::uint32_t block_rows() const = 0;
  /// Feeds every row exactly once, in the order of pass number `pass`, in blocks of any size.
  /// Throws Error{io} only for storage that cannot be read or fails its checksum.
  virtual void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) = 0;
  /// Feeds the rows at positions [first, first + count) as stored. May be called by several threads at a time, each
  /// with a consumer of its own. Throws as scan() does.
  virtual void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const = 0;
  /// Feeds the rows at these positions, which ascend, in blocks of any size. Throws as scan() does.
  virtual void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const;
  /// Called by views that keep a copy of rows, each time they have read `rows` of them from the copy. Throws if the
  /// host has cancelled the run.
  virtual void poll(std::uint64_t /*rows*/) const {}
  /// Called once everything is read and before anything leaves. Throws Error{invalid_data} if the rows have changed
  /// since the engine was opened, as memory that another owner can write may have. What was charged stays charged.
  virtual void require_unchanged() const {}
};

/// Rows that are not read before the decision that they may be read.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Public facts of that many rows; reads none of them. Throws Error{invalid_data} if the source says it has another
  /// number.
  virtual Facts facts(std::uint64_t rows) const = 0;
  /// How text becomes rows (files/reading.h); empty where none is parsed. Reads nothing.
  virtual std::string reading() const { return {}; }
  /// Identifies the raw data (files/fingerprint.h): reads bytes, parses no row.
  virtual Digest fingerprint() const = 0;
  /// From here on rows are read.
  virtual std::unique_ptr<Engine> open() = 0;
  struct Opened {
    std::unique_ptr<Engine> engine;
    Digest fingerprint{};
  };
  /// The same, with the fingerprint of the very bytes the engine's rows come from. The data may have changed since
  /// `fingerprint`: a release under a budget compares this one.
  virtual Opened open_fingerprinted() = 0;
  /// For whoever may read the rows, before anything is charged: reads them, and says what became of them. Nothing where they
  /// were encoded before. What is opened afterwards is the same as without it. `way` tells which of the two it will be.
  enum class Opening { plain, fingerprinted };
  virtual std::optional<RowCheck> check(Opening /*way*/) { return std::nullopt; }
};

}  // namespace sotto
