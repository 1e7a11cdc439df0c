#include "sotto/privacy/ledger/sqlite_connection.h"

#include <sqlite3.h>
#include <unistd.h>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr int kBusyMilliseconds = 30000;

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR: return ErrorKind::invalid_data;
    default: return ErrorKind::io;
  }
}

std::string reason_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return "the disk is full";
    case SQLITE_READONLY: return "it is read-only";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "it is in use by another process";
    case SQLITE_CORRUPT: return "it is damaged";
    case SQLITE_NOTADB: return "it is not a ledger";
    case SQLITE_CONSTRAINT: return "a rule of the ledger forbids it";
    case SQLITE_IOERR: return "reading or writing failed (the disk may be full or failing)";
    default: return sqlite3_errstr(code);
  }
}

void need(int code, const std::string& path) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  throw Error(kind_of(code), path + ": the ledger cannot be used: " + reason_of(code), "ledger");
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3* database, const std::string& path, std::string_view sql) : path_(path) {
  need(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr), path);
}
SqliteStatement::~SqliteStatement() { sqlite3_finalize(statement_); }

SqliteStatement& SqliteStatement::bind(std::int64_t value) {
  need(sqlite3_bind_int64(statement_, ++bound_, value), path_);
  return *this;
}
SqliteStatement& SqliteStatement::bind(std::string_view text) {
  need(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8), path_);
  return *this;
}
SqliteStatement& SqliteStatement::bind_blob(std::string_view bytes) {
  need(sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT), path_);
  return *this;
}
bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_);
  need(code, path_);
  return code == SQLITE_ROW;
}
std::int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
std::string SqliteStatement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return bytes == nullptr ? std::string() : std::string(bytes, sqlite3_column_bytes(statement_, column));
}

SqliteConnection::SqliteConnection(const std::string& path, Mode mode) : path_(path), process_(::getpid()) {
  // One thread at a time uses a ledger; SQLite's own mutexes stay on all the same.
  const int code = sqlite3_open_v2(path.c_str(), &database_,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  try {
    need(code, path);
    set_up(mode);
  } catch (...) {
    sqlite3_close_v2(database_);
    throw;
  }
}

SqliteConnection::~SqliteConnection() {
  if (::getpid() == process_) sqlite3_close_v2(database_);
}

void SqliteConnection::check_process() const {
  if (::getpid() == process_) return;
  throw Error(ErrorKind::unsupported, path_ + ": the ledger was opened by the parent process; open it again here",
              "ledger");
}

void SqliteConnection::set_up(Mode mode) {
  sqlite3_busy_timeout(database_, kBusyMilliseconds);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  run("PRAGMA trusted_schema = OFF");
  run("PRAGMA cell_size_check = ON");
  const std::string application = std::to_string(kApplication);
  if (mode == Mode::create) run("PRAGMA application_id = " + application);
  // Before anything is written to a file that may be somebody else's.
  if (text_of("PRAGMA application_id") != application) {
    throw Error(ErrorKind::invalid_data, path_ + ": is not a ledger", "ledger");
  }
  run("PRAGMA foreign_keys = ON");
  run("PRAGMA synchronous = FULL");
  const bool durable = text_of("PRAGMA journal_mode = WAL") == "wal" && text_of("PRAGMA synchronous") == "2" &&
                       text_of("PRAGMA foreign_keys") == "1";
  if (!durable) {
    throw Error(ErrorKind::io, path_ + ": the ledger cannot be used: its storage gives no durable commits", "ledger");
  }
}

void SqliteConnection::run(std::string_view sql) {
  need(sqlite3_exec(database_, std::string(sql).c_str(), nullptr, nullptr, nullptr), path_);
}

std::string SqliteConnection::text_of(std::string_view sql) const {
  SqliteStatement statement = prepare(sql);
  return statement.step() ? statement.text(0) : std::string();
}

SqliteTransaction::SqliteTransaction(SqliteConnection& connection, Kind kind) : connection_(connection) {
  connection_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}
SqliteTransaction::~SqliteTransaction() {
  if (!open_) return;
  try {
    connection_.run("ROLLBACK");
  } catch (const Error&) {
    // A failed statement may have ended the transaction already.
  }
}
void SqliteTransaction::commit() {
  connection_.run("COMMIT");
  open_ = false;
}

}  // namespace sotto
