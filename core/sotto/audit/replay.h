#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/audit/neighbours.h"
#include "sotto/privacy/transcript.h"
#include "sotto/train.h"

/// Layer 0: sensitivity replay. A run on one table is noted, a run on its neighbour is made to follow it: same orders,
/// same coins, same outputs. Then every value that was noised is compared with its neighbour and with the claim its
/// noise was made for. The solvers and the curator are the product's; rows come from the audit's own
/// engine, and nothing is drawn by chance.
namespace sotto::audit {

/// What two runs that took the same path had apart.
struct Apart {
  double ratio = 0;       ///< the largest distance over its claim, choices excepted
  double choices = 0;     ///< the largest range of score gaps over its claim
  double differing = 0;   ///< releases that differ, over those the charges allow to
  double residual = 0;    ///< gradient of what was minimised over the certified tolerance
  bool same_path = true;  ///< equally many releases of the same kinds
  bool same_end = true;   ///< what left is a function of what was released
  double worst() const noexcept;
};

/// How a request is replayed on a pair.
struct Replay {
  const TrainRequest& request;
  const Plan& plan;
  Feeding feeding{};
  std::uint64_t seed = 1;
};
Apart replay(const Replay& how, const Pair& pair);

/// A run under audit: what the curator noted, and what left.
struct NotedRun {
  Transcript transcript;
  Vector weights;
};
/// Runs the request on a table with these bits, along the path of `follow` if it is given.
NotedRun noted_run(const Replay& how, const Table& table, BitSource& bits, const Transcript* follow = nullptr);

/// Gradient of one row's data loss at these weights, computed here and nowhere else in the library.
Vector row_gradient(const Loss& loss, const Facts& facts, const Row& row, const Vector& weights);

struct ReplayOptions {
  std::uint64_t cases = 40;         ///< settings tried of every algorithm with every loss, at most
  std::uint64_t sampled_cases = 2;  ///< of those whose calibration is slow
  std::string method;               ///< only this one, if given
};
/// Every algorithm x loss x setting from the catalogues on the pairs of spec 9, and the tight pair: two findings an
/// algorithm, the largest distance over its claim and the claim over the largest distance.
std::vector<Finding> replay_catalogue(const ReplayOptions& options);

}  // namespace sotto::audit
