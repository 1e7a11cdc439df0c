#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/base/sha256.h"
#include "sotto/privacy/ledger/files.h"
#include "sotto/privacy/ledger/ledger.h"

// How a ledger comes to be where it is: its first records, and declaring a moved one the valid copy.
namespace sotto {

void Ledger::check_relation(Relation relation) {
  if (relation == Relation::replace_one) return;
  throw Error(ErrorKind::unsupported,
              "relation: a ledger is offered under replace_one; under add_remove the number of rows is private, and "
              "nothing here may depend on it",
              "relation");
}

NewLedger::NewLedger(LedgerTerms terms, LedgerPlace place, const Digest& fingerprint)
    : key(random_digest()), id(hex_of(random_digest())) {
  Ledger::check_relation(terms.filter.budget.relation);
  require(!terms.unit.empty(), "unit", "must not be empty");
  terms.id = id;
  terms.data_tag = hex_of(hmac_sha256(key, hex_of(fingerprint)));
  terms.key_check = hex_of(sha256(hex_of(key)));
  terms.public_key = hex_of(SigningKey(key).public_key());
  terms.filter = Filter::open(terms.filter.kind, terms.filter.budget, terms.filter.rdp_order).state();
  if (place.bound) place.bound->key = hex_of(key);
  Chain chain;
  for (const auto& [kind, detail] :
       {std::pair{RecordKind::opened, text_of(terms)}, {RecordKind::placed, text_of(place)}}) {
    LedgerRecord record;
    record.kind = kind;
    record.time = seconds_now();
    record.detail = detail;
    records.push_back(chain.next(std::move(record)));
    chain.add(records.back());
  }
}

void Ledger::move(std::unique_ptr<RecordStore> store, const std::string& anchor, Former former) {
  Ledger ledger(std::move(store), {}, Trust::anywhere);
  LedgerPlace next = ledger.store_->place();
  next.anchor = anchor;
  next.bound = ledger.place().bound;
  ledger.settle(std::move(next), former);
}

void Ledger::rebind(std::unique_ptr<RecordStore> store, const std::string& anchor, RowBinding rows) {
  Ledger ledger(std::move(store), {}, Trust::anywhere);  // one whose last refresh did not finish is taken up again
  ledger.refuse_copy();
  rows.key = hex_of(ledger.key_);
  LedgerPlace next = ledger.place();
  next.anchor = anchor;
  next.bound = std::move(rows);
  ledger.settle(std::move(next), Former::gone);
}

Ledger::Anchors Ledger::reach(std::size_t count, const std::string& next) {
  std::vector<std::string> paths{next};
  // Where rows change, every anchor stays where it is, named after its rows: there may be many, and the last one knows.
  for (std::size_t i = place().bound && count > 0 ? count - 1 : 0; i < count; ++i)
    paths.push_back(chain_.places()[i].anchor);
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  Anchors reached;
  for (const std::string& path : paths) {
    if (exists(path)) reached.emplace_back(new Anchor(lock(path)));
  }
  return reached;
}

void Ledger::tell(Anchors& reached, const std::string& next) const {
  // The one that counts from now on comes last: once it knows of the move, all do.
  std::stable_partition(reached.begin(), reached.end(), [&](const auto& each) { return each->path() != next; });
  const std::uint64_t placed = chain_.placed_sequence();
  for (const auto& each : reached) {
    check_point(chain_, each->last());
    if (each->last().sequence < placed) each->append({placed, *chain_.hash_at(placed)});
  }
}

void Ledger::settle(LedgerPlace next, Former former) {
  store_->prepare();
  const std::uint64_t placed = chain_.placed_sequence();
  const std::string last = place().anchor;
  Anchors reached = reach(chain_.places().size(), next.anchor);
  const auto is_reached = [&](const std::string& path) {
    return std::ranges::any_of(reached, [&](const auto& each) { return each->path() == path; });
  };
  refresh();  // the locks are ours now
  if (chain_.placed_sequence() != placed) refuse_moved();
  for (const auto& each : reached) check_point(chain_, each->last());
  // A former anchor knows nothing of what was spent after it was left. One that came along to a new name does.
  const auto is_next = [&](const LedgerPlace& each) { return each.anchor == next.anchor; };
  const bool came_along = is_reached(next.anchor) && std::ranges::none_of(chain_.places(), is_next);
  if (!is_reached(last) && !came_along) {
    throw FileError(ErrorKind::io, last,
                    "the anchor of this ledger cannot be reached, so it cannot be told from a restored copy", "anchor");
  }
  if (!is_reached(last) && former == Former::told) {
    throw FileError(ErrorKind::invalid_argument, last,
                    "the anchor cannot be reached, so a ledger left beside it cannot be told of the move and could "
                    "spend the budget once more",
                    "former_is_gone", {HintKind::former_is_gone});
  }
  // Made before the record that names it: a crash in between leaves the ledger where it was, with an anchor too many.
  if (!is_reached(next.anchor)) {
    Anchor::create(next.anchor, terms_.id, {chain_.sequence(), chain_.hash()});
    reached.emplace_back(new Anchor(lock(next.anchor)));
  }
  LedgerRecord record;
  record.kind = RecordKind::placed;
  record.detail = text_of(next);
  if (!commit([&] { return record; }, nullptr)) refuse_moved();
  tell(reached, next.anchor);
}

void Ledger::finish_move() {
  const std::uint64_t placed = chain_.placed_sequence();
  const std::string anchor = place().anchor;
  Anchors reached = reach(chain_.places().size() - 1, anchor);
  refresh();  // the locks are ours now
  if (chain_.placed_sequence() == placed) tell(reached, anchor);
}

}  // namespace sotto
