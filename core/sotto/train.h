#pragma once
#include <optional>

#include "sotto/charged_run.h"
#include "sotto/model/model.h"
#include "sotto/optim/engine.h"
#include "sotto/random/bit_source.h"
#include "sotto/request.h"

namespace sotto {

/// Plan, charge, run, release, card. `bits` is the noise; a seeded source stamps the model *not private*.
/// No budget is enforced across runs, and the card says so.
Model train(Engine& engine, const TrainRequest& request, BitSource& bits);
/// The same from a source of rows: plan, then the check if one is asked for, then the run.
Model train(RowSource& rows, const TrainRequest& request, BitSource& bits);
/// The same with a curator of one's own, such as one under audit. The plan is charged to it.
Model train(Engine& engine, const TrainRequest& request, Curator& curator);
/// The same by a plan of this request that was made before, for these rows or for others with the same facts.
Model train(Engine& engine, const TrainRequest& request, const Plan& plan, Curator& curator);

/// The run of a request that was quoted; the quote is to outlive it.
ChargedRun charged_run(const Quote& quoted, const LedgerTerms& terms);
/// The same under a budget: plan, test, reserve durably, and only then read rows; the model is in the ledger before it
/// is returned. A request that was answered before gets the same bytes again. Whatever fails or is killed after the
/// reservation stays spent. Throws Error{budget_exceeded} before any row is read, and charges nothing then.
Released train(RowSource& rows, const TrainRequest& request, BitSource& bits, const LedgerUse& use);

}  // namespace sotto
