#pragma once
#include <string>

#include "capi/sotto_c.h"
#include "sotto/tune_plan.h"

namespace sotto::capi {

/// A training request as front ends hand it over: one JSON object, one key a declared field.
struct Asked {
  TrainRequest train;
  bool again = false;
};

/// Throws Error{invalid_argument} for what is no JSON object, for a key that is no field of the problem, the method or
/// the budget, and for a value a field cannot take.
Asked asked_from(const std::string& json, const std::string& default_method = "auto");

/// The card of a request with its price.
sotto_text plan_text(Asked asked, const RowSource& rows, const sotto_store& store, const std::string& schema);
/// Trains under the ledger of the store.
Released train_charged(Asked asked, RowSource& rows, const sotto_store& store, const std::string& schema);

/// A tuning request: the same object with `grid` (an object of lists, or the text of the command line), and perhaps
/// `tune_by` and `mean_runs`.
struct TuneAsked {
  TuneRequest tune;
  bool again = false;
};
/// Throws as asked_from() does.
TuneAsked tune_asked_from(const std::string& json);

}  // namespace sotto::capi
