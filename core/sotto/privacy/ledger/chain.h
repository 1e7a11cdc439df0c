#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sotto/privacy/ledger/anchor.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/privacy/ledger/record.h"

namespace sotto {

/// The story the records tell, checked record by record; any store of records replays through it. A record that does
/// not follow from those before it is Error{invalid_data}: the chain ends there and nothing mends it.
class Chain {
 public:
  /// Checks sequence, hashes, amounts and states, then takes the record in.
  void add(const LedgerRecord& record);
  /// The record that would follow: sequence, amounts and hashes filled in. `record` brings kind, entry, time, cost,
  /// request and detail.
  LedgerRecord next(LedgerRecord record) const;

  bool empty() const noexcept { return hashes_.empty(); }
  std::uint64_t sequence() const noexcept { return hashes_.size() - 1; }
  const Digest& hash() const noexcept { return hashes_.back(); }
  /// The hash of the record of that number, if there is one.
  std::optional<Digest> hash_at(std::uint64_t sequence) const noexcept;

  const LedgerTerms& terms() const noexcept { return terms_; }
  const LedgerPlace& place() const noexcept { return places_.back(); }
  const std::vector<LedgerPlace>& places() const noexcept { return places_; }
  /// The record that says where the ledger is.
  std::uint64_t placed_sequence() const noexcept { return placed_sequence_; }
  const Filter& filter() const noexcept { return *filter_; }
  const std::vector<LedgerEntry>& entries() const noexcept { return entries_; }
  const LedgerEntry* find(std::uint64_t entry) const noexcept;

 private:
  void check_link(const LedgerRecord& record) const;
  void open(const LedgerRecord& record);
  void reserve(const LedgerRecord& record);
  void close(const LedgerRecord& record, EntryState state);
  Filter::Cost spent_after(RecordKind kind, const Filter::Cost& cost) const noexcept;
  LedgerEntry* find_open(std::uint64_t entry) noexcept;

  LedgerTerms terms_;
  std::vector<LedgerPlace> places_;
  std::uint64_t placed_sequence_ = 0;
  std::optional<Filter> filter_;
  std::vector<LedgerEntry> entries_;
  std::vector<Digest> hashes_;
};

/// Throws Error{invalid_data} unless the point of an anchor lies on the chain.
void check_point(const Chain& chain, const AnchorPoint& point);

}  // namespace sotto
