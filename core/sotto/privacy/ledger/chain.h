#pragma once
#include <functional>
#include <map>
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
  /// What `next` takes to charge a request; `token` is the digest of the nonce its holder knows. Throws
  /// Error{budget_exceeded} if it does not fit.
  /// A named analyst is held to their share too.
  LedgerRecord reservation(const Spending& spending, const std::string& token, const std::string& analyst = "") const;
  /// What `next` takes to end a reservation, by its nonce: with the digest of what leaves, or cancelled. Throws
  /// Error{internal} if there is none or it is another's.
  LedgerRecord release(std::uint64_t entry, const std::string& nonce, const std::string& bytes) const;
  LedgerRecord cancellation(std::uint64_t entry, const std::string& nonce) const;

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
  /// What an analyst may spend: the share granted to them last, or that of the terms.
  AnalystShare share_of(const std::string& analyst) const;
  const std::vector<LedgerEntry>& entries() const noexcept { return entries_; }
  const LedgerEntry* find(std::uint64_t entry) const noexcept;
  /// The first entry that released something for this request.
  const LedgerEntry* find_released(const std::string& request) const noexcept;

 private:
  void check_link(const LedgerRecord& record) const;
  void open(const LedgerRecord& record);
  void reserve(const LedgerRecord& record);
  void grant(const LedgerRecord& record);
  void close(const LedgerRecord& record, EntryState state);
  Filter::Cost spent_after(RecordKind kind, const Filter::Cost& cost) const noexcept;
  LedgerRecord ending(std::uint64_t entry, const std::string& nonce) const;
  LedgerEntry* find_open(std::uint64_t entry) noexcept;

  LedgerTerms terms_;
  std::vector<LedgerPlace> places_;
  std::uint64_t placed_sequence_ = 0;
  std::optional<Filter> filter_;
  std::vector<LedgerEntry> entries_;
  std::map<std::string, std::uint32_t> shares_;
  std::map<std::string, Filter::Cost> spent_by_;
  std::vector<Digest> hashes_;
};

/// Throws Error{invalid_data} unless the point of an anchor lies on the chain.
void check_point(const Chain& chain, const AnchorPoint& point);
/// Throws Error{invalid_data} unless these are the bytes the entry released.
void check_bytes(const LedgerEntry& entry, const std::string& bytes);
/// Every point of the anchor, and every released entry by `look_at`, which throws if its bytes are not there.
LedgerCheck check_all(const Chain& chain, const Anchor& anchor, const std::function<void(const LedgerEntry&)>& look_at);

}  // namespace sotto
