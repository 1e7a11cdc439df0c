#pragma once
#include <optional>

#include "sotto/charged_run.h"
#include "sotto/model/model.h"
#include "sotto/optim/engine.h"
#include "sotto/random/bit_source.h"
#include "sotto/request.h"

namespace sotto {

/// Takes over what a schema says about the rows that are read with it: its text for the model, what its bounds cost,
/// and that bounds taken from the rows are not private. Who trains through a schema decides none of these.
void take_schema(TrainRequest& request, const Schema& schema);

/// What a request is planned with: a function of public things.
PlanInput plan_input(const TrainRequest& request, const Facts& facts);
/// The plan of a request, personal epsilons included.
Plan plan_of(const TrainRequest& request, const PlanInput& input);

/// Plan, charge, run, release, card. `bits` is the noise; a seeded source stamps the model *not private*.
/// No budget is enforced across runs, and the card says so.
Model train(Engine& engine, const TrainRequest& request, BitSource& bits);
/// The same with a curator of one's own, such as one under audit. The plan is charged to it.
Model train(Engine& engine, const TrainRequest& request, Curator& curator);

/// The request as a ledger is asked it. `auto` may choose pure noise, which costs a filter of rho, divergence or mu
/// more than its card says, or objective perturbation, which has no rho: there it becomes the descent it would choose
/// otherwise. A function of request, public facts and the filter fixed at creation; other methods stay as they are.
TrainRequest priced_request(const TrainRequest& request, const Facts& facts, const Ledger& ledger);

/// What a request would cost a ledger; made from public facts, free. `auto` is quoted as priced_request() says.
struct Quote {
  PlanInput input;
  Plan plan;
  Filter filter;                        ///< as it stands
  Filter::Cost cost;                    ///< in its currency
  std::optional<AnalystShare> share{};  ///< of who asks, where the ledger keeps shares
  bool fits() const noexcept { return filter.fits(cost) && (!share || share->fits(cost)); }
  /// Whether the events cost less than the smallest price of a release, which is charged then.
  bool at_smallest_price() const noexcept { return cost.loss == smallest_price(filter).loss; }
};
/// Throws Error{invalid_argument} for what a ledger does not take: another relation, or a request that is not private;
/// Error{unsupported}, saying which filter would take it, if the ledger's filter has no price for it.
Quote quote(const TrainRequest& request, const Facts& facts, Ledger& ledger);

/// Throws Error{invalid_argument} unless bounds and training are statements about the same neighbours.
void check_bounds_cost(const TrainRequest& request);
/// The part of quote() that needs no plan.
void refuse_unpriced(const TrainRequest& request, Ledger& ledger);
/// The canonical form of a request: equal requests on equal data, and only those, have equal digests.
std::string digest_of(const TrainRequest& request, const PlanInput& input, const LedgerTerms& terms);
/// The run of a request that was quoted; request and quote are to outlive it.
ChargedRun charged_run(const TrainRequest& request, const Quote& quoted, const LedgerTerms& terms);
/// The same under a budget: plan, test, reserve durably, and only then read rows; the model is in the ledger before it
/// is returned. A request that was answered before gets the same bytes again. Whatever fails or is killed after the
/// reservation stays spent. Throws Error{budget_exceeded} before any row is read, and charges nothing then.
Released train(RowSource& rows, const TrainRequest& request, BitSource& bits, const LedgerUse& use);

}  // namespace sotto
