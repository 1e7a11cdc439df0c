#pragma once
#include <string>

#include "sotto/model/json.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/train.h"

/// How filters, costs and quotes are printed.
namespace sotto::cli {

/// {"loss": "0.25", "delta": "0"}: decimals of the currency, exact.
Json cost_json(const Filter::Cost& cost);
/// What one more request could be, for each kind.
Json fits_json(const Filter& filter);
std::string fits_text(const Filter& filter);

Json quote_json(const Quote& quote);
std::string quote_text(const Quote& quote);

}  // namespace sotto::cli
