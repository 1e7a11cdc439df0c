#include "sotto/charged_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/base/sha256.h"
#include "sotto/data/schema.h"
#include "sotto/data/schema_json.h"
#include "sotto/model/json.h"
#include "sotto/model/signature.h"

namespace sotto {
namespace {

PrivacyCard::LedgerUse card_of(const Reservation& reservation, const Filter& filter, const LedgerTerms& terms) {
  PrivacyCard::LedgerUse use;
  use.enforced = true;
  use.ledger = terms.id;
  use.entry = reservation.entry();
  use.filter = enum_name(filter.kind());
  use.currency = filter.currency();
  use.epsilon = filter.budget().epsilon;
  use.delta = filter.budget().delta;
  use.cost = Filter::text_of(reservation.cost());
  use.spent = Filter::text_of(reservation.spent_after());
  use.limit = Filter::text_of(filter.limit());
  return use;
}

/// Unless the price fits and what must be left is left.
void require_fit(const Filter& filter, const ReleaseRequest& asked) {
  const Filter::Cost price = cost_in(filter, asked.cost);
  const Filter::Cost cost{price.loss + asked.leave.loss, price.delta + asked.leave.delta};
  if (filter.fits(cost)) return;
  if (asked.delta == 0 && filter.fits({cost.loss, 0})) {
    refuse_spending(filter, cost, asked.delta,
                    "; epsilon would fit, the delta of noise rounded to binary64 does not: noise on whole numbers has "
                    "none (mechanism discrete_laplace of bolt_on, output or scs13); or make the ledger with a delta");
  }
  refuse_spending(filter, cost, asked.delta);
}

constexpr const char* kPart =
    "trained on a part of the ledger's data, by the holder's word chosen without looking at values, each row at most "
    "once; stratified folds and filtered rows are not, and rows drawn with replacement (bootstrap, oversampling) "
    "break the guarantee";

constexpr const char* kMin =
    "the ledger was charged the smallest price of a release, a ten-thousandth of its limit, which is more than the "
    "noise costs";

/// What is asked of a part is never the answer to a request for all rows.
ReleaseRequest asked_of(const ChargedRun& run, const LedgerUse& use) {
  return {run.cost, use.part ? hex_of(sha256("part " + run.request)) : run.request, run.delta};
}

/// The same with a check of the rows, unless their holder made a ledger whose requests have none.
ReleaseRequest checked_by(const ChargedRun& run, const LedgerUse& use, RowSource& rows) {
  ReleaseRequest asked = asked_of(run, use);
  if (run.check && !use.ledger.terms().blind) {
    asked.check = [&rows, &run] { check_rows(rows, run.check, RowSource::Opening::fingerprinted); };
  }
  return asked;
}

void require_same_data(const Digest& fingerprint, const Ledger& ledger) {
  if (ledger.is_about(fingerprint)) return;
  throw Error(ErrorKind::invalid_data, "data: this is not the data the ledger was made for; nothing was charged",
              "data");
}

/// What does not fit, is asked of other rows or would draw repeatable noise is refused for nothing.
Reservation reserved(const ChargedTo& to, const Filter& filter, Curator& curator, const ReleaseRequest& asked,
                     const Paid::Fingerprint& fingerprint) {
  refuse_seeded(to.bits);
  require_fit(filter, asked);
  if (!to.use.part) require_same_data(fingerprint(), to.use.ledger);
  if (asked.check) asked.check();
  Reservation reservation = curator.charge(asked.cost, to.use.ledger, asked.digest);
  reservation.begin_reading();
  return reservation;
}

void require_planned(const Facts& found, const Facts& planned) {
  if (found.rows == planned.rows && found.features == planned.features && found.data_norm == planned.data_norm &&
      found.classes == planned.classes) {
    return;
  }
  throw Error(
      ErrorKind::invalid_data,
      "data: its rows are not those the run was planned for; nothing is released, what was reserved stays spent",
      "data");
}

}  // namespace

void refuse_ledger_if(bool refused, const std::string& why) {
  if (refused) throw Error(ErrorKind::invalid_argument, "ledger: " + why, "ledger");
}

void require_reading(const std::string& reading, const LedgerTerms& terms) {
  if (reading.empty() || reading == terms.reading) return;
  refuse_ledger_if(
      terms.reading.empty(),
      "it does not say how text is read: it was made by an older version, or not for a text file; nothing was read");
  refuse_ledger_if(true, "its data is read as: " + terms.reading + "; the request says: " + reading +
                             "; nothing was read and nothing charged");
}

void refuse_other_bounds(const BoundsCost& cost, Ledger& ledger) {
  refuse_ledger_if(cost.ledger != ledger.terms().id,
                   "the bounds of the data were found without charging it; find them again with it, or declare them");
  Schema stated;
  stated.bounds_cost = cost;
  const Json wanted = Json::parse(to_json(stated)).at("bounds_cost");
  const auto stored_it = [&](const LedgerEntry& entry) {
    if (entry.state != EntryState::released) return false;
    const Json released = Json::parse(ledger.bytes_of(entry), nullptr, false);  // a schema or a model
    return released.is_object() && released.contains("bounds_cost") && released.at("bounds_cost") == wanted;
  };
  if (std::ranges::any_of(ledger.entries(), stored_it)) return;
  throw Error(ErrorKind::invalid_argument, "ledger: it found no bounds for the cost the schema states", "ledger",
              {HintKind::schema_as_found});
}

void refuse_seeded(const BitSource& bits) {
  refuse_ledger_if(!bits.is_private(), "it takes private requests only: the noise comes from a seeded source");
}

std::optional<std::string> stored_answer(const LedgerUse& use, const std::string& digest,
                                         const Paid::Fingerprint& fingerprint) {
  if (use.again || use.part) return std::nullopt;
  std::optional<std::string> before = use.ledger.stored(digest);
  if (before) require_same_data(fingerprint(), use.ledger);
  return before;
}

Paid::Paid(const ChargedTo& to, const ReleaseRequest& asked, const Fingerprint& fingerprint)
    : to_(to),
      filter_(to.use.ledger.filter()),
      curator_(to.bits),
      reservation_(reserved(to, filter_, curator_, asked, fingerprint)) {
  // Another process may have changed the terms between the first look and the charge. From the charge on they can only
  // be lowered, so that what a card says of the ledger now stays true.
  filter_ = to.use.ledger.filter();
}

namespace {

Released from_stored(const std::string& text) { return {text, model_from_text(text, "the stored model"), true}; }

/// Unless the rows are read in another way than the ledger was made for.
const ChargedTo& read_alike(const RowSource& rows, const ChargedTo& charged) {
  require_reading(rows.reading(), charged.use.ledger.terms());
  return charged;
}

/// The rest of a paid run: reads the rows, once, and releases.
Released read_rows(RowSource& rows, const ChargedRun& run, Paid& paid) {
  const LedgerUse& use = paid.to().use;
  const RowSource::Opened opened = rows.open_fingerprinted();
  // The bytes that were identified before the charge and the bytes that were parsed are two readings of a file.
  if (!use.part && !use.ledger.is_about(opened.fingerprint)) {
    throw Error(ErrorKind::invalid_data,
                "data: it changed after it was identified and before it was read; nothing is released, what was "
                "reserved stays spent",
                "data");
  }
  require_planned(opened.engine->facts(), run.facts);
  Released released;
  released.model = run.run(*opened.engine, paid.curator());
  opened.engine->require_unchanged();
  released.model.card.budget = card_of(paid.reservation(), paid.filter(), use.ledger.terms());
  if (use.part) released.model.card.remarks.emplace_back(kPart);
  if (paid.reservation().cost().loss == smallest_price(paid.filter()).loss) {
    released.model.card.remarks.emplace_back(kMin);
  }
  sign_model(released.model, use.ledger);
  released.text = released.model.signed_text;
  paid.release(released.text);
  return released;
}

}  // namespace

std::optional<Released> answered_before(const RowSource& rows, const std::string& request, const LedgerUse& use) {
  require_reading(rows.reading(), use.ledger.terms());
  const auto text = stored_answer(use, request, [&] { return rows.fingerprint(); });
  return text ? std::optional(from_stored(*text)) : std::nullopt;
}

void check_rows(RowSource& rows, const HearCheck& hear, RowSource::Opening way) {
  if (!hear) return;
  const std::optional<RowCheck> found = rows.check(way);
  if (!found) return;
  hear(*found);
  require_sound(*found);
}

PaidRun::PaidRun(const RowSource& rows, const ChargedTo& charged, const ChargedRun& run)
    : run_(run), paid_(read_alike(rows, charged), asked_of(run, charged.use), [&] { return rows.fingerprint(); }) {}

Released PaidRun::finish(RowSource& rows) && { return read_rows(rows, run_, paid_); }

Released run_charged(RowSource& rows, const ChargedTo& charged, const ChargedRun& run) {
  require_reading(rows.reading(), charged.use.ledger.terms());
  const Charged<Released> release{checked_by(run, charged.use, rows), [&] { return rows.fingerprint(); }, from_stored,
                                  [&](Paid& paid) { return read_rows(rows, run, paid); }};
  return run_charged(charged, release);
}

}  // namespace sotto
