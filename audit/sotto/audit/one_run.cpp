// What: a lower bound on epsilon from one training run.
// Formula: f(v) = P(Binomial(r, e^eps/(1 + e^eps)) >= v); P(v or more right) <= f(v) + 2 m delta
//   max_i (f(v-i) - f(v))/i.
// Conditions: m coins fair and independent, r of them guessed, r fixed beforehand; changing a coin replaces one row.
// Reference: [Steinke23, Theorem 5.2].
// Fails if wrong: OneRun.* (noiseless training is told, coverage by simulation)
#include "sotto/audit/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <memory>
#include <numeric>

#include "sotto/audit/replay_settings.h"
#include "sotto/data/dataset.h"
#include "sotto/engines/in_memory.h"

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
    if ((1 - tail) / i <= steepest) break;  // no later one is steeper
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

namespace {

/// The canaries' coins, and the table they are in.
struct Planted {
  std::vector<double> coins;
  std::shared_ptr<const Dataset> rows;
  std::size_t first = 0;  ///< feature of the first canary
};

void add_row(DatasetBuilder& builder, const RowBlock& rows, std::size_t i) {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  if (rows.sparse()) {
    for (std::uint64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
      columns.push_back(rows.columns[k]);
      values.push_back(rows.values[k]);
    }
  } else {
    for (std::uint32_t j = 0; j < rows.features; ++j) {
      if (rows.dense[i * rows.features + j] == 0) continue;
      columns.push_back(j);
      values.push_back(rows.dense[i * rows.features + j]);
    }
  }
  builder.add_sparse(columns, values, rows.labels[i]);
}

Planted plant(const Facts& facts, Relation relation, const RowBlock* among, BitSource& bits) {
  Planted planted;
  planted.first = among != nullptr ? among->features : 0;
  const std::uint64_t others = among != nullptr ? among->rows : 0;
  require(planted.first < facts.features && others < facts.rows, "features",
          "must be more than those of the rows canaries are put among, and rows likewise");
  planted.coins.resize(std::min<std::uint64_t>(facts.features - planted.first, facts.rows - others));
  Facts stored = facts;
  stored.sparse = true;
  DatasetBuilder builder(stored);
  for (std::size_t k = 0; k < planted.coins.size(); ++k) {
    planted.coins[k] = bits.next() % 2 == 0 ? 1 : -1;
    const bool there = relation == Relation::replace_one || planted.coins[k] > 0;
    if (!there) continue;
    const std::uint32_t column[] = {static_cast<std::uint32_t>(planted.first + k)};
    const float value[] = {static_cast<float>(facts.data_norm)};
    builder.add_sparse(column, value, label_of_class(planted.coins[k] > 0 ? 1 : 0, facts.classes));
  }
  for (std::uint64_t i = 0; i < others; ++i) add_row(builder, *among, i);
  for (std::uint64_t i = planted.coins.size() + others; i < facts.rows; ++i) builder.add_sparse({}, {}, 1);
  planted.rows = std::make_shared<const Dataset>(builder.finish());
  return planted;
}

/// The canaries whose weights are largest are guessed to have coin 1, those whose are smallest -1: a quarter in all.
Guesses guess(const Planted& planted, const Vector& weights, const Facts& facts) {
  // With one output a label +1 lifts the weight of its feature; with several, that of output 1.
  const double* of = weights.data() + (weights.size() > facts.features ? facts.features : 0) + planted.first;
  const std::size_t canaries = planted.coins.size();
  std::vector<std::size_t> sorted(canaries);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return of[a] > of[b]; });
  const std::size_t each = std::max<std::size_t>(1, canaries / 8);
  Guesses seen{static_cast<double>(canaries), 0, 0};
  for (std::size_t i = 0; i < each; ++i) {
    seen.correct += planted.coins[sorted[i]] > 0;
    seen.guesses += 1;
    if (canaries - 1 - i <= i) break;
    seen.correct += planted.coins[sorted[canaries - 1 - i]] < 0;
    seen.guesses += 1;
  }
  return seen;
}

}  // namespace

Finding one_run(const TrainRequest& request, const Facts& facts, const OneRunOptions& options) {
  Facts stored = facts;
  stored.sparse = true;
  const Plan plan = plan_of(request, stored);
  refuse_without_claim(plan);
  BitSource bits = options.seed == 0 ? BitSource() : BitSource(ReproducibleSeed{options.seed});
  const Planted planted = plant(facts, request.budget.relation, options.among, bits);
  InMemoryEngine engine(planted.rows->facts(), planted.rows->view(), planted.rows);
  TrainRequest ordered = request;
  ordered.order_seed = 1;
  Curator curator(bits);
  const Guesses seen = guess(planted, train(engine, ordered, plan, curator).weights, facts);
  const double delta = plan.guarantee.delta;
  return {"one_run",
          plan.method,
          fmt::format("epsilon at delta {:.3g}", delta),
          plan.guarantee.epsilon,
          one_run_epsilon(seen, delta, options.alpha),
          fmt::format("one training, {:.0f} canaries, {:.0f} of {:.0f} guesses right", seen.canaries, seen.correct,
                      seen.guesses),
          one_run_epsilon({seen.canaries, seen.guesses, seen.guesses}, delta, options.alpha)};
}

std::vector<Finding> one_run_catalogue(const OneRunOptions& options, const std::string& method) {
  constexpr std::uint32_t kCanaries = 10000;  // of fewer, trainings with a quarter of their noise were not told
  const FieldNumbers one_batch = [](std::string_view name, double) {
    return name == "passes"       ? std::vector<double>{1}
           : name == "batch_rows" ? std::vector<double>{kCanaries}
                                  : std::vector<double>{};
  };
  std::vector<Finding> findings;
  const auto tried = [&](const AuditedMethod& each, const Loss& loss, double delta, std::string& refusal) {
    TrainRequest request;
    request.problem = {loss, 0.05};
    request.budget = {3, delta};
    request.method = each.plain(one_batch);
    try {
      findings.push_back(one_run(request, {kCanaries, kCanaries, 0.05, false}, options));
      return true;
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::internal || e.kind() == ErrorKind::budget_exceeded) throw;
      refusal = e.what();
      return false;
    }
  };
  for (const AuditedMethod& each : audited_methods(method)) {
    std::string refusal;
    // 2500 guesses, all of them right, tell of 5.2. Who takes no such loss or no delta is asked otherwise.
    if (tried(each, HuberSvm{0.1}, 1e-9, refusal) || tried(each, Logistic{}, 0, refusal)) continue;
    if (!makes_no_claim(refusal)) findings.push_back(not_tested("one_run", each.name, refusal));
  }
  return findings;
}

}  // namespace sotto::audit
