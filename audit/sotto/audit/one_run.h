#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/data/row_block.h"
#include "sotto/train.h"

/// The audit with one training run: many canaries, each with a coin of its own, are put into one table; the attacker
/// guesses the coins of those it is surest of. How many guesses are right bounds epsilon from below.
namespace sotto::audit {

/// With confidence 1 - alpha no release that is (epsilon, delta)-private with a smaller epsilon lets an attacker be
/// right `correct` times out of `guesses` about `canaries` fair coins.
struct Guesses {
  double canaries = 0;
  double guesses = 0;
  double correct = 0;
};
double one_run_epsilon(const Guesses& seen, double delta, double alpha);

struct OneRunOptions {
  std::uint64_t seed = 1;  ///< 0: from the operating system
  double alpha = kTestAlpha;
  /// Rows among which the canaries are put, of the first so many features; the others are the canaries'. Without it all
  /// other rows are zero and every feature has a canary.
  const RowBlock* among = nullptr;
};
/// Trains once on a table of these facts. A coin decides the label of its canary, or, under add_remove, whether it is
/// in the table. Throws what planning throws.
Finding one_run(const TrainRequest& request, const Facts& facts, const OneRunOptions& options);

/// Every private method once, on a table of 10,000 canaries.
std::vector<Finding> one_run_catalogue(const OneRunOptions& options, const std::string& method);

}  // namespace sotto::audit
