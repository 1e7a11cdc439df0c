// What: mistakes in the sensitivity of permutation SGD.
// Formula: each computes f(S) and f(S') of a neighbouring pair by the wrong method, noises them for the sensitivity it
//   claims (pure epsilon 1) and plays the game. A distance r Delta costs exactly r epsilon under this noise.
// Conditions: linear part of the Huber loss, where distances are those of the recursion of spec 3.2.
// Reference: [Wu17]; spec 1.3, 3.4, 3.5, 5.4.
// Fails if wrong: Museum.*
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/audit/museum.h"
#include "sotto/audit/neighbours.h"

namespace sotto::audit::museum_rooms {
namespace {

constexpr double kLambda = 0.05;

TrainRequest bolt_on(SgdOptions sgd, double lambda, const Loss& loss = HuberSvm{0.1}) {
  sgd.order = RowOrder::stored;
  TrainRequest request;
  request.problem = {loss, lambda};
  request.budget = {.epsilon = 1};
  request.method = BoltOn{.sgd = sgd, .mechanism = MechanismChoice::l2_laplace};
  return request;
}

double claimed(const TrainRequest& request, const Facts& facts) {
  return make_plan(request.method, {facts, request.problem, request.budget}).l2_sensitivity;
}

Release release_of(const TrainRequest& request, const Pair& pair, double sensitivity) {
  return {noise_free(request, pair.first), noise_free(request, pair.second), sensitivity};
}

/// Plays the wrong and the right release.
Exhibited show(const Release& wrong, const Release& right, const std::string& control, const GameRules& rules) {
  Exhibited shown{wrong.epsilon, 0, released_epsilon(wrong, rules), distance_text(wrong), right.epsilon, 0, control};
  shown.control_bound = released_epsilon(right, rules);
  return shown;
}

}  // namespace

Exhibited divided_by_batch(const GameRules& rules) {
  const Pair pair =
      linear_pair({200, 1, 1.0, false}, 0);  // the formula has 1 + lambda R for the norm, so rows are of norm 1
  TrainRequest request = bolt_on({.passes = 5, .batch_rows = 20}, 0.5);
  const double right = claimed(request, pair.first.facts());
  std::get<BoltOn>(request.method).calibration = Calibration::published;
  const double published = claimed(request, pair.first.facts());
  return show(release_of(request, pair, published), release_of(request, pair, right), "bolt_on, corrected", rules);
}

Exhibited averaged_iterates(const GameRules& rules) {
  const Pair pair = linear_pair(linear_facts(200), 0);
  SgdOptions sgd{.passes = 1, .batch_rows = 1};
  const double last = claimed(bolt_on(sgd, kLambda), pair.first.facts());
  sgd.averaging = Averaging::uniform;
  const TrainRequest average = bolt_on(sgd, kLambda);
  return show(release_of(average, pair, last), release_of(average, pair, claimed(average, pair.first.facts())),
              "bolt_on with averaging uniform", rules);
}

namespace {

/// One-dimensional permutation SGD in which the last batch of a pass is divided by its own size.
double own_size_psgd(const Table& table, std::uint64_t batch, std::uint32_t passes) {
  const HuberSvm loss{0.1};
  double w = 0;
  std::uint64_t step = 0;
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    for (std::size_t first = 0; first < table.size(); first += batch) {
      const std::size_t count = std::min<std::size_t>(batch, table.size() - first);
      double sum = 0;
      for (std::size_t i = first; i < first + count; ++i) {
        const Row row = table.row(i);
        sum += row.label * loss.slope(row.label * w * row.x[0]) * row.x[0];
      }
      const double eta = 1 / (kLambda * static_cast<double>(++step));
      w -= eta * (kLambda * w + sum / static_cast<double>(count));
    }
  }
  return w;
}

}  // namespace

Exhibited short_last_batch(const GameRules& rules) {
  const Pair pair = linear_pair(linear_facts(201), 200);
  const TrainRequest request = bolt_on({.passes = 5, .batch_rows = 20, .step = InverseStep{}}, kLambda);
  const double right = claimed(request, pair.first.facts());
  const Release wrong{{own_size_psgd(pair.first, 20, 5)}, {own_size_psgd(pair.second, 20, 5)}, right};
  return show(wrong, release_of(request, pair, right), "bolt_on, which divides by batch_rows always", rules);
}

namespace {

/// 6000 rows s e1 but for the last, which is e2 or -e2 with a label that raises or lowers the training loss.
Pair stopping_pair(double s) {
  return make_pair("stopping", background_of(6000, {{s, 0, 0}, 1}), 5999, {{{1, 0, 0}, 1}, {{1, 0, 0}, -1}});
}

double training_loss(const Table& table, const Vector& w) {
  double sum = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Row row = table.row(i);
    sum += Logistic{}.value(row.label * (w[0] * row.x[0] + w[1] * row.x[1] + w[2] * row.x[2]));
  }
  return sum / static_cast<double>(table.size());
}

/// Weights after the pass in which the training loss fell by less than 2 percent, and the number of passes.
std::pair<Vector, std::uint32_t> stopped(const Table& table) {
  double before = std::log(2.0);
  for (std::uint32_t passes = 1;; ++passes) {
    const Vector w = noise_free(bolt_on({.passes = passes, .batch_rows = 50}, 1e-3, Logistic{}), table);
    const double now = training_loss(table, w);
    if (before - now < 0.02 * before || passes == 8) return {w, passes};
    before = now;
  }
}

}  // namespace

Exhibited data_dependent_passes(const GameRules& rules) {
  // The table is the attacker's: the length of the other rows is moved until one row decides about one more pass.
  double low = 0.001, high = 0.1;
  Pair pair = stopping_pair(low);
  auto first = stopped(pair.first), second = stopped(pair.second);
  for (int i = 0; i < 40 && first.second == second.second; ++i) {
    const double middle = (low + high) / 2;
    pair = stopping_pair(middle);
    first = stopped(pair.first);
    second = stopped(pair.second);
    (first.second > 1 ? high : low) = middle;
  }
  const std::uint32_t longest = std::max(first.second, second.second);
  const TrainRequest fixed = bolt_on({.passes = longest, .batch_rows = 50}, 1e-3, Logistic{});
  // The claim: the strongly convex bound does not depend on the number of passes.
  const double sensitivity = claimed(fixed, pair.first.facts());
  Exhibited shown = show({first.first, second.first, sensitivity}, release_of(fixed, pair, sensitivity),
                         "bolt_on with as many passes, fixed", rules);
  shown.evidence += fmt::format("; {} passes against {}", first.second, second.second);
  return shown;
}

Exhibited scan_order_add_remove(const GameRules& rules) {
  // 201 equal rows in batches of 20; without the last row a pass has one step less, which moves all later steps.
  Table with(201, 1, kLinearNorm), without(200, 1, kLinearNorm);
  for (std::size_t i = 0; i < 201; ++i) with.set(i, {{kLinearNorm}, 1});
  for (std::size_t i = 0; i < 200; ++i) without.set(i, {{kLinearNorm}, 1});
  const TrainRequest request = bolt_on({.passes = 5, .batch_rows = 20, .step = InverseStep{}}, kLambda);
  const double replace_one = claimed(request, with.facts());
  const Release wrong{noise_free(request, with), noise_free(request, without), replace_one / 2};
  // The product refuses add_remove for scans in order. The same two tables under a method that takes it.
  TrainRequest asked = request;
  asked.budget.relation = Relation::add_remove;
  std::string control = "bolt_on took add_remove";
  bool refused = false;
  try {
    claimed(asked, with.facts());
  } catch (const Error&) {
    refused = true;
    control = "bolt_on refuses add_remove; the same two tables under output, which takes it";
  }
  asked.method = Output{.mechanism = MechanismChoice::l2_laplace, .declared_rows = 201};
  Exhibited shown =
      show(wrong, {noise_free(asked, with), noise_free(asked, without), claimed(asked, with.facts())}, control, rules);
  if (!refused) shown.control_bound = HUGE_VAL;
  return shown;
}

namespace {

constexpr std::size_t kLongScan = 1000000;
constexpr float kHeap = 0x1p-10F;  // the constant step; rows +1 are worth a step, the small ones 0.3 ulp of 1/2

/// 511 rows +1 bring the weight to just below 1/2, the differing row lifts or lowers it by a step, all others pull it
/// down by 0.3 of the spacing of floats above 1/2: below 1/2 floats are twice as dense and the pull is felt.
Pair long_pair() {
  Table table(kLongScan, 1);
  for (std::size_t i = 0; i < 512; ++i) table.set(i, {{1}, 1});
  for (std::size_t i = 513; i < kLongScan; ++i) table.set(i, {{0.3 * 0x1p-24 / kHeap}, -1});
  return make_pair("long scan", table, 512, {{{1}, 1}, {{1}, -1}});
}

/// One pass of SGD in the linear part of the loss with weights of the given type.
template <class Weight>
double scan_in(const Table& table) {
  Weight w = 0;
  const RowBlock rows = table.view();
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const Weight pull = static_cast<Weight>(rows.labels[i]) * static_cast<Weight>(rows.dense[i]);
    w = w + static_cast<Weight>(kHeap) * pull;
  }
  return static_cast<double>(w);
}

}  // namespace

Exhibited single_precision(const GameRules& rules) {
  const Pair pair = long_pair();
  const TrainRequest request = bolt_on({.passes = 1, .batch_rows = 1, .step = ConstantStep{kHeap}}, 0, HuberSvm{0.1});
  const double sensitivity = claimed(request, pair.first.facts());
  const Release wrong{{scan_in<float>(pair.first)}, {scan_in<float>(pair.second)}, sensitivity};
  return show(wrong, release_of(request, pair, sensitivity), "bolt_on, weights in binary64", rules);
}

}  // namespace sotto::audit::museum_rooms
