// Ledgers that were copied, cut, edited or restored are refused; the honest one goes on after any crash.
#include <sqlite3.h>

#include <cstdlib>

#include "ledger_testing.h"

namespace sotto::test {
namespace {

namespace fs = std::filesystem;

class HostileLedger : public LedgerTest {
 protected:
  /// Two entries, one of them released.
  void fill() const {
    create();
    SqliteLedger ledger(path_);
    Reservation reservation = ledger.reserve(tenth("first"));
    ledger.release(std::move(reservation), "the first model");
    ledger.reserve(tenth("second"));
  }
  /// Opens, checks all and would spend.
  ErrorKind refused_whole(const std::string& path) {
    return refused([&] {
      SqliteLedger ledger(path);
      ledger.verify();
      ledger.reserve(tenth());
    });
  }
  std::string story(const std::string& path) const {
    SqliteLedger ledger(path);
    ledger.verify();
    std::string text;
    for (const LedgerRecord& record : ledger.records()) text += hex_of(record.hash) + "\n";
    for (const LedgerEntry& entry : ledger.entries()) {
      if (entry.state == EntryState::released) text += ledger.bytes_of(entry);
    }
    return text + Filter::text_of(ledger.filter().spent());
  }
  /// Statements of an intruder who has SQLite and no respect for triggers.
  static void tamper(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
};

TEST_F(HostileLedger, ALedgerRestoredInPlaceIsBehindItsAnchor) {
  fill();
  const std::string old = bytes_of_file(path_);
  { SqliteLedger(path_).reserve(tenth()); }
  overwrite(path_, old);
  EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("behind its anchor"), std::string::npos) << message_;
}

TEST_F(HostileLedger, AnOpenLedgerIsRefusedOnceACopyOfItHasSpent) {
  fill();
  const std::string old = bytes_of_file(path_);
  SqliteLedger(path_).reserve(tenth());
  const std::string anchor = bytes_of_file(path_ + ".anchor");
  overwrite(path_, old);
  overwrite(path_ + ".anchor", anchor.substr(0, anchor.size() - 86));
  SqliteLedger ledger(path_);  // restored together: nobody can tell
  overwrite(path_ + ".anchor", anchor);
  EXPECT_EQ(refused([&] { ledger.reserve(tenth()); }), ErrorKind::invalid_data);
}

TEST_F(HostileLedger, ACopyIsRefusedAndSoIsACopyOfTheWholeFolder) {
  fill();
  fs::copy_file(path_, folder_ + "/copy");
  EXPECT_EQ(refused_whole(folder_ + "/copy"), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("copy of a ledger"), std::string::npos) << message_;
  fs::create_directory(folder_ + "/other");
  fs::copy_file(path_, folder_ + "/other/L");
  fs::copy_file(path_ + ".anchor", folder_ + "/other/L.anchor");
  EXPECT_EQ(refused_whole(folder_ + "/other/L"), ErrorKind::invalid_data);
  EXPECT_NO_THROW(SqliteLedger(path_).reserve(tenth()));
}

TEST_F(HostileLedger, AHardLinkIsRefused) {
  fill();
  fs::create_hard_link(path_, folder_ + "/second");
  EXPECT_EQ(refused_whole(folder_ + "/second"), ErrorKind::unsupported);
  EXPECT_EQ(refused_whole(path_), ErrorKind::unsupported);
}

TEST_F(HostileLedger, ASymbolicLinkIsTheSameLedger) {
  fill();
  fs::create_symlink(path_, folder_ + "/link");
  SqliteLedger ledger(folder_ + "/link");
  ledger.reserve(tenth());
  EXPECT_EQ(SqliteLedger(path_).entries().size(), 3U);
}

TEST_F(HostileLedger, AMovedLedgerGoesOnAndItsFormerCopyIsRefused) {
  fill();
  fs::create_directory(folder_ + "/other");
  fs::copy_file(path_, folder_ + "/other/L");
  SqliteLedger::move(folder_ + "/other/L");
  EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("behind its anchor"), std::string::npos) << message_;
  SqliteLedger moved(folder_ + "/other/L");
  EXPECT_EQ(moved.place().anchor, folder_ + "/other/L.anchor");
  moved.reserve(tenth());
  EXPECT_NO_THROW(moved.verify());
  EXPECT_EQ(refused([&] { SqliteLedger::move(path_); }), ErrorKind::invalid_data) << "the stale copy";
}

TEST_F(HostileLedger, ARenamedFolderNeedsTheWordOfItsHolder) {
  fs::create_directory(folder_ + "/a");
  const std::string before = folder_ + "/a/L", after = folder_ + "/b/L";
  SqliteLedger::create(before, terms_of(FilterKind::sum, 1, 0), kSomeData);
  fs::rename(folder_ + "/a", folder_ + "/b");
  EXPECT_EQ(refused_whole(after), ErrorKind::io);
  EXPECT_NE(message_.find("anchor is missing"), std::string::npos) << message_;
  EXPECT_EQ(refused([&] { SqliteLedger::move(after); }), ErrorKind::invalid_argument);
  EXPECT_EQ(hint_, HintKind::former_is_gone) << message_;
  SqliteLedger::move(after, "", SqliteLedger::Former::gone);
  EXPECT_NO_THROW(SqliteLedger(after).reserve(tenth()));
  fs::remove(after + ".anchor");
  EXPECT_EQ(refused([&] { SqliteLedger::move(after, "", SqliteLedger::Former::gone); }), ErrorKind::io)
      << "without any anchor nobody can tell";
}

TEST_F(HostileLedger, ACopyOfBothFilesIsNotMovedWhileTheOriginalIsOutOfReach) {
  for (const char* name : {"/a", "/c"}) fs::create_directory(folder_ + name);
  const std::string original = folder_ + "/a/L", copy = folder_ + "/c/L";
  SqliteLedger::create(original, terms_of(FilterKind::sum, 1, 0), kSomeData);
  for (const char* end : {"", ".anchor"}) fs::copy_file(original + end, copy + end);
  fs::rename(folder_ + "/a", folder_ + "/unmounted");
  EXPECT_EQ(refused([&] { SqliteLedger::move(copy); }), ErrorKind::invalid_argument);
  fs::rename(folder_ + "/unmounted", folder_ + "/a");
  EXPECT_NO_THROW(SqliteLedger(original).reserve(tenth())) << "nothing was moved";
  EXPECT_EQ(refused([&] { SqliteLedger::move(copy); }), ErrorKind::invalid_data) << "the original went on";
}

TEST_F(HostileLedger, AMoveThatDidNotFinishStopsTheCopyThatWasMoved) {
  fill();
  const std::string other = folder_ + "/other", anchor = folder_ + "/other.anchor";
  fs::copy_file(path_, other);
  SqliteLedger::move(other, anchor);
  // The last line of the new anchor, the one that tells of the move, never arrived.
  fs::resize_file(anchor, fs::file_size(anchor) / 3 * 2);  // a head, where it began, the move
  EXPECT_EQ(refused_whole(other), ErrorKind::invalid_data);
  SqliteLedger::move(other, anchor);
  EXPECT_NO_THROW(SqliteLedger(other).reserve(tenth()));
  EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data);
}

TEST_F(HostileLedger, ARestoredCopyIsNotMovedOnTheWordOfAnAnchorThatWasLeft) {
  fill();
  const std::string anchor = folder_ + "/second.anchor", backup = folder_ + "/backup";
  SqliteLedger::move(path_, anchor);
  fs::copy_file(path_, backup);
  SqliteLedger(path_).reserve(tenth());  // known to the second anchor only
  fs::rename(anchor, anchor + ".unmounted");
  EXPECT_EQ(refused([&] { SqliteLedger::move(backup, folder_ + "/third.anchor"); }), ErrorKind::io);
  fs::rename(anchor + ".unmounted", anchor);
  EXPECT_EQ(refused([&] { SqliteLedger::move(backup, folder_ + "/third.anchor"); }), ErrorKind::invalid_data);
}

TEST_F(HostileLedger, AMoveIsNoticedByWhoeverHasTheLedgerOpen) {
  fill();
  SqliteLedger open(path_);
  SqliteLedger::move(path_, folder_ + "/second.anchor");
  EXPECT_EQ(refused([&] { open.reserve(tenth()); }), ErrorKind::invalid_data);
  EXPECT_NO_THROW(SqliteLedger(path_).reserve(tenth()));
}

TEST_F(HostileLedger, AddRemoveIsRefusedAtCreation) {
  LedgerTerms terms = terms_of(FilterKind::sum, 1, 0);
  terms.filter.budget.relation = Relation::add_remove;
  EXPECT_EQ(refused([&] { SqliteLedger::create(folder_ + "/new", terms, kSomeData); }), ErrorKind::unsupported);
}

TEST_F(HostileLedger, AMissingAnEditedOrAForeignAnchorIsRefused) {
  fill();
  const std::string anchor = bytes_of_file(path_ + ".anchor");
  fs::rename(path_ + ".anchor", path_ + ".away");
  EXPECT_EQ(refused_whole(path_), ErrorKind::io);
  SqliteLedger::create(folder_ + "/M", terms_of(FilterKind::sum, 1, 0), kSomeData);
  overwrite(path_ + ".anchor", bytes_of_file(folder_ + "/M.anchor"));
  EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data);
  for (std::size_t i = 0; i < anchor.size(); ++i) {
    std::string edited = anchor;
    edited[i] = static_cast<char>(edited[i] ^ 1);
    overwrite(path_ + ".anchor", edited);
    EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data) << "byte " << i;
  }
  overwrite(path_ + ".anchor", anchor);
  EXPECT_NO_THROW(SqliteLedger(path_).reserve(tenth()));
}

/// The orders in which a crash can leave ledger and anchor: the last line missing, cut anywhere, or zeros.
TEST_F(HostileLedger, AnAnchorCutByACrashIsCompletedAtTheNextOpening) {
  fill();
  const std::string anchor = bytes_of_file(path_ + ".anchor");
  for (std::size_t cut = 1; cut <= 86; ++cut) {
    overwrite(path_ + ".anchor", anchor.substr(0, anchor.size() - cut));
    EXPECT_EQ(SqliteLedger(path_).verify().anchored, 4U) << cut;
    EXPECT_EQ(bytes_of_file(path_ + ".anchor"), anchor) << cut;
  }
  overwrite(path_ + ".anchor", anchor.substr(0, anchor.size() - 86) + std::string(86, '\0'));
  EXPECT_EQ(SqliteLedger(path_).verify().anchored, 4U);
  EXPECT_EQ(bytes_of_file(path_ + ".anchor"), anchor);
}

TEST_F(HostileLedger, ATruncatedLedgerIsRefusedAtEveryPage) {
  fill();
  const std::string whole = bytes_of_file(path_);
  for (std::size_t size = 0; size < whole.size(); size += 1024) {
    overwrite(path_, whole.substr(0, size));
    fs::remove(path_ + "-wal");
    fs::remove(path_ + "-shm");
    EXPECT_NO_FATAL_FAILURE(refused_whole(path_)) << size;
  }
  overwrite(path_, whole);
  EXPECT_NO_THROW(SqliteLedger(path_).verify());
}

/// Bytes nobody reads (free space of a page) may change; anything else that changes is noticed.
TEST_F(HostileLedger, AFlippedBitIsNoticedOrChangesNothing) {
  fill();
  const std::string whole = bytes_of_file(path_), anchor = bytes_of_file(path_ + ".anchor");
  const std::string told = story(path_);
  const std::size_t stride = std::getenv("SOTTO_SOAK") != nullptr ? 1 : 61;
  std::size_t noticed = 0;
  for (std::size_t i = 0; i < whole.size(); i += stride) {
    std::string edited = whole;
    edited[i] = static_cast<char>(edited[i] ^ (1 << (i % 8)));
    fs::remove(path_ + "-wal");
    fs::remove(path_ + "-shm");
    overwrite(path_, edited);
    overwrite(path_ + ".anchor", anchor);
    try {
      EXPECT_EQ(story(path_), told) << "byte " << i;
    } catch (const Error&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, whole.size() / stride / 50);
}

TEST_F(HostileLedger, EditsThroughSqlAreNoticedEvenWithoutTheTriggers) {
  fill();
  const std::string whole = bytes_of_file(path_), anchor = bytes_of_file(path_ + ".anchor");
  const std::string no_triggers =
      "DROP TRIGGER record_follows; DROP TRIGGER record_stays; DROP TRIGGER record_kept; DROP TRIGGER model_stays;"
      "DROP TRIGGER model_kept; DROP TRIGGER head_kept; DROP TRIGGER head_follows; DROP TRIGGER secret_stays;"
      "DROP TRIGGER secret_kept;";
  const std::string edits[] = {"",
                               "UPDATE head SET spent_loss = 0;",
                               "DELETE FROM head;",
                               "DELETE FROM record WHERE sequence = 4;",
                               "UPDATE record SET cost_loss = 1, spent_loss = 1 WHERE sequence = 2;",
                               "UPDATE model SET bytes = x'00';",
                               "DELETE FROM model;",
                               "UPDATE record SET token = '' WHERE sequence = 2;",
                               "UPDATE secret SET key = '" + hex_of(sha256("another key")) + "';",
                               "DELETE FROM secret;"};
  for (const std::string& edit : edits) {
    // The rules are put back after the edit: what remains to notice is the edit.
    std::string rules;
    sqlite3* database = nullptr;
    overwrite(path_, whole);
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    sqlite3_exec(
        database, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'",
        [](void* text, int, char** values, char**) {
          *static_cast<std::string*>(text) += std::string(values[0]) + ";";
          return 0;
        },
        &rules, nullptr);
    sqlite3_close(database);
    tamper(path_, no_triggers + edit + (edit.empty() ? "" : rules));
    EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data) << edit;
    overwrite(path_ + ".anchor", anchor);
  }
}

TEST_F(HostileLedger, TheTablesThemselvesRefuseWhatALedgerNeverDoes) {
  fill();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
  for (const char* sql :
       {"UPDATE head SET spent_loss = 0", "UPDATE head SET limit_loss = limit_loss * 2", "DELETE FROM head",
        "UPDATE head SET spent_loss = limit_loss + 1, sequence = sequence + 1", "DELETE FROM record",
        "UPDATE record SET cost_loss = 0", "UPDATE model SET bytes = x'00'", "DELETE FROM model",
        "UPDATE secret SET key = 'x'", "DELETE FROM secret", "INSERT INTO secret VALUES (2, 'x')",
        "INSERT INTO record SELECT 9, kind, 9, time, 0, 0, spent_loss, spent_delta, '', '', '', hash, 'x' FROM record "
        "WHERE sequence = 4",
        "INSERT INTO record SELECT 5, 'reserved', 5, time, 1, 0, spent_loss, spent_delta, '', '', '', hash, 'x' FROM "
        "record "
        "WHERE sequence = 4"}) {
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT)
        << sql << ": " << sqlite3_errmsg(database);
  }
  sqlite3_close(database);
  EXPECT_NO_THROW(SqliteLedger(path_).verify());
}

TEST_F(HostileLedger, WhatIsNoLedgerIsRefusedAndLeftAsItWas) {
  overwrite(path_, "x1,x2,y\n1,2,1\n");
  EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data);
  EXPECT_EQ(bytes_of_file(path_), "x1,x2,y\n1,2,1\n");
  overwrite(path_, "");
  EXPECT_EQ(refused_whole(path_), ErrorKind::invalid_data);
  EXPECT_EQ(refused_whole(folder_), ErrorKind::io);
  EXPECT_EQ(refused_whole(folder_ + "/none"), ErrorKind::io);
}

TEST_F(HostileLedger, TheDataAreKnownByAKeyedTagThatDiffersFromLedgerToLedger) {
  create();
  SqliteLedger::create(folder_ + "/M", terms_of(FilterKind::sum, 1, 0), kSomeData);
  SqliteLedger ledger(path_), other(folder_ + "/M");
  EXPECT_TRUE(ledger.is_about(kSomeData));
  EXPECT_TRUE(other.is_about(kSomeData));
  EXPECT_FALSE(ledger.is_about(sha256("other data")));
  EXPECT_NE(ledger.terms().data_tag, other.terms().data_tag);
  const std::string whole = bytes_of_file(path_);
  EXPECT_EQ(whole.find(hex_of(kSomeData)), std::string::npos) << "whoever guesses the data finds it nowhere";
  for (const LedgerRecord& record : ledger.records()) {
    EXPECT_EQ(record.detail.find(hex_of(sha256(hex_of(kSomeData)))), std::string::npos);
  }
}

}  // namespace
}  // namespace sotto::test
