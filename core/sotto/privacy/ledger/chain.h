#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/privacy/event.h"
#include "sotto/privacy/ledger/anchor.h"
#include "sotto/privacy/ledger/record.h"

namespace sotto {

/// A reserved entry counts as spent, whatever became of it. It ends in one of the other states or stays reserved, as
/// after a crash: spent, with nothing to show.
enum class EntryState { reserved, released, voided };
constexpr auto enum_names(EntryState) {
  return std::array{std::pair{std::string_view("reserved"), EntryState::reserved},
                    std::pair{std::string_view("released"), EntryState::released},
                    std::pair{std::string_view("voided"), EntryState::voided}};
}

struct LedgerEntry {
  std::uint64_t number = 0;  ///< the sequence of its reservation
  EntryState state = EntryState::reserved;
  Filter::Cost cost;
  std::string request;   ///< digest of the request
  std::string event;     ///< what was charged, in words
  std::string released;  ///< digest of the bytes released
  std::int64_t time = 0;
  std::string token;      ///< SHA-256 of the nonce that only the holder of the reservation knows
  std::string analyst{};  ///< who was charged, where the store knows
};

/// What is to be spent, and for which request.
struct Spending {
  Event event;
  double distance = 0;  ///< in total variation, of the noise drawn from its ideal law
  std::string request;  ///< digest of the request in canonical form
};

/// What a full check of a ledger looked at; it throws if something is wrong.
struct LedgerCheck {
  std::uint64_t records = 0;
  std::uint64_t models = 0;
  std::uint64_t anchored = 0;  ///< sequence of the last point of the anchor
};

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
  /// What `next` takes to lower the budget. Throws Error{invalid_argument} for one that is not below the present one and
  /// Error{budget_exceeded} for one below what is spent.
  LedgerRecord lowering(double epsilon, double delta) const;
  /// What `next` takes to give the ledger other terms. Throws Error{unsupported} if an entry was charged.
  LedgerRecord correction(const ChangedTerms& changed) const;

  bool empty() const noexcept { return hashes_.empty(); }
  std::uint64_t sequence() const noexcept { return hashes_.size() - 1; }
  const Digest& hash() const noexcept { return hashes_.back(); }
  /// The hash of the record of that number, if there is one.
  std::optional<Digest> hash_at(std::uint64_t sequence) const noexcept;

  /// With the budget as it is now.
  const LedgerTerms& terms() const noexcept { return terms_; }
  /// The limit the ledger was opened with.
  const Filter::Cost& opened_limit() const noexcept { return opened_limit_; }
  const LedgerPlace& place() const noexcept { return places_.back(); }
  const std::vector<LedgerPlace>& places() const noexcept { return places_; }
  /// The record that says where the ledger is.
  std::uint64_t placed_sequence() const noexcept { return placed_sequence_; }
  /// The last record that changed the terms or the place.
  std::uint64_t settled_sequence() const noexcept { return std::max(placed_sequence_, changed_sequence_); }
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
  void change(const LedgerRecord& record);
  bool charged() const noexcept;
  void close(const LedgerRecord& record, EntryState state);
  Filter::Cost spent_after(RecordKind kind, const Filter::Cost& cost) const noexcept;
  LedgerRecord ending(std::uint64_t entry, const std::string& nonce) const;
  LedgerEntry* find_open(std::uint64_t entry) noexcept;

  LedgerTerms terms_;
  std::vector<LedgerPlace> places_;
  std::uint64_t placed_sequence_ = 0;
  std::uint64_t changed_sequence_ = 0;
  Filter::Cost opened_limit_;
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
