#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/fields.h"
#include "sotto/data/row_check.h"
#include "sotto/methods/method.h"
#include "sotto/methods/personal.h"
#include "sotto/model/model.h"
#include "sotto/model/privacy_card.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto {

/// What is asked of a training run.
struct TrainRequest {
  Problem problem;
  Method method;
  Budget budget;
  std::string encoding = "{}";              ///< stored in the model for prediction from raw columns
  std::vector<std::string> not_private;     ///< why the data's preparation was not private, e.g. observed bounds
  std::optional<BoundsCost> bounds_cost{};  ///< of the schema rows are read with; the card promises both together
  std::optional<std::uint64_t> order_seed;  ///< repeats the order of the rows; the guarantee does not rest on it
  HearCheck check{};  ///< who may read the rows; unset: they are not checked. No part of what is asked
  std::function<void(double)> progress;  ///< called with the fraction of rows done, a function of counts alone
  /// Set where nobody declared a norm and 1 was taken: one that is usual for these columns (data/draft.h), for a
  /// warning. No part of what is asked.
  std::optional<double> norm_assumed{};
  std::optional<PersonalEpsilons> personal{};  ///< public, by position; the budget's epsilon is the largest
};

/// The request that named fields stand for: `method`, `order_seed`, and the fields of the problem, the loss, the method
/// and the budget. Every front end translates its own syntax into fields and calls this. Throws Error{invalid_argument}
/// in the field at fault: for a name that is no field of this loss and this method, with the hint other_choice where
/// another has it, and for a value that a field cannot take.
TrainRequest request_from(const GivenFields& given, const std::string& default_method = "auto");

/// Takes over what a schema says about the rows that are read with it: its text for the model, what its bounds cost,
/// that bounds taken from the rows are not private, and that no norm was declared. Who trains through a schema decides none of these.
void take_schema(TrainRequest& request, const Schema& schema);

/// What a request is planned with: a function of public things.
PlanInput plan_input(const TrainRequest& request, const Facts& facts);
/// The plan of a request, personal epsilons included.
Plan plan_of(const TrainRequest& request, const Facts& facts);

/// The card of a training on rows with these facts, charged to no ledger.
PrivacyCard card_of(const TrainRequest& request, const Facts& facts);

/// What a request would cost a ledger; made from public facts, free.
struct Quote {
  TrainRequest request;  ///< as it was priced: `auto` may be the descent it would choose for this filter
  PlanInput input;
  Plan plan;
  Filter filter;                        ///< as it stands
  Filter::Cost cost;                    ///< in its currency
  std::optional<AnalystShare> share{};  ///< of the analyst who asks, if the ledger keeps shares
  bool fits() const noexcept { return filter.fits(cost) && (!share || share->fits(cost)); }
  /// Whether the events cost less than the smallest price of a release, which is charged then.
  bool at_smallest_price() const noexcept { return cost.loss == smallest_price(filter).loss; }
};
/// Throws Error{invalid_argument} for what a ledger does not take: another relation, or a request that is not private;
/// Error{unsupported}, saying which filter would take it, if the ledger's filter has no price for it.
Quote quote(const TrainRequest& request, const Facts& facts, Ledger& ledger);

/// The card of a training that was quoted.
PrivacyCard card_of(const Quote& quoted);

/// Throws Error{invalid_argument} unless bounds and training are statements about the same neighbours.
void check_bounds_cost(const TrainRequest& request);
/// The part of quote() that needs no plan.
void refuse_unpriced(const TrainRequest& request, Ledger& ledger);
/// The canonical form of a request: equal requests on equal data, and only those, have equal digests.
std::string digest_of(const TrainRequest& request, const PlanInput& input, const LedgerTerms& terms);

}  // namespace sotto
