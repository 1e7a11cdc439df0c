#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sotto/privacy/ledger/chain.h"
#include "sotto/privacy/ledger/sqlite_connection.h"

/// The tables of a ledger in SQLite: records, released bytes, and one row with the totals.
namespace sotto {

/// Reads and appends records. Beyond the checks of Chain, constraints and triggers of the tables refuse an overspent
/// total, a gap in the sequence, and any change or removal of what is there.
class SqliteStore {
 public:
  SqliteStore(const std::string& path, SqliteConnection::Mode mode);

  SqliteConnection& connection() noexcept { return connection_; }
  const SqliteConnection& connection() const noexcept { return connection_; }
  /// Replays the records the chain does not have yet and compares the stored totals with it. Within a transaction.
  void catch_up(Chain& chain);
  /// Appends the record, with the bytes that are released if there are any. Within a transaction.
  void append(const LedgerRecord& record, const std::string* bytes);
  std::vector<LedgerRecord> records(std::uint64_t first);
  std::string bytes_of(std::uint64_t entry);
  std::uint64_t count_bytes();
  /// The key of the ledger's data tag; kept once.
  void keep_key(const Digest& key);
  const Digest& key() const noexcept { return key_; }
  /// Throws Error{invalid_data} unless SQLite finds its own structure whole.
  void check_integrity();

 private:
  void check_schema();
  void read_key();
  void check_head(const Chain& chain);

  std::string path_;
  SqliteConnection connection_;
  Digest key_{};
};

}  // namespace sotto
