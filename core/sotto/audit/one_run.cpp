// What: a lower bound on epsilon from one training run.
// Formula: f(v) = P(Binomial(r, e^eps/(1 + e^eps)) >= v); P(v or more right) <= f(v) + 2 m delta max_i (f(v-i) -
// f(v))/i. Conditions: m coins fair and independent, r of them guessed, r fixed beforehand; changing a coin replaces
// one row. Reference: [Steinke23, Theorem 5.2]. Fails if wrong: OneRun.* (noiseless training is told, coverage by
// simulation)
#include "sotto/audit/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

#include "sotto/audit/table.h"
#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

/// P(at least `correct` right) of any (epsilon, delta)-private release.
double chance(const Guesses& seen, double epsilon, double delta) {
  const boost::math::binomial_distribution<> right(seen.guesses, 1 / (1 + std::exp(-epsilon)));
  const auto at_least = [&](double v) { return v <= 0 ? 1.0 : cdf(complement(right, v - 1)); };
  const double tail = at_least(seen.correct);
  double steepest = 0;
  for (double i = 1; i <= seen.canaries; ++i) {
    steepest = std::max(steepest, (at_least(seen.correct - i) - tail) / i);
    if (seen.correct - i <= 0) break;  // from here on it falls
  }
  return tail + 2 * seen.canaries * delta * steepest;
}

}  // namespace

double one_run_epsilon(const Guesses& seen, double delta, double alpha) {
  if (chance(seen, 0, delta) > alpha) return 0;
  double low = 0, high = 50;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (chance(seen, middle, delta) <= alpha ? low : high) = middle;
  }
  return low;
}

Finding one_run(const TrainRequest& request, const Facts& facts, const OneRunOptions& options) {
  const Plan plan = make_plan(request.algorithm, {facts, request.problem, request.budget});
  if (!plan.not_private.empty()) throw Error(ErrorKind::unsupported, plan.not_private.front());
  BitSource bits = options.seed == 0 ? BitSource() : BitSource(ReproducibleSeed{options.seed});
  const std::size_t canaries = std::min<std::uint64_t>(facts.features, facts.rows);
  Table table(facts.rows, facts.features, facts.data_norm, facts.classes);
  std::vector<double> coins(canaries);
  Row row{std::vector<double>(facts.features, 0.0), 1};
  for (std::size_t k = 0; k < canaries; ++k) {
    coins[k] = bits.next() % 2 == 0 ? 1 : -1;
    row.x[k] = facts.data_norm;
    row.label = label_of_class(coins[k] > 0 ? 1 : 0, facts.classes);
    table.set(k, row);
    row.x[k] = 0;
  }
  TableEngine engine(table);
  const Vector weights = train(engine, request, bits).weights;
  // With one output a label +1 lifts the weight of its feature; with several, that of output 1.
  const std::size_t first = weights.size() / facts.features > 1 ? facts.features : 0;
  std::vector<std::size_t> sure(canaries);
  std::iota(sure.begin(), sure.end(), std::size_t{0});
  std::sort(sure.begin(), sure.end(),
            [&](std::size_t a, std::size_t b) { return std::abs(weights[first + a]) > std::abs(weights[first + b]); });
  sure.resize(std::max<std::size_t>(1, canaries / 4));
  Guesses seen{static_cast<double>(canaries), static_cast<double>(sure.size()), 0};
  for (const std::size_t k : sure) seen.correct += weights[first + k] * coins[k] > 0;
  return {
      "one_run",
      plan.method,
      fmt::format("epsilon at delta {:.3g}", plan.guarantee.delta),
      plan.guarantee.epsilon,
      one_run_epsilon(seen, plan.guarantee.delta, options.alpha),
      fmt::format("one training, {} canaries, {:.0f} of {:.0f} guesses right", canaries, seen.correct, seen.guesses),
      one_run_epsilon({seen.canaries, seen.guesses, seen.guesses}, plan.guarantee.delta, options.alpha)};
}

std::vector<Finding> one_run_catalogue(const OneRunOptions& options, const std::string& method) {
  std::vector<Finding> findings;
  for_each_member<Algorithm>([&](auto tag) {
    using A = typename decltype(tag)::type;
    if (!method.empty() && method != A::kName) return;
    TrainRequest request;
    request.problem = {HuberSvm{0.1}, 0.05};
    request.budget = {2, 1e-9};  // 250 guesses, all of them right, tell of 2.9
    A algorithm{};
    if constexpr (requires { algorithm.sgd; }) {
      algorithm.sgd.passes = 1;
      algorithm.sgd.batch_rows = 1000;
    } else if constexpr (requires { algorithm.passes; }) {
      algorithm.passes = 1;
      if constexpr (requires { algorithm.batch_rows; }) algorithm.batch_rows = 1000;
    }
    request.algorithm = algorithm;
    try {
      findings.push_back(one_run(request, {1000, 1000, 0.05, false}, options));
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::internal || e.kind() == ErrorKind::budget_exceeded) throw;
    }
  });
  return findings;
}

}  // namespace sotto::audit
