#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "sotto/base/error.h"
#include "sotto/privacy/ledger/files.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/random/bit_source.h"

// How a ledger comes to be where it is: making one, and declaring a moved one the valid copy.
namespace sotto {
namespace {

Digest random_digest() {
  BitSource bits;
  Sha256 hash;
  for (int i = 0; i < 4; ++i) hash.add_number(bits.next());
  return hash.finish();
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

void SqliteLedger::check_relation(Relation relation) {
  if (relation == Relation::replace_one) return;
  throw Error(ErrorKind::unsupported,
              "relation: a ledger is offered under replace_one; under add_remove the number of rows is private, and "
              "nothing here may depend on it",
              "relation");
}

void SqliteLedger::create(const std::string& path, LedgerTerms terms, const Digest& fingerprint,
                          const std::string& anchor) {
  const std::string place = absolute_path(path);
  const std::string anchor_place = absolute_path(anchor.empty() ? path + ".anchor" : anchor);
  require(place != anchor_place, "anchor", "must be another file than the ledger");
  if (exists(place)) throw Error(ErrorKind::io, place + ": is there already and is not replaced", "ledger");
  check_relation(terms.filter.budget.relation);
  require(!terms.unit.empty(), "unit", "must not be empty");
  const Digest key = random_digest();
  terms.id = hex_of(random_digest());
  terms.data_tag = hex_of(hmac_sha256(key, hex_of(fingerprint)));
  terms.key_check = hex_of(sha256(hex_of(key)));
  terms.public_key = hex_of(SigningKey(key).public_key());
  terms.filter = Filter::open(terms.filter.kind, terms.filter.budget, terms.filter.rdp_order).state();

  FreshFile fresh(place);
  Chain chain;
  {
    SqliteStore store(fresh.temporary_path(), SqliteConnection::Mode::create);
    SqliteTransaction transaction(store.connection());
    store.keep_key(key);
    const LedgerPlace where{place, anchor_place, inode_of(fresh.temporary_path())};
    for (const auto& [kind, detail] :
         {std::pair{RecordKind::opened, text_of(terms)}, {RecordKind::placed, text_of(where)}}) {
      LedgerRecord record;
      record.kind = kind;
      record.time = seconds_now();
      record.detail = detail;
      record = chain.next(std::move(record));
      store.append(record, nullptr);
      chain.add(record);
    }
    transaction.commit();
  }  // closing moves the log into the file, which can then change its name
  // An anchor that is there already is not replaced: it may be what is left of a ledger that was spent and removed.
  Anchor::create(anchor_place, terms.id, {chain.sequence(), chain.hash()});
  try {
    fresh.commit();
  } catch (const Error&) {
    if (!exists(place)) ::unlink(anchor_place.c_str());  // no ledger ever had it
    throw;
  }
}

void SqliteLedger::move(const std::string& path, const std::string& anchor, Former former) {
  SqliteLedger ledger(path, {}, Trust::anywhere);
  ledger.relocate(absolute_path(anchor.empty() ? path + ".anchor" : anchor), former);
}

void SqliteLedger::relocate(const std::string& anchor, Former former) {
  std::vector<std::string> paths{anchor};
  for (const LedgerPlace& each : chain_.places()) paths.push_back(each.anchor);
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());

  std::vector<std::unique_ptr<Anchor>> reached;
  for (const std::string& each : paths) {
    if (!exists(each)) continue;
    reached.push_back(std::make_unique<Anchor>(each, terms().id));
  }
  refresh();  // the locks are ours now
  for (const auto& each : reached) check_point(chain_, each->last());
  // A former anchor knows nothing of what was spent after it was left. One that came along to a new name does.
  const auto is_former = [&](const LedgerPlace& each) { return each.anchor == anchor; };
  const bool came_along = exists(anchor) && std::ranges::none_of(chain_.places(), is_former);
  if (!exists(chain_.place().anchor) && !came_along) {
    throw Error(ErrorKind::io,
                chain_.place().anchor +
                    ": the anchor of this ledger cannot be reached, so it cannot be told from a restored copy",
                "anchor");
  }
  if (!exists(chain_.place().anchor) && former == Former::told) {
    throw Error(ErrorKind::invalid_argument,
                chain_.place().anchor +
                    ": the anchor cannot be reached, so a ledger left beside it cannot be told of the move and could "
                    "spend the budget once more",
                "former_is_gone", {HintKind::former_is_gone});
  }
  // Made before the record that names it: a crash in between leaves the ledger where it was, with an anchor too many.
  if (!exists(anchor)) {
    Anchor::create(anchor, terms().id, {chain_.sequence(), chain_.hash()});
    reached.push_back(std::make_unique<Anchor>(anchor, terms().id));
  }
  SqliteTransaction transaction(store_.connection());
  store_.catch_up(chain_);
  LedgerRecord record;
  record.kind = RecordKind::placed;
  record.detail = text_of(LedgerPlace{path_, anchor, inode_of(path_)});
  record = commit(std::move(record), nullptr);
  transaction.commit();
  // The one that counts from now on comes last: once it knows of the move, all do.
  std::stable_partition(reached.begin(), reached.end(), [&](const auto& each) { return each->path() != anchor; });
  for (const auto& each : reached) each->append({record.sequence, record.hash});
}

}  // namespace sotto
