#pragma once
#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// SQLite as the ledger needs it: every commit flushed, errors as Error. Not part of the installed stable surface.
namespace sotto {

/// One prepared statement; bind from the left, then step.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* database, const std::string& path, std::string_view sql);
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  ~SqliteStatement();

  SqliteStatement& bind(std::int64_t value);
  SqliteStatement& bind(std::string_view text);
  SqliteStatement& bind_blob(std::string_view bytes);
  /// True while there is a row.
  bool step();
  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// An open database file of the ledger's own kind.
class SqliteConnection {
 public:
  enum class Mode { open, create };
  /// Opens the file; `create` expects an empty one. Write-ahead log, full flush at every commit and foreign keys are
  /// set and read back. Throws Error{io} or Error{invalid_data}.
  SqliteConnection(const std::string& path, Mode mode);
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  /// In a process other than the one that opened it, the connection is left alone: closing it there could remove a log
  /// that the parent still writes.
  ~SqliteConnection();

  /// Throws Error{unsupported} in a forked child: SQLite forbids using a connection there.
  void check_process() const;
  void run(std::string_view sql);
  SqliteStatement prepare(std::string_view sql) const { return {database_, path_, sql}; }
  std::string text_of(std::string_view sql) const;

  static constexpr int kApplication = 0x534f544c;  ///< "SOTL"

 private:
  void set_up(Mode mode);

  std::string path_;
  sqlite3* database_ = nullptr;
  int process_;
};

/// A transaction that is undone unless it was committed. One that writes holds the write lock from its beginning; one
/// that reads sees one moment.
class SqliteTransaction {
 public:
  enum class Kind { read, write };
  SqliteTransaction(SqliteConnection& connection, Kind kind);
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction();
  void commit();

 private:
  SqliteConnection& connection_;
  bool open_ = true;
};

}  // namespace sotto
