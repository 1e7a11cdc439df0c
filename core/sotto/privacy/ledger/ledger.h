#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/privacy/ledger/chain.h"
#include "sotto/privacy/ledger/record_store.h"
#include "sotto/privacy/ledger/reservation.h"
#include "sotto/privacy/ledger/signing.h"

namespace sotto {

/// The budget of one data set across all releases from it, over a store of records. Append-only; nothing refunds. Every
/// spending is durable and anchored when `reserve` returns, every release when `release` returns. Requests may depend on
/// earlier outputs: the filter fixed at creation composes them (spec 6.4), and the guarantee is its budget.
///
/// The protocol is here and nowhere else. Opening replays the whole chain and compares it with the totals of the store
/// and with the anchor; what does not agree is refused and never mended. A writer holds the lock of the anchor, reads
/// what is there, makes its record, has the store commit it, reads it back, and tells the anchor. No lock is held while
/// a model is trained.
///
/// Not for several threads at a time. A child process after fork must open its own. After a failed write or flush the
/// object refuses everything: whether the bytes reached the disk is then unknown.
class Ledger {
 public:
  using Clock = std::function<std::int64_t()>;  ///< seconds since 1970; read for the records' time only

  explicit Ledger(std::unique_ptr<RecordStore> store, Clock clock = {});
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Throws Error{unsupported} for a relation no ledger is offered under.
  static void check_relation(Relation relation);
  /// Declares this copy the one valid after it was moved: to be called by who knows that no other copy is used. Every
  /// former anchor that can be reached is told, so that the copies they belong to are refused from then on. The last
  /// one must be there and agree; or the caller gives the word that nothing is left where it was, as after a folder was
  /// renamed, and the one given must be there and agree: a copy that was left could spend the budget once more.
  enum class Former { told, gone };
  static void move(std::unique_ptr<RecordStore> store, const std::string& anchor, Former former);
  /// Binds it to other rows, with the anchor that is named after them. The former anchor stays too: neither the old nor
  /// the new rows get a second budget anywhere.
  static void rebind(std::unique_ptr<RecordStore> store, const std::string& anchor, RowBinding rows);

  const LedgerTerms& terms() const noexcept { return terms_; }
  const LedgerPlace& place() const noexcept { return chain_.place(); }
  /// Whether this is the fingerprint (files/fingerprint.h) of the data the budget belongs to.
  bool is_about(const Digest& fingerprint) const;
  /// The budget and what is spent of it now.
  Filter filter();
  /// What the analyst may spend who is charged now; none where nobody is named or the whole budget is open.
  std::optional<AnalystShare> share();
  std::vector<LedgerEntry> entries();
  std::vector<LedgerRecord> records();
  /// The bytes an earlier release of the same request put out, the first of them; asking again is free.
  std::optional<std::string> stored(const std::string& request);
  /// What an entry released. Throws Error{invalid_data} if the bytes are not those.
  std::string bytes_of(const LedgerEntry& entry);
  /// Recomputes chain, totals, limits and stored bytes and compares them with the anchor. Throws Error{invalid_data} or
  /// Error{io}; never repairs.
  LedgerCheck verify();

  /// By which a reader tells what this ledger released.
  PublicKey public_key() const;
  /// The signature of a text this ledger releases (SigningKey::sign). The private key has no other use and no reader.
  std::string sign(std::string_view text) const;

  /// Charges before the first row is read. Throws Error{budget_exceeded}, and spends nothing, if it does not fit.
  Reservation reserve(const Spending& spending);
  /// Stores what is about to leave, together with the fact that it leaves, and uses the reservation up: whatever
  /// happens, nothing else is released under it. Throws Error{internal} for one that was used, that is another
  /// ledger's, or that another process made.
  void release(Reservation&& reservation, const std::string& bytes);
  /// Gives a reservation back, before any row was read or noise drawn under it. Throws Error{internal} after
  /// begin_reading.
  void cancel(Reservation&& reservation);
  /// The holder's word that an analyst may spend a share of the budget, in place of the one they had.
  void grant(const ShareGrant& granted);
  /// The holder's word that all releases together keep less than was promised before; without a delta it stays. A budget
  /// is never raised. Throws Error{budget_exceeded} if more is spent already.
  void lower(double epsilon, std::optional<double> delta = {});
  /// Other terms for a ledger that was never charged, as after a slip at its creation: any filter, budget and share.
  void correct(const ChangedTerms& changed);

 private:
  enum class Trust { placed, anywhere };
  Ledger(std::unique_ptr<RecordStore> store, Clock clock, Trust trust);
  void open();
  void usable() const;
  bool is_here() const;
  void refuse_copy() const;
  [[noreturn]] static void refuse_moved();
  /// Takes in the records that were written since and compares them with the totals; or later, where the anchor has the
  /// better reason: totals that do not agree with records that were cut say less.
  enum class Totals { now, later };
  void refresh(Totals totals = Totals::now);
  void catch_up(Chain& chain, Totals totals);
  void check_key(const Chain& chain) const;

  using Make = std::function<LedgerRecord()>;
  using Anchors = std::vector<std::unique_ptr<Anchor>>;
  /// What becomes of a record when the ledger was bound to other rows, or moved, meanwhile.
  enum class OnMove { refuse, follow };
  /// One record, committed, flushed, anchored. `make` sees the chain as it is then.
  LedgerRecord write(const Make& make, const std::string* bytes, OnMove on_move = OnMove::refuse);
  /// None if the ledger is not at its anchor any more, or a move to it did not finish.
  std::optional<LedgerRecord> write_here(const Make& make, const std::string* bytes);
  /// With the lock held: has the record that follows committed, made anew as often as another came first. None if one
  /// of those moved the ledger.
  std::optional<LedgerRecord> commit(const Make& make, const std::string* bytes);

  Anchor lock(const std::string& anchor) { return store_->lock(anchor, chain_.terms().id); }
  /// Those to be told that the ledger left the first `count` of its places, and `next`; those that can be reached,
  /// locked, always in the same order.
  Anchors reach(std::size_t count, const std::string& next);
  /// Tells them of the record that moved the ledger to `next`.
  void tell(Anchors& reached, const std::string& next) const;
  void settle(LedgerPlace next, Former former);
  /// Tells the anchors of a move whose session ended before it did.
  void finish_move();

  std::unique_ptr<RecordStore> store_;
  Clock clock_;
  Chain chain_;
  LedgerTerms terms_;  // those of the chain, with the rows it is bound to now
  Digest key_{};       // random, of which the terms hold the digest
  std::uint64_t settled_at_ = 0;
  bool failed_ = false;
};

/// A ledger that is not there yet: its random key, and its first two records, which fix what it is about and where it
/// is. `terms.id`, `data_tag`, `key_check`, `public_key` and `filter.limit` are filled in, and the key of a binding.
struct NewLedger {
  NewLedger(LedgerTerms terms, LedgerPlace place, const Digest& fingerprint);
  AnchorPoint last() const noexcept { return {records.back().sequence, records.back().hash}; }

  Digest key;
  std::string id;
  std::vector<LedgerRecord> records;
};

/// The refusal of a request that does not fit: what it costs, what is used and what would fit, ending in `hint`. `delta`
/// is the one that was asked for, where it is known.
[[noreturn]] void refuse_spending(const Filter& filter, const Filter::Cost& cost, std::optional<double> delta = {},
                                  const std::string& hint = "");
/// The same of one that does not fit the share of who asks.
[[noreturn]] void refuse_share(const AnalystShare& share, const Filter& filter, const Filter::Cost& cost);

}  // namespace sotto
