#include "sotto/train.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "capi/block_engine.h"
#include "capi/boundary.h"
#include "capi/plain_json.h"
#include "capi/request.h"
#include "capi/store_ledger.h"
#include "sotto/base/fields.h"
#include "sotto/data/schema_json.h"
#include "sotto/quote_json.h"
#include "sotto/tune.h"
#include "sotto/warnings.h"

namespace sotto::capi {
namespace {

/// To the host of the store.
void tell_warnings(const sotto_store& store, const TrainRequest& request, const PrivacyCard& card) {
  if (store.warn == nullptr) return;
  for (const Warning& each : warnings_of(request, card))
    store.warn(store.context, each.code.c_str(), each.text.c_str());
}

}  // namespace

sotto_text plan_text(Asked asked, const RowSource& rows, const sotto_store& store, const std::string& schema) {
  const StopCheck stop = asking(store);
  take_schema(asked.train, schema_from_json(schema));
  StoreLedger ledger(store);
  return copy_text(to_json(quote(asked.train, rows.facts(ledger.terms().rows), ledger)).dump(2));
}

Released train_charged(Asked asked, RowSource& rows, const sotto_store& store, const std::string& schema) {
  const StopCheck stop = asking(store);
  take_schema(asked.train, schema_from_json(schema));
  StoreLedger ledger(store);
  BitSource bits;
  Released released = train(rows, asked.train, bits, {ledger, asked.again});
  tell_warnings(store, asked.train, released.model.card);
  return released;
}

}  // namespace sotto::capi

using namespace sotto;
using namespace sotto::capi;

/// Between its charge and its rows. Members refer to those before them.
struct sotto_training {
  sotto_training(const sotto_rows& rows, const sotto_store& store, const char* schema, const char* request)
      : asked(asked_from(request)), ledger(store) {
    take_schema(asked.train, schema_from_json(schema));
    asked.train.progress = [this](double) { proceed(poll(context)); };
    const BlockSource expected(rows);
    quoted.emplace(quote(asked.train, expected.facts(ledger.terms().rows), ledger));
    run = charged_run(*quoted, ledger.terms());
    tell_warnings(store, asked.train, card_of(*quoted));
    const LedgerUse use{ledger, asked.again};
    answered = answered_before(expected, run.request, use);
    if (!answered) paid.emplace(expected, ChargedTo{use, bits}, run);
  }
  sotto_training(const sotto_training&) = delete;
  sotto_training& operator=(const sotto_training&) = delete;

  Released end(const sotto_rows* rows) {
    if (answered) return *answered;
    if (std::exchange(ended, true)) throw Error(ErrorKind::internal, "a training was ended twice");
    poll = rows->poll;
    context = rows->context;
    BlockSource source(*rows);
    if (!ledger.is_about(source.fingerprint())) {
      throw Error(ErrorKind::invalid_data,
                  "data: these are not the rows the ledger was made for; nothing is released, what was reserved stays "
                  "spent",
                  "data");
    }
    return std::move(*paid).finish(source);
  }

  Asked asked;
  StoreLedger ledger;
  BitSource bits;
  std::optional<Quote> quoted;
  ChargedRun run;
  std::optional<Released> answered;
  std::optional<PaidRun> paid;
  bool ended = false;
  int (*poll)(void*) = nullptr;
  void* context = nullptr;
};

sotto_status sotto_plan(const sotto_rows* rows, const sotto_store* store, const char* schema, const char* request,
                        sotto_text* card, sotto_error* error) {
  return guarded(error, [&] { *card = plan_text(asked_from(request), BlockSource(*rows), *store, schema); });
}

sotto_status sotto_train(const sotto_rows* rows, const sotto_store* store, const char* schema, const char* request,
                         sotto_text* model, uint64_t* entry, int* stored, sotto_error* error) {
  return guarded(error, [&] {
    Asked asked = asked_from(request);
    asked.train.progress = [&](double) { proceed(rows->poll(rows->context)); };
    BlockSource source(*rows);
    const Released released = train_charged(std::move(asked), source, *store, schema);
    *entry = released.model.card.budget.entry;
    *stored = released.stored ? 1 : 0;
    *model = copy_text(released.text);
  });
}

sotto_status sotto_training_begin(const sotto_rows* rows, const sotto_store* store, const char* schema,
                                  const char* request, sotto_training** training, sotto_error* error) {
  return guarded(error, [&] {
    const StopCheck stop = asking(*store);
    *training = new sotto_training(*rows, *store, schema, request);
  });
}

int sotto_training_answered(const sotto_training* training) { return training->answered ? 1 : 0; }

sotto_status sotto_training_end(sotto_training* training, const sotto_rows* rows, uint64_t* entry, int* stored,
                                sotto_error* error) {
  return guarded(error, [&] {
    const Released released = training->end(rows);
    *entry = released.model.card.budget.entry;
    *stored = released.stored ? 1 : 0;
  });
}

void sotto_training_free(sotto_training* training) { delete training; }

sotto_status sotto_tune(const sotto_rows* rows, const sotto_rows* open_rows, const sotto_store* store,
                        const char* schema, const char* request, sotto_text* model, uint64_t* entry, int* stored,
                        sotto_error* error) {
  return guarded(error, [&] {
    const StopCheck stop = asking(*store);
    TuneAsked asked = tune_asked_from(request);
    take_schema(asked.tune.train, schema_from_json(schema));
    require(open_rows == nullptr || asked.tune.by == TuneBy::public_data, "tune_by",
            "must be public for rows that are public");
    StoreLedger ledger(*store);
    BlockSource source(*rows);
    BitSource bits;
    std::optional<BlockSource> open;
    if (open_rows != nullptr) open.emplace(*open_rows);
    const Released released = tune(source, open ? &*open : nullptr, asked.tune, {{ledger, asked.again}, bits});
    tell_warnings(*store, asked.tune.train, released.model.card);
    *entry = released.model.card.budget.entry;
    *stored = released.stored ? 1 : 0;
    *model = copy_text(released.text);
  });
}
