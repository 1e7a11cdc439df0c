#include "sotto/privacy/ledger/ledger.h"

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/base/sha256.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/files.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto {
namespace {

[[noreturn]] void refuse(const std::string& why, HintKind hint = HintKind::none) {
  throw Error(ErrorKind::invalid_data, why, "ledger", {hint});
}

/// What is kept beside the records follows from them.
void check_head(const StoredHead& head, const Chain& chain) {
  const Filter::State& filter = chain.filter().state();
  // A store that keeps the terms keeps those of now; of another, the limit is the one it was opened with.
  bool agrees = head.sequence == chain.sequence() && head.hash == hex_of(chain.hash()) && head.spent == filter.spent &&
                head.limit == (head.terms ? filter.limit : chain.opened_limit());
  if (head.terms) {
    agrees = agrees && head.terms->filter == enum_name(filter.kind) &&
             head.terms->relation == enum_name(filter.budget.relation) &&
             head.terms->epsilon == filter.budget.epsilon && head.terms->delta == filter.budget.delta &&
             chain.place().bound && head.terms->fingerprint == chain.place().bound->fingerprint;
  }
  if (!agrees) refuse("the ledger is damaged or was edited: its totals and limits are not those of its records");
}

}  // namespace

Ledger::Ledger(std::unique_ptr<RecordStore> store, Clock clock)
    : Ledger(std::move(store), std::move(clock), Trust::placed) {}

Ledger::Ledger(std::unique_ptr<RecordStore> store, Clock clock, Trust trust)
    : store_(std::move(store)), clock_(clock ? std::move(clock) : Clock(seconds_now)) {
  refresh(Totals::later);
  if (trust == Trust::placed) open();
}

bool Ledger::is_here() const {
  const LedgerPlace here = store_->place();
  return here.inode == place().inode && (here.inode != 0 || here.path == place().path);
}

void Ledger::refuse_copy() const {
  if (!is_here()) refuse("this is a copy of a ledger, and only one copy may spend", HintKind::move_ledger);
}

void Ledger::refuse_moved() { refuse("the ledger was moved or its rows refreshed meanwhile; ask again"); }

void Ledger::open() {
  refuse_copy();
  Anchor anchor = lock(place().anchor);
  refresh(Totals::later);  // another process may have written before the lock was ours
  check_point(chain_, anchor.last());
  // The new anchor is told of a move last. If it was not, the former ones may not know either, and a copy left there
  // could spend as well.
  if (anchor.last().sequence < chain_.placed_sequence()) {
    refuse("a move or refresh of this ledger did not finish", HintKind::finish_move);
  }
  refresh();
  if (anchor.last().sequence < chain_.sequence()) anchor.append({chain_.sequence(), chain_.hash()});
}

void Ledger::usable() const {
  if (!failed_) return;
  throw Error(ErrorKind::io, "an earlier write to the ledger failed; nothing more is done with it", "ledger");
}

void Ledger::catch_up(Chain& chain, Totals totals) {
  const StoredRecords now = store_->read(chain.empty() ? 0 : chain.sequence() + 1);
  for (const LedgerRecord& record : now.records) {
    chain.add(record);
    if (record.kind == RecordKind::placed) check_key(chain);
  }
  if (chain.places().empty()) refuse("the ledger is damaged or was never completed: it has no records");
  if (now.head && totals == Totals::now) check_head(*now.head, chain);
}

void Ledger::check_key(const Chain& chain) const {
  const Digest key = store_->key(chain.place());
  const LedgerTerms& terms = chain.terms();
  if (hex_of(sha256(hex_of(key))) != terms.key_check) {
    refuse("the ledger is damaged or was edited: its key is another");
  }
  if (!terms.public_key.empty() && terms.public_key != hex_of(SigningKey(key).public_key())) {
    refuse("the ledger is damaged or was edited: its public key is another");
  }
}

void Ledger::refresh(Totals totals) {
  usable();
  catch_up(chain_, totals);
  if (settled_at_ == chain_.settled_sequence()) return;
  settled_at_ = chain_.settled_sequence();
  key_ = store_->key(place());
  terms_ = chain_.terms();
  if (!place().bound) return;
  terms_.data_tag = hex_of(hmac_sha256(key_, place().bound->fingerprint));
  terms_.rows = place().bound->rows;
}

bool Ledger::is_about(const Digest& fingerprint) const {
  return hex_of(hmac_sha256(key_, hex_of(fingerprint))) == terms_.data_tag;
}

Filter Ledger::filter() {
  refresh();
  return chain_.filter();
}

std::optional<AnalystShare> Ledger::share() {
  refresh();
  const std::string analyst = store_->analyst();
  if (analyst.empty()) return std::nullopt;
  AnalystShare share = chain_.share_of(analyst);
  return share.millionths == kWholeBudget ? std::nullopt : std::optional(std::move(share));
}

std::vector<LedgerEntry> Ledger::entries() {
  refresh();
  return chain_.entries();
}

std::vector<LedgerRecord> Ledger::records() {
  usable();
  return store_->read(0).records;
}

std::optional<std::string> Ledger::stored(const std::string& request) {
  refresh();
  const LedgerEntry* entry = chain_.find_released(request);
  return entry != nullptr ? std::optional(bytes_of(*entry)) : std::nullopt;
}

std::string Ledger::bytes_of(const LedgerEntry& entry) {
  usable();
  std::string bytes = store_->bytes_of(entry.number);
  check_bytes(entry, bytes);
  return bytes;
}

LedgerCheck Ledger::verify() {
  usable();
  const Anchor anchor = lock(place().anchor);
  Chain chain;
  catch_up(chain, Totals::later);
  const LedgerCheck check = check_all(chain, anchor, [&](const LedgerEntry& entry) { bytes_of(entry); });
  catch_up(chain, Totals::now);
  store_->check_whole(check.models);
  return check;
}

PublicKey Ledger::public_key() const { return SigningKey(key_).public_key(); }

std::string Ledger::sign(std::string_view text) const { return SigningKey(key_).sign(text); }

LedgerRecord Ledger::write(const Make& make, const std::string* bytes, OnMove on_move) {
  usable();
  try {
    store_->prepare();
    for (;;) {
      if (const auto written = write_here(make, bytes)) return *written;
      if (on_move == OnMove::refuse || !is_here()) refuse_moved();
      finish_move();
    }
  } catch (const Error& error) {
    failed_ = error.kind() == ErrorKind::io || error.kind() == ErrorKind::invalid_data;
    throw;
  }
}

std::optional<LedgerRecord> Ledger::write_here(const Make& make, const std::string* bytes) {
  const std::uint64_t placed = chain_.placed_sequence();
  Anchor anchor = lock(place().anchor);  // also the lock that keeps the anchor in the order of the records
  refresh();
  if (chain_.placed_sequence() != placed || !is_here()) return std::nullopt;
  check_point(chain_, anchor.last());
  if (anchor.last().sequence < placed) return std::nullopt;
  std::optional<LedgerRecord> record = commit(make, bytes);
  if (record) anchor.append({record->sequence, record->hash});
  return record;
}

std::optional<LedgerRecord> Ledger::commit(const Make& make, const std::string* bytes) {
  const std::uint64_t placed = chain_.placed_sequence();
  while (chain_.placed_sequence() == placed) {
    LedgerRecord record = make();
    if (record.time == 0) record.time = clock_();
    record = chain_.next(std::move(record));
    const bool appended = store_->append(record, bytes);
    const std::uint64_t before = chain_.sequence();
    // What was committed is what counts: read it back rather than trust what was sent.
    refresh();
    if (chain_.hash_at(record.sequence) == record.hash) return record;
    if (appended) refuse("the record that was written is not the one that is there");
    if (chain_.sequence() == before) {
      refuse("the ledger was not written; what it ends with is not what its records say");
    }
    // The session of another writer ended, and left its lock to us, while its store still committed. That record came
    // first; whether ours still fits is asked again.
  }
  return std::nullopt;
}

Reservation Ledger::reserve(const Spending& spending) {
  const std::string nonce = hex_of(random_digest());
  const std::string token = hex_of(sha256(nonce));
  const LedgerRecord written = write([&] { return chain_.reservation(spending, token, store_->analyst()); }, nullptr);
  return {written.entry, written.cost, written.spent, nonce};
}

void Ledger::release(Reservation&& reservation, const std::string& bytes) {
  reservation.close();
  const auto make = [&] { return chain_.release(reservation.entry_, reservation.nonce_, bytes); };
  if (!place().bound) {
    write(make, &bytes);
    return;
  }
  // The rows an entry was reserved for may be refreshed while it is trained; what it releases was paid for all the same.
  refresh();
  write(make, &bytes, OnMove::follow);
}

void Ledger::cancel(Reservation&& reservation) {
  if (reservation.use_ && reservation.use_->reading) {
    throw Error(ErrorKind::internal, "a reservation is given back only while no row has been read under it");
  }
  reservation.close();
  write([&] { return chain_.cancellation(reservation.entry_, reservation.nonce_); }, nullptr);
}

void Ledger::grant(const ShareGrant& granted) {
  require(!granted.analyst.empty(), "analyst", "must not be empty");
  LedgerRecord record;
  record.kind = RecordKind::granted;
  record.detail = text_of(granted);
  write([&] { return record; }, nullptr);
}

void Ledger::lower(double epsilon, std::optional<double> delta) {
  write([&] { return chain_.lowering(epsilon, delta.value_or(chain_.filter().budget().delta)); }, nullptr);
}

void Ledger::correct(const ChangedTerms& changed) {
  write([&] { return chain_.correction(changed); }, nullptr);
}

namespace {

/// Other filters count in other currencies than those a request names.
Hint hint_of(const Filter& filter) {
  if (filter.kind() == FilterKind::sum) return {};
  return {HintKind::adding_filter, {std::string(enum_name(FilterKind::sum))}};
}

/// At a large epsilon the numerical distance of noise from its ideal law costs more than the ledger keeps for it: then
/// no request with such noise fits, however small, and none is suggested.
void refuse_distance(const Filter& filter, const Filter::Cost& cost) {
  if (filter.kind() == FilterKind::sum || cost.delta <= filter.limit().delta) return;
  const std::string bound = cost.delta >= Filter::kDeltaUnits ? "1 or more" : Filter::delta_text(cost.delta);
  throw Error(ErrorKind::budget_exceeded,
              "no request with this noise fits: the ledger's epsilon is " + number_text(filter.budget().epsilon) +
                  ", at which the distance of the noise from its ideal law costs delta " + bound +
                  ", and the ledger keeps " + Filter::delta_text(filter.limit().delta) +
                  " for that; a ledger with a smaller epsilon takes it, or one with filter sum",
              "ledger", hint_of(filter));
}

}  // namespace

void refuse_share(const AnalystShare& share, const Filter& filter, const Filter::Cost& cost) {
  throw Error(ErrorKind::budget_exceeded,
              "the request costs " + part_words(filter, cost) + "; analyst " + share.analyst + " may spend " +
                  part_words(filter, share.limit) + " and has spent " + part_words(filter, share.spent) +
                  "; the ledger itself has " + budget_words(filter) + ", and its curator can grant a larger share",
              "share");
}

void refuse_spending(const Filter& filter, const Filter::Cost& cost, std::optional<double> delta,
                     const std::string& hint) {
  refuse_distance(filter, cost);
  const bool none = !filter.fits(smallest_price(filter));
  const std::string why = none ? ": the smallest price of a release is a ten-thousandth of the budget" : hint;
  throw Error(ErrorKind::budget_exceeded,
              "the request costs " + part_words(filter, cost) + " of " +
                  guarantee_text(filter.budget().epsilon, filter.budget().delta) + "; " + budget_words(filter, delta) +
                  why + " (" + cost_words(filter, cost) + ")",
              "ledger", hint_of(filter));
}

}  // namespace sotto
