#pragma once
#include <functional>
#include <optional>
#include <string>

#include "capi/sotto_c.h"
#include "sotto/privacy/ledger/anchor.h"
#include "sotto/privacy/ledger/chain.h"
#include "sotto/privacy/ledger/ledger.h"

namespace sotto::capi {

/// The raw rows a ledger is about now. A ledger outlives them: when the table is read anew it is bound to what is
/// there then, and what was spent stays spent.
struct Binding {
  std::string fingerprint;
  std::uint64_t rows = 0;
  std::string key;  ///< of the ledger, for its data_tag: 64 hexadecimal digits, the same in all bindings
};

/// A ledger whose records a host keeps (sotto_store). The chain, the anchor and every decision are the library's; the
/// host commits. The writer holds the anchor's lock, so records and anchor keep one order.
class StoreLedger final : public Ledger {
 public:
  static void create(const sotto_store& store, LedgerTerms terms, const std::string& fingerprint,
                     const std::string& anchor);
  /// Declares this copy the valid one; at least one anchor, the one given or the last, must be there and agree.
  static void move(const sotto_store& store, const std::string& anchor);
  /// Binds it to other rows, with the anchor that is named after them. The former anchor stays too: neither the old nor
  /// the new rows get a second budget anywhere.
  static void rebind(const sotto_store& store, const std::string& anchor, const std::string& fingerprint,
                     std::uint64_t rows);
  /// Replays the records and compares them with place, anchor and what the host keeps beside them.
  explicit StoreLedger(const sotto_store& store);

  /// The holder's word that an analyst may spend a share of the budget, in place of the one they had.
  void grant(const ShareGrant& granted);

  const LedgerTerms& terms() const override { return terms_; }
  bool is_about(const Digest& fingerprint) const override;
  Filter filter() override;
  std::optional<AnalystShare> share() override;
  std::vector<LedgerEntry> entries() override;
  std::vector<LedgerRecord> records() override;
  std::optional<std::string> stored(const std::string& request) override;
  std::string bytes_of(const LedgerEntry& entry) override;
  LedgerCheck verify() override;

 protected:
  Digest secret() const override;
  Reserved do_reserve(const Spending& spending, const std::string& token) override;
  void do_release(const Ending& ending, const std::string& bytes) override;
  void do_cancel(const Ending& ending) override;

 private:
  enum class Trust { placed, anywhere };
  StoreLedger(const sotto_store& store, Trust trust);
  void open();
  void refuse_copy() const;
  void settle(const std::string& anchor, const Binding& binding);
  void settle_between(const std::string& former, const std::string& anchor, const Binding& binding);
  void refresh();
  /// Throws Error{invalid_data} unless the totals, limits and rows the host keeps are those of the records.
  void check_head();
  std::string analyst() const { return store_.analyst != nullptr ? store_.analyst : ""; }
  std::vector<LedgerRecord> read(std::uint64_t first) const;
  /// Asks the host whether to go on waiting for an anchor; empty if it does not want to be asked.
  std::function<void()> waiting() const;
  using Make = std::function<LedgerRecord()>;
  /// What becomes of a record when the ledger was bound to other rows, or moved, meanwhile.
  enum class OnMove { refuse, follow };
  LedgerRecord write(const Make& make, const std::string* bytes, OnMove on_move = OnMove::refuse);
  /// None if the ledger is not at `path`, or a move to it did not finish.
  std::optional<LedgerRecord> write_at(const std::string& path, const Make& make, const std::string* bytes);
  /// With the lock held: has the record that follows committed, made anew as often as another came first. None if one
  /// of those moved the ledger.
  std::optional<LedgerRecord> commit(const Make& make, const std::string* bytes);
  /// Tells both anchors of a move whose session ended before it did.
  void finish_move();

  sotto_store store_;
  Chain chain_;
  LedgerTerms terms_;  // those of the chain, with the rows it is bound to now
  Binding bound_;
};

}  // namespace sotto::capi
