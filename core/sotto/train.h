#pragma once
#include <functional>
#include <optional>

#include "sotto/algorithms/algorithm.h"
#include "sotto/model/model.h"
#include "sotto/optim/engine.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// What is asked of a training run.
struct TrainRequest {
  Problem problem;
  Algorithm algorithm;
  Budget budget;
  std::string encoding = "{}";              ///< stored in the model for prediction from raw columns
  std::vector<std::string> not_private;     ///< why the data's preparation was not private, e.g. observed bounds
  std::optional<std::uint64_t> order_seed;  ///< repeats the order of the rows; the guarantee does not rest on it
  std::function<void(double)> progress;     ///< called with the fraction of rows done, a function of counts alone
};

/// Plan, charge, run, release, card. `bits` is the noise; a seeded source stamps the model *not private*.
/// No budget is enforced across runs, and the card says so.
Model train(Engine& engine, const TrainRequest& request, BitSource& bits);

/// What a request would cost a ledger; made from public facts, free.
struct Quote {
  PlanInput input;
  Plan plan;
  Filter filter;      ///< as it stands
  Filter::Cost cost;  ///< in its currency
  bool fits() const noexcept { return filter.fits(cost); }
};
/// Throws Error{invalid_argument} for what a ledger does not take: another relation, a request that is not private, or
/// noise whose distance from its ideal law is not known (noise_path fast).
Quote quote(const TrainRequest& request, const Facts& facts, Ledger& ledger);

/// The ledger a run is charged to.
struct LedgerUse {
  Ledger& ledger;
  bool again = false;  ///< train and charge again although the same request was answered before
  /// By the holder's word the rows are a part of the ledger's data, chosen without looking at values: the fingerprint
  /// is not compared, and the run is charged whatever was answered before.
  bool part = false;
};
/// What left, as it is stored in the ledger.
struct Released {
  std::string text;  ///< of the model file
  Model model;
  bool stored = false;  ///< an earlier answer to the same request, free of charge
};
/// The same under a budget: plan, test, reserve durably, and only then read rows; the model is in the ledger before it
/// is returned. A request that was answered before gets the same bytes again. Whatever fails or is killed after the
/// reservation stays spent. Throws Error{budget_exceeded} before any row is read, and charges nothing then.
Released train(RowSource& rows, const TrainRequest& request, BitSource& bits, const LedgerUse& use);

}  // namespace sotto
