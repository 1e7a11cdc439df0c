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

void require_fit(const Filter& filter, const ChargedRun& run) {
  const Filter::Cost cost = cost_in(filter, run.cost);
  if (filter.fits(cost)) return;
  Filter::Cost loss_alone = cost;
  loss_alone.delta = 0;
  if (run.delta == 0 && filter.fits(loss_alone)) {
    refuse_spending(filter, cost,
                    "; epsilon would fit, the delta of noise rounded to binary64 does not: noise on whole numbers has "
                    "none (mechanism discrete_laplace of bolt_on, output or scs13); or make the ledger with a delta");
  }
  const bool by_gaussian = filter.kind() != FilterKind::sum && run.delta > 0;
  refuse_spending(
      filter, cost,
      fmt::format("; at delta {} that is epsilon up to {}{}", number_text(run.delta),
                  down_text(largest_epsilon(filter, run.delta)), by_gaussian ? " with Gaussian noise" : ""));
}

constexpr const char* kPart =
    "trained on a part of the ledger's data, by the holder's word chosen without looking at values, each row at most "
    "once; stratified folds and filtered rows are not, and rows drawn with replacement (bootstrap, oversampling) "
    "break the guarantee";

constexpr const char* kMin =
    "the ledger was charged the smallest price of a release, a ten-thousandth of its limit, which is more than the "
    "noise costs";

/// What is asked of a part is never the answer to a request for all rows.
std::string request_of(const ChargedRun& run, const LedgerUse& use) {
  return use.part ? hex_of(sha256("part " + run.request)) : run.request;
}

void require_same_data(const RowSource& rows, const Ledger& ledger) {
  if (ledger.is_about(rows.fingerprint())) return;
  throw Error(ErrorKind::invalid_data, "data: this is not the data the ledger was made for; nothing was charged",
              "data");
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

std::optional<Released> answered_before(const RowSource& rows, const std::string& request, const LedgerUse& use) {
  const std::optional<std::string> before = use.again || use.part ? std::nullopt : use.ledger.stored(request);
  if (!before) return std::nullopt;
  require_same_data(rows, use.ledger);
  return Released{*before, model_from_text(*before, "the stored model"), true};
}

namespace {

void refuse_use(const RowSource& rows, const ChargedTo& charged) {
  require_reading(rows.reading(), charged.use.ledger.terms());
  refuse_ledger_if(!charged.bits.is_private(), "it takes private requests only: the noise comes from a seeded source");
}

/// The filter before the charge; what does not fit is refused for nothing.
Filter fitting_filter(const RowSource& rows, const ChargedTo& charged, const ChargedRun& run) {
  Ledger& ledger = charged.use.ledger;
  refuse_use(rows, charged);
  Filter filter = ledger.filter();
  require_fit(filter, run);
  if (!charged.use.part) require_same_data(rows, ledger);
  return filter;
}

}  // namespace

PaidRun::PaidRun(const RowSource& rows, const ChargedTo& charged, const ChargedRun& run)
    : charged_(charged),
      run_(run),
      filter_(fitting_filter(rows, charged, run)),
      curator_(charged.bits),
      reservation_(curator_.charge(run.cost, charged.use.ledger, request_of(run, charged.use))) {
  reservation_.begin_reading();
}

Released PaidRun::finish(RowSource& rows) && {
  Ledger& ledger = charged_.use.ledger;
  const RowSource::Opened opened = rows.open_fingerprinted();
  // The bytes that were identified before the charge and the bytes that were parsed are two readings of a file.
  if (!charged_.use.part && !ledger.is_about(opened.fingerprint)) {
    throw Error(ErrorKind::invalid_data,
                "data: it changed after it was identified and before it was read; nothing is released, what was "
                "reserved stays spent",
                "data");
  }
  require_planned(opened.engine->facts(), run_.facts);
  Released released;
  released.model = run_.run(*opened.engine, curator_);
  opened.engine->require_unchanged();
  released.model.card.budget = card_of(reservation_, filter_, ledger.terms());
  if (charged_.use.part) released.model.card.remarks.emplace_back(kPart);
  if (reservation_.cost().loss == smallest_price(filter_).loss) {
    released.model.card.remarks.emplace_back(kMin);
  }
  sign_model(released.model, ledger);
  released.text = released.model.signed_text;
  ledger.release(std::move(reservation_), released.text);
  return released;
}

Released run_charged(RowSource& rows, const ChargedTo& charged, const ChargedRun& run) {
  refuse_use(rows, charged);
  if (std::optional<Released> before = answered_before(rows, run.request, charged.use)) return std::move(*before);
  return PaidRun(rows, charged, run).finish(rows);
}

}  // namespace sotto
