#pragma once
#include <string>

#include "sotto/model/json.h"
#include "sotto/privacy/accountant/filter.h"

/// How filters and costs are shown, in every front end.
namespace sotto {

/// {"loss": "0.25", "delta": 0.0, "loss_units": ..., "delta_units": ...}: the loss in decimals of the currency, exact.
Json to_json(const Filter::Cost& cost);
/// What one more release could be, for each kind, and what one more request could be.
Json would_fit_json(const Filter& filter);
/// The budget in the words of privacy/ledger/budget_words.h and their numbers; key `budget` of every answer about one.
Json budget_json(const Filter& filter);
/// Every kind of filter over a budget, with how it adds up and how many models of a tenth of the budget it would take.
Json filters_json(const Budget& budget);

}  // namespace sotto
