#pragma once
#include <string>

#include "sotto/model/json.h"
#include "sotto/request.h"

/// How a quote is shown, in every front end.
namespace sotto {

/// The card of a training that no ledger is charged for, and under `warnings` what to think about (warnings.h).
Json planned_json(const TrainRequest& request, const PrivacyCard& card);
/// The same, and under `budget` what it would cost the ledger and whether it fits.
Json to_json(const Quote& quoted);
/// The same for people.
std::string quote_text(const Quote& quoted);

}  // namespace sotto
