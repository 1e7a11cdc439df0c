// What: mistakes before and around the solver: scaling by the data, projecting after clipping, stopping the solver.
// Formula: f(S), f(S') of the wrong method noised for the sensitivity it claims; see museum/scans.cpp. Objective
//   perturbation solved by SGD with a constant step: the row met last moves the weight by eta, the random linear term
//   by 1/(lambda m), so its noise covers a 1/(eta lambda m) of what it should.
// Conditions: rows as declared, the mistake is made after.
// Reference: spec 2.1, 3.5, 7.7, 8; [Chaudhuri11].
// Fails if wrong: Museum.*
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sotto/audit/museum.h"
#include "sotto/audit/neighbours.h"
#include "sotto/audit/transcript.h"

namespace sotto::audit::museum_rooms {
namespace {

TrainRequest plain_bolt_on(double lambda) {
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, lambda};
  request.budget = {.epsilon = 1};
  BoltOn method{.mechanism = MechanismChoice::l2_laplace};
  method.sgd = {.passes = 2, .batch_rows = 20, .order = RowOrder::stored};
  request.method = method;
  return request;
}

double sensitivity_of(const TrainRequest& request, const Facts& facts) {
  return make_plan(request.method, {facts, request.problem, request.budget}).l2_sensitivity;
}

/// Weights of a training on rows that are longer than was claimed.
Vector train_longer(const TrainRequest& request, const Table& table, double claimed_norm) {
  const Plan plan =
      make_plan(request.method, {TableEngine(table, claimed_norm).facts(), request.problem, request.budget});
  TableEngine engine(table, claimed_norm);
  BitSource bits(ReproducibleSeed{3});
  Transcript transcript;
  NotingDrawer drawer(bits, transcript);
  Curator curator(drawer);
  train(engine, request, curator);
  return transcript.entries.at(0).secret;
}

}  // namespace

Exhibited scaled_by_data(const GameRules& rules) {
  // Rows of 0.5; the differing row has 0.5 or, far out, 1000. Scaled by the largest value the others become 1 or
  // 0.0005.
  constexpr std::size_t kRows = 200;
  const auto table_with = [&](double last, bool scaled) {
    const double divisor = scaled ? std::max(0.5, last) : 1;
    Table table(kRows, 1);
    for (std::size_t i = 0; i + 1 < kRows; ++i) table.set(i, {{0.5 / divisor}, 1});
    table.set(kRows - 1, {{last / divisor}, 1});  // clipped to the declared norm on entry
    return table;
  };
  const TrainRequest request = plain_bolt_on(0.5);
  const double sensitivity = sensitivity_of(request, table_with(0.5, true).facts());
  const Release wrong{noise_free(request, table_with(0.5, true)), noise_free(request, table_with(1000, true)),
                      sensitivity};
  const Release right{noise_free(request, table_with(0.5, false)), noise_free(request, table_with(1000, false)),
                      sensitivity};
  return {1,
          0,
          released_epsilon(wrong, rules),
          distance_text(wrong),
          1,
          released_epsilon(right, rules),
          "declared bounds, rows clipped to them"};
}

Exhibited projected_unclipped(const GameRules& rules) {
  // 50 features to 3 by a public matrix of N(0, 1/3): the row along its first singular direction grows most.
  constexpr std::size_t kFrom = 50, kRows = 200;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, std::sqrt(1.0 / kPairFeatures));
  std::vector<Vector> matrix(kPairFeatures, Vector(kFrom));
  for (Vector& line : matrix) std::generate(line.begin(), line.end(), [&] { return normal(random); });
  Vector row(kFrom, 1 / std::sqrt(static_cast<double>(kFrom)));
  Vector image(kPairFeatures);
  for (int i = 0; i < 200; ++i) {  // power iteration
    for (std::size_t j = 0; j < kPairFeatures; ++j) {
      image[j] = std::inner_product(matrix[j].begin(), matrix[j].end(), row.begin(), 0.0);
    }
    double squares = 0;
    for (std::size_t k = 0; k < kFrom; ++k) {
      row[k] = 0;
      for (std::size_t j = 0; j < kPairFeatures; ++j) row[k] += matrix[j][k] * image[j];
      squares += row[k] * row[k];
    }
    for (double& v : row) v /= std::sqrt(squares);
  }
  const auto pair_with = [&](double norm) {
    const Table zeros(kRows, kPairFeatures, norm);
    return make_pair("projected", zeros, 0, {{image, 1}, {image, -1}});
  };
  const TrainRequest request = plain_bolt_on(0.5);
  const double sensitivity = sensitivity_of(request, pair_with(1).first.facts());
  const Pair longer = pair_with(1e3), clipped = pair_with(1);
  const Release wrong{train_longer(request, longer.first, 1), train_longer(request, longer.second, 1), sensitivity};
  const Release right{noise_free(request, clipped.first), noise_free(request, clipped.second), sensitivity};
  return {1,
          0,
          released_epsilon(wrong, rules),
          fmt::format("{}; the unit row has norm {:.3g} after the projection", distance_text(wrong),
                      distance(image, Vector(kPairFeatures, 0.0))),
          1,
          released_epsilon(right, rules),
          "rows clipped last"};
}

Exhibited unconverged_objective(const GameRules& rules) {
  constexpr std::size_t kRows = 200;
  constexpr double kLambda = 0.5, kStep = 1;
  const Pair pair = linear_pair(linear_facts(kRows), kRows - 1);
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, kLambda};
  request.budget = {.epsilon = 2};
  request.method = Objective{};
  const PlanInput input{pair.first.facts(), request.problem, request.budget};
  const Plan plan = Objective{}.plan(input);
  const ObjectiveNoise& noise = std::get<ObjectiveNoise>(std::get<MinimiserWork>(plan.work.way).noise);
  const auto one_pass = [&](bool second, BitSource& bits) {
    Vector drawn(1);
    std::get<L2LaplaceNoise>(plan.noise->mechanism).draw_on_grid(bits, drawn);
    const HuberSvm loss{0.1};
    double w = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const Row row = (second ? pair.second : pair.first).row(i);
      const double slope = row.label * loss.slope(row.label * w * row.x[0]) * row.x[0];
      w -= kStep * (slope + kLambda * w + drawn[0] / kRows);
    }
    return w;
  };
  const double centre = kStep * kLinearNorm;
  const double thresholds[] = {0, centre, -centre};
  Exhibited shown{request.budget.epsilon, 0, 0, "", request.budget.epsilon, 0, "objective, certified minimiser"};
  shown.lower_bound = lower_bounds(play(one_pass, rules), thresholds, 0, rules.alpha).epsilon;
  const TrainingGame right = training_game(request, pair);
  shown.control_bound = lower_bounds(play(right.game, rules), right.thresholds, right.delta, rules.alpha).epsilon;
  shown.evidence = fmt::format(
      "one pass of SGD with step {}; the row met last moves the weight {:.0f} times as far as "
      "in the minimiser, certified there to a gradient of {:.2g}",
      kStep, kStep * kLambda * kRows, noise.tolerance);
  return shown;
}

}  // namespace sotto::audit::museum_rooms
