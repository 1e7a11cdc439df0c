#include "sotto/privacy/ledger/sqlite_store.h"

#include <algorithm>
#include <array>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/files.h"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 14> kSchema = {
    "CREATE TABLE record (sequence INTEGER PRIMARY KEY CHECK (sequence >= 0), kind TEXT NOT NULL, "
    "entry INTEGER NOT NULL CHECK (entry >= 0), time INTEGER NOT NULL, "
    "cost_loss INTEGER NOT NULL CHECK (cost_loss >= 0), cost_delta INTEGER NOT NULL CHECK (cost_delta >= 0), "
    "spent_loss INTEGER NOT NULL CHECK (spent_loss >= 0), spent_delta INTEGER NOT NULL CHECK (spent_delta >= 0), "
    "request TEXT NOT NULL, detail TEXT NOT NULL, token TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL "
    "UNIQUE) STRICT",
    "CREATE TABLE model (entry INTEGER PRIMARY KEY REFERENCES record (sequence), bytes BLOB NOT NULL) STRICT",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL, "
    "spent_loss INTEGER NOT NULL, spent_delta INTEGER NOT NULL, limit_loss INTEGER NOT NULL, "
    "limit_delta INTEGER NOT NULL, CHECK (spent_loss BETWEEN 0 AND limit_loss), "
    "CHECK (spent_delta BETWEEN 0 AND limit_delta)) STRICT",
    "CREATE TABLE secret (one INTEGER PRIMARY KEY CHECK (one = 1), key TEXT NOT NULL) STRICT",
    "CREATE TRIGGER secret_stays BEFORE UPDATE ON secret BEGIN SELECT raise(ABORT, 'the key stays'); END",
    "CREATE TRIGGER secret_kept BEFORE DELETE ON secret BEGIN SELECT raise(ABORT, 'the key stays'); END",
    "CREATE UNIQUE INDEX one_end ON record (entry) WHERE kind IN ('released', 'voided')",
    "CREATE TRIGGER record_follows BEFORE INSERT ON record WHEN EXISTS (SELECT 1 FROM head WHERE "
    "NEW.sequence <> sequence + 1 OR NEW.previous <> hash OR "
    "NEW.spent_loss <> spent_loss + iif(NEW.kind = 'reserved', NEW.cost_loss, iif(NEW.kind = 'voided', "
    "-NEW.cost_loss, 0)) OR "
    "NEW.spent_delta <> spent_delta + iif(NEW.kind = 'reserved', NEW.cost_delta, iif(NEW.kind = 'voided', "
    "-NEW.cost_delta, 0))) BEGIN SELECT raise(ABORT, 'a record follows the last one'); END",
    "CREATE TRIGGER record_stays BEFORE UPDATE ON record BEGIN SELECT raise(ABORT, 'records stay'); END",
    "CREATE TRIGGER record_kept BEFORE DELETE ON record BEGIN SELECT raise(ABORT, 'records stay'); END",
    "CREATE TRIGGER model_stays BEFORE UPDATE ON model BEGIN SELECT raise(ABORT, 'models stay'); END",
    "CREATE TRIGGER model_kept BEFORE DELETE ON model BEGIN SELECT raise(ABORT, 'models stay'); END",
    "CREATE TRIGGER head_kept BEFORE DELETE ON head BEGIN SELECT raise(ABORT, 'the head stays'); END",
    "CREATE TRIGGER head_follows BEFORE UPDATE ON head WHEN NEW.sequence <> OLD.sequence + 1 OR "
    "NEW.limit_loss <> OLD.limit_loss OR NEW.limit_delta <> OLD.limit_delta OR NOT EXISTS (SELECT 1 FROM record WHERE "
    "sequence = NEW.sequence AND hash = NEW.hash AND spent_loss = NEW.spent_loss AND spent_delta = NEW.spent_delta) "
    "BEGIN SELECT raise(ABORT, 'the head follows the last record'); END"};

constexpr std::string_view kFields =
    "sequence, kind, entry, time, cost_loss, cost_delta, spent_loss, spent_delta, request, detail, token, "
    "previous, hash";

std::int64_t stored(std::uint64_t amount) { return static_cast<std::int64_t>(amount); }  // filters stay below 2^63

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::invalid_data, path + ": the ledger is damaged or was edited: " + what, "ledger");
}

LedgerRecord record_of(const SqliteStatement& row, const std::string& path) {
  LedgerRecord record;
  const auto amount = [&](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
  record.sequence = amount(0);
  try {
    record.kind = enum_by_name<RecordKind>(row.text(1), "kind");
  } catch (const Error&) {
    damaged(path, "a record is of no known kind");
  }
  record.entry = amount(2);
  record.time = row.integer(3);
  record.cost = {amount(4), amount(5)};
  record.spent = {amount(6), amount(7)};
  record.request = row.text(8);
  record.detail = row.text(9);
  record.token = row.text(10);
  if (!digest_from_hex(row.text(11), record.previous) || !digest_from_hex(row.text(12), record.hash)) {
    damaged(path, "a record has no hash");
  }
  return record;
}

/// The path of a file that is one; of another nothing is opened.
const std::string& regular(const std::string& path) {
  inode_of(path);
  return path;
}

}  // namespace

SqliteStore::SqliteStore(const std::string& path)
    : path_(path), connection_(regular(path_), SqliteConnection::Mode::open) {
  check_schema();
}

SqliteStore::SqliteStore(const std::string& path, const Digest& key)
    : path_(path), connection_(path, SqliteConnection::Mode::create) {
  for (const std::string_view statement : kSchema) connection_.run(statement);
  connection_.prepare("INSERT INTO secret VALUES (1, ?)").bind(hex_of(key)).step();
}

LedgerPlace SqliteStore::place() const { return {path_, "", inode_of(path_)}; }

Digest SqliteStore::key(const LedgerPlace& /*place*/) const {
  Digest key{};
  SqliteStatement row = connection_.prepare("SELECT key FROM secret");
  if (!row.step() || !digest_from_hex(row.text(0), key)) damaged(path_, "its key is missing");
  return key;
}

void SqliteStore::check_schema() const {
  SqliteStatement rows = connection_.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL");
  std::size_t found = 0;
  while (rows.step()) {
    if (std::ranges::find(kSchema, rows.text(0)) == kSchema.end())
      damaged(path_, "its tables are not those of a ledger");
    ++found;
  }
  if (found != kSchema.size()) damaged(path_, "a table or rule of a ledger is missing");
}

StoredRecords SqliteStore::read(std::uint64_t first) {
  connection_.check_process();
  const SqliteTransaction snapshot(connection_, SqliteTransaction::Kind::read);
  StoredRecords now;
  SqliteStatement rows =
      connection_.prepare("SELECT " + std::string(kFields) + " FROM record WHERE sequence >= ? ORDER BY sequence");
  rows.bind(stored(first));
  while (rows.step()) now.records.push_back(record_of(rows, path_));
  now.head = head();
  return now;
}

StoredHead SqliteStore::head() const {
  SqliteStatement row =
      connection_.prepare("SELECT sequence, hash, spent_loss, spent_delta, limit_loss, limit_delta FROM head");
  if (!row.step()) damaged(path_, "its totals are missing");
  const auto amount = [&](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
  return {amount(0), row.text(1), {amount(2), amount(3)}, {amount(4), amount(5)}};
}

bool SqliteStore::follows(const LedgerRecord& record) const {
  if (record.kind == RecordKind::opened) return true;
  const StoredHead last = head();
  return record.sequence == last.sequence + 1 && hex_of(record.previous) == last.hash;
}

bool SqliteStore::append(const LedgerRecord& record, const std::string* bytes) {
  connection_.check_process();
  if (record.kind == RecordKind::corrected) {
    throw Error(ErrorKind::unsupported, "a ledger in a file is made anew instead, where nothing was spent", "ledger");
  }
  SqliteTransaction transaction(connection_, SqliteTransaction::Kind::write);
  if (!follows(record)) return false;
  insert(record, bytes);
  transaction.commit();
  return true;
}

void SqliteStore::insert(const LedgerRecord& record, const std::string* bytes) {
  SqliteStatement insert = connection_.prepare("INSERT INTO record (" + std::string(kFields) +
                                               ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(stored(record.sequence)).bind(enum_name(record.kind)).bind(stored(record.entry)).bind(record.time);
  insert.bind(stored(record.cost.loss)).bind(stored(record.cost.delta));
  insert.bind(stored(record.spent.loss)).bind(stored(record.spent.delta));
  insert.bind(record.request).bind(record.detail).bind(record.token);
  insert.bind(hex_of(record.previous)).bind(hex_of(record.hash)).step();
  if (bytes != nullptr) {
    connection_.prepare("INSERT INTO model (entry, bytes) VALUES (?, ?)")
        .bind(stored(record.entry))
        .bind_blob(*bytes)
        .step();
  }
  if (record.kind == RecordKind::opened) {
    const Filter::Cost limit = terms_from(record.detail).filter.limit;
    connection_.prepare("INSERT INTO head VALUES (1, 0, ?, 0, 0, ?, ?)")
        .bind(hex_of(record.hash))
        .bind(stored(limit.loss))
        .bind(stored(limit.delta))
        .step();
    return;
  }
  connection_.prepare("UPDATE head SET sequence = ?, hash = ?, spent_loss = ?, spent_delta = ?")
      .bind(stored(record.sequence))
      .bind(hex_of(record.hash))
      .bind(stored(record.spent.loss))
      .bind(stored(record.spent.delta))
      .step();
}

std::string SqliteStore::bytes_of(std::uint64_t entry) {
  connection_.check_process();
  SqliteStatement row = connection_.prepare("SELECT bytes FROM model WHERE entry = ?");
  if (!row.bind(stored(entry)).step()) damaged(path_, "what an entry released is missing");
  return row.text(0);
}

void SqliteStore::check_whole(std::uint64_t released) {
  if (connection_.text_of("PRAGMA integrity_check") != "ok") damaged(path_, "its pages are not in order");
  if (connection_.text_of("SELECT count(*) FROM model") != std::to_string(released)) {
    damaged(path_, "a model is stored that was never released");
  }
}

}  // namespace sotto
