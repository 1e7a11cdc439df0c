#include <sys/stat.h>

#include <optional>
#include <utility>

#include "capi/boundary.h"
#include "capi/store_ledger.h"
#include "capi/store_records.h"
#include "sotto/privacy/ledger/files.h"
#include "sotto/random/bit_source.h"

// How a ledger in a host's store comes to be where it is: making one, binding it to other rows, declaring a moved one
// the valid copy.
namespace sotto::capi {
namespace {

std::string random_id() {
  BitSource bits;
  Sha256 hash;
  for (int i = 0; i < 4; ++i) hash.add_number(bits.next());
  return hex_of(hash.finish());
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

LedgerRecord record_with(RecordKind kind, const std::string& detail) {
  LedgerRecord record;
  record.kind = kind;
  record.time = seconds_now();
  record.detail = detail;
  return record;
}

}  // namespace

void StoreLedger::create(const sotto_store& store, LedgerTerms terms, const std::string& fingerprint,
                         const std::string& anchor) {
  if (terms.filter.budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported, "relation: a ledger is offered under replace_one", "relation");
  }
  Digest parsed{};
  require(digest_from_hex(fingerprint, parsed), "fingerprint", "must be 64 hexadecimal digits");
  const Binding binding{fingerprint, terms.rows, random_id()};
  terms.id = random_id();
  terms.data_tag = tag_of(binding);
  terms.key_check = hex_of(sha256(binding.key));
  terms.public_key = hex_of(SigningKey(key_of(binding)).public_key());
  terms.filter = Filter::open(terms.filter.kind, terms.filter.budget, terms.filter.rdp_order).state();
  // An anchor that is there already is not replaced: these rows had a budget before.
  if (exists(anchor)) {
    const Error problem(ErrorKind::invalid_data,
                        "these rows had a ledger before, and its anchor is still there; a budget is granted once",
                        "ledger");
    throw Withheld(problem, problem.what(), anchor + ": " + problem.what());
  }
  prepare(store);
  Chain chain;
  const LedgerPlace place{store.place, anchor, 0};
  const std::pair<RecordKind, std::string> first[] = {{RecordKind::opened, text_of(terms)},
                                                      {RecordKind::placed, place_text(place, binding)}};
  for (const auto& [kind, detail] : first) {
    const LedgerRecord record = chain.next(record_with(kind, detail));
    if (!append_record(store, record, kind == RecordKind::opened ? &terms : nullptr, nullptr)) {
      throw Error(ErrorKind::invalid_data, "a ledger that is being made has records of another", "ledger");
    }
    chain.add(record);
  }
  without_path(anchor, [&] { Anchor::create(anchor, terms.id, {chain.sequence(), chain.hash()}); });
}

void StoreLedger::rebind(const sotto_store& store, const std::string& anchor, const std::string& fingerprint,
                         std::uint64_t rows) {
  StoreLedger ledger(store, Trust::anywhere);  // one whose last refresh did not finish is taken up again
  ledger.refuse_copy();
  Digest parsed{};
  require(digest_from_hex(fingerprint, parsed), "fingerprint", "must be 64 hexadecimal digits");
  ledger.settle(anchor, {fingerprint, rows, ledger.bound_.key});
}

void StoreLedger::move(const sotto_store& store, const std::string& anchor) {
  StoreLedger ledger(store, Trust::anywhere);
  const Binding same = ledger.bound_;
  ledger.settle(anchor, same);
}

// The former anchor stays where it is: the rows it is named after had a budget, and must be found to have had one.
void StoreLedger::settle(const std::string& anchor, const Binding& binding) {
  prepare(store_);
  const std::string former = chain_.place().anchor;
  without_path(anchor, [&] { without_path(former, [&] { settle_between(former, anchor, binding); }); });
}

void StoreLedger::settle_between(const std::string& former, const std::string& anchor, const Binding& binding) {
  const std::string& id = chain_.terms().id;
  std::optional<Anchor> old;
  std::optional<Anchor> next;
  if (former != anchor && exists(former)) old.emplace(former, id, waiting());
  if (exists(anchor)) next.emplace(anchor, id, waiting());
  if (!old && !next) {
    throw Error(ErrorKind::io,
                former + ": the anchor of this ledger cannot be reached, so it cannot be told from a restored copy",
                "anchor");
  }
  refresh();  // the locks are ours now
  if (old) check_point(chain_, old->last());
  if (next) check_point(chain_, next->last());
  if (!next) {
    Anchor::create(anchor, id, {chain_.sequence(), chain_.hash()});
    next.emplace(anchor, id);
  }
  const auto make = [&] { return record_with(RecordKind::placed, place_text({store_.place, anchor, 0}, binding)); };
  const std::optional<LedgerRecord> record = commit(make, nullptr);
  if (!record) {
    throw Error(ErrorKind::invalid_data, "the ledger was moved or its rows refreshed meanwhile; ask again", "ledger");
  }
  // The one that counts from now on comes last: once it knows of the move, both do.
  if (old) old->append({record->sequence, record->hash});
  next->append({record->sequence, record->hash});
}

void StoreLedger::finish_move() {
  const std::vector<LedgerPlace> places = chain_.places();
  const std::string anchor = places.back().anchor;
  const std::string former = places.size() > 1 ? places[places.size() - 2].anchor : anchor;
  const std::uint64_t placed = chain_.placed_sequence();
  const AnchorPoint point{placed, *chain_.hash_at(placed)};
  const auto tell = [&](Anchor& told) {
    check_point(chain_, told.last());
    if (told.last().sequence < placed) told.append(point);
  };
  without_path(anchor, [&] {
    without_path(former, [&] {
      std::optional<Anchor> old;
      if (former != anchor && exists(former)) old.emplace(former, chain_.terms().id, waiting());
      Anchor next(anchor, chain_.terms().id, waiting());
      refresh();  // the locks are ours now
      if (chain_.placed_sequence() != placed) return;
      if (old) tell(*old);
      tell(next);
    });
  });
}

}  // namespace sotto::capi
