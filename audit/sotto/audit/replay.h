#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/audit/minimiser_replay.h"
#include "sotto/audit/neighbours.h"
#include "sotto/audit/stored_table.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/audit/transcript.h"
#include "sotto/train.h"

/// Layer 0: sensitivity replay. A run on one table is noted, a run on its neighbour is made to follow it: same orders,
/// same coins, same outputs. Then every value that was noised is compared with its neighbour and with the claim its
/// noise was made for. The solvers, the curator and the engines are the product's; an engine of the audit's own feeds
/// the worst orders besides. Nothing is drawn by chance.
namespace sotto::audit {

/// What two runs that took the same path had apart.
struct Apart {
  double ratio = 0;       ///< the largest distance over its claim, choices excepted
  double last = 0;        ///< the same of the last releases that are one event: what was released before may be tight
  double choices = 0;     ///< the largest range of score gaps over its claim
  double differing = 0;   ///< releases that differ, over those the charges allow to
  double residual = 0;    ///< gradient of what was minimised over its tolerance, and what that costs over its share
  double jacobian = 0;    ///< log-ratio of the determinants of neighbours' Hessians over what the event has for it
  double hidden = 0;      ///< of a hidden state on the linear pair: the exact shift of its last iterate over its claim
  tiny::Totals cost;      ///< of all differences, each by its own share of its event; no minimisers, no samples
  bool priced = true;     ///< nothing but what `cost` has was released
  bool same_path = true;  ///< equally many releases of the same kinds
  bool same_end = true;   ///< what left is a function of what was released
  double worst() const noexcept;
  /// The cost over what is promised: above 1 the promise is broken. 0 where there is no price.
  double cost_over(double epsilon, double delta) const;
};

/// How a request is replayed on a pair.
struct Replay {
  const TrainRequest& request;
  const Plan& plan;  ///< for rows as they are fed, dense or sparse
  Feeding feeding{};
  std::uint64_t seed = 1;
  const StoredPair* stored = nullptr;  ///< fed by the product's engines instead
  std::unique_ptr<Engine> engine(const Pair& pair, bool second) const;
};
Apart replay(const Replay& how, const Pair& pair);

/// A run under audit: what the curator noted, and what left.
struct NotedRun {
  Transcript transcript;
  Vector weights;
};
/// The second followed the first, on the second table of the pair.
Apart compare(const Replay& how, const Pair& pair, const NotedRun& first, const NotedRun& second);
/// A request and its plan, made once for many runs.
struct PlannedRequest {
  const TrainRequest& request;
  const Plan& plan;
};
/// Runs the plan with these bits, along the path of `follow` if it is given.
NotedRun noted_run(const PlannedRequest& planned, Engine& engine, BitSource& bits, const Transcript* follow = nullptr);
/// Whether the weights of a run under audit are, bit for bit, those of the product's own run: its kernels put noise and
/// step into one sweep where nobody takes notes.
bool same_unnoted(const Replay& how, const Pair& pair);

struct ReplayOptions {
  std::uint64_t cases = 40;         ///< settings tried of every method with every loss, at most
  std::uint64_t sampled_cases = 2;  ///< of those whose calibration is slow
  std::string method;               ///< only this one, if given
};
/// Every method x loss x setting from the catalogues on the pairs of spec 9, under both relations, with every
/// engine; the tight pair; the product's kernels against those under audit. Several findings a method.
std::vector<Finding> replay_catalogue(const ReplayOptions& options);

}  // namespace sotto::audit
