#pragma once
#include "sotto/model/json.h"
#include "sotto/train.h"

namespace sotto::python {

/// {"loss": "0.25", "delta": 0.0}: the loss in decimals of the currency, exact.
Json cost_json(const Filter::Cost& cost);
Json quote_json(const Quote& quote);

}  // namespace sotto::python
