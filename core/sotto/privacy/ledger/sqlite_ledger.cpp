#include "sotto/privacy/ledger/sqlite_ledger.h"

#include <unistd.h>

#include "sotto/base/error.h"
#include "sotto/privacy/ledger/files.h"
#include "sotto/privacy/ledger/sqlite_store.h"

namespace sotto {
namespace {

std::string anchor_of(const std::string& path, const std::string& anchor) {
  return absolute_path(anchor.empty() ? path + ".anchor" : anchor);
}

}  // namespace

SqliteLedger::SqliteLedger(const std::string& path, Clock clock)
    : Ledger(std::make_unique<SqliteStore>(absolute_path(path)), std::move(clock)) {}

void SqliteLedger::move(const std::string& path, const std::string& anchor, Former former) {
  Ledger::move(std::make_unique<SqliteStore>(absolute_path(path)), anchor_of(path, anchor), former);
}

void SqliteLedger::create(const std::string& path, LedgerTerms terms, const Digest& fingerprint,
                          const std::string& anchor) {
  const std::string place = absolute_path(path);
  const std::string anchor_place = anchor_of(path, anchor);
  require(place != anchor_place, "anchor", "must be another file than the ledger");
  if (exists(place)) throw FileError(ErrorKind::io, place, "is there already and is not replaced");
  check_relation(terms.filter.budget.relation);
  FreshFile fresh(place);
  const NewLedger made(std::move(terms), {place, anchor_place, inode_of(fresh.temporary_path())}, fingerprint);
  {
    SqliteStore store(fresh.temporary_path(), made.key);
    for (const LedgerRecord& record : made.records) store.append(record, nullptr);
  }  // closing moves the log into the file, which can then change its name
  // An anchor that is there already is not replaced: it may be what is left of a ledger that was spent and removed.
  Anchor::create(anchor_place, made.id, made.last());
  try {
    fresh.commit();
  } catch (const Error&) {
    if (!exists(place)) ::unlink(anchor_place.c_str());  // no ledger ever had it
    throw;
  }
}

}  // namespace sotto
