#pragma once
#include <functional>
#include <string>

#include "sotto/privacy/ledger/anchor.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/privacy/ledger/sqlite_store.h"

namespace sotto {

/// A ledger in an SQLite file on a local disk, for any number of processes. Transactions are short; none is held while
/// a model is trained. Opening replays the whole chain and compares it with the anchor; what does not agree is refused
/// and never mended.
///
/// Not for several threads at a time. A child process after fork must open its own. After a failed write or flush the
/// object refuses everything: whether the bytes reached the disk is then unknown.
class SqliteLedger final : public Ledger {
 public:
  using Clock = std::function<std::int64_t()>;  ///< seconds since 1970; read for the records' time only

  /// Makes a ledger for the data of that fingerprint, and its anchor; neither replaces a file. `terms.id`, `data_tag`,
  /// `key_check` and `filter.limit` are filled in. The anchor is `path`.anchor unless another place is given; its
  /// absolute path is part of the ledger.
  static void create(const std::string& path, LedgerTerms terms, const Digest& fingerprint,
                     const std::string& anchor = "");
  /// Throws Error{unsupported} for a relation no ledger is offered under.
  static void check_relation(Relation relation);
  /// Declares this file the one valid copy after it was moved: to be called by who knows that no other copy is used.
  /// Every former anchor that can be reached is told, so that the copies they belong to are refused from then on. The
  /// last one must be there and agree; or the caller gives the word that nothing is left where it was, as after a
  /// folder was renamed, and the one given must be there and agree: a copy that was left could spend the budget once
  /// more.
  enum class Former { told, gone };
  static void move(const std::string& path, const std::string& anchor = "", Former former = Former::told);

  explicit SqliteLedger(const std::string& path, Clock clock = {});

  const LedgerTerms& terms() const override { return chain_.terms(); }
  bool is_about(const Digest& fingerprint) const override;
  const LedgerPlace& place() const { return chain_.place(); }
  Filter filter() override;
  std::vector<LedgerEntry> entries() override;
  std::vector<LedgerRecord> records() override;
  std::optional<std::string> stored(const std::string& request) override;
  std::string bytes_of(const LedgerEntry& entry) override;
  LedgerCheck verify() override;

 protected:
  Digest secret() const override { return store_.key(); }
  Reserved do_reserve(const Spending& spending, const std::string& token) override;
  void do_release(const Ending& end, const std::string& bytes) override;
  void do_cancel(const Ending& end) override;

 private:
  enum class Trust { placed, anywhere };
  SqliteLedger(const std::string& path, Clock clock, Trust trust);
  void open();
  void refresh();
  void usable() const;
  void check_key(const Chain& chain);
  void relocate(const std::string& anchor, Former former);
  /// One record, committed, flushed, anchored. `make` sees the chain as it is then.
  LedgerRecord write(const std::function<LedgerRecord()>& make, const std::string* bytes);
  LedgerRecord commit(LedgerRecord record, const std::string* bytes);

  std::string path_;
  Clock clock_;
  SqliteStore store_;
  Chain chain_;
  bool failed_ = false;
};

}  // namespace sotto
