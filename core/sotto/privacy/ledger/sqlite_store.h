#pragma once
#include <string>
#include <vector>

#include "sotto/privacy/ledger/record_store.h"
#include "sotto/privacy/ledger/sqlite_connection.h"

namespace sotto {

/// The tables of a ledger in an SQLite file on a local disk, for any number of processes: records, released bytes, and
/// one row with the totals. Beyond the checks of the ledger, constraints and triggers of the tables refuse an overspent
/// total, a gap in the sequence, and any change or removal of what is there. Transactions are short.
class SqliteStore final : public RecordStore {
 public:
  explicit SqliteStore(const std::string& path);
  /// Makes the tables in an empty file.
  SqliteStore(const std::string& path, const Digest& key);

  StoredRecords read(std::uint64_t first) override;
  bool append(const LedgerRecord& record, const std::string* bytes) override;
  std::string bytes_of(std::uint64_t entry) override;
  LedgerPlace place() const override;
  Digest key(const LedgerPlace& place) const override;
  void prepare() override { connection_.check_process(); }
  void check_whole(std::uint64_t released) override;

 private:
  void check_schema() const;
  StoredHead head() const;
  bool follows(const LedgerRecord& record) const;
  void insert(const LedgerRecord& record, const std::string* bytes);

  std::string path_;
  SqliteConnection connection_;
};

}  // namespace sotto
