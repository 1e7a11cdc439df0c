// What: a noised batch sum divided by the expected size of a batch, computed from the private number of rows.
// Formula: Poisson batches at rate q, n rows: the released mean is (sum + N(0, s^2 I)) / (q n). Without one row it is
//   divided by q (n - 1), so that its noise is n/(n - 1) times as large. Whoever knows s reads n off the mean square of
//   many coordinates, whatever the rows are.
// Conditions: add_remove, where n is private; under replace_one n is the same for neighbours.
// Reference: arXiv 2605.15648; spec 1.3, 6.2.
// Fails if wrong: Museum.*
#include <fmt/format.h>

#include "sotto/audit/museum.h"
#include "sotto/audit/stored_table.h"
#include "sotto/methods/sampled_descent.h"

namespace sotto::audit::museum_rooms {

Exhibited expected_batch(const GameRules& rules) {
  constexpr std::uint64_t kRows = 10;
  const Pair pair = linear_removal({kRows, 50, 1.0, false});
  const Budget budget{1, 1e-5, Relation::add_remove};
  const PlanInput input{pair.first.facts(), {HuberSvm{0.1}, 0}, budget};
  const SampledRun shape = sampled_run({16, kRows / 2, 0, kRows}, input);
  const SampledCalibrated noise = calibrate_sampled(sampled_shape(shape), budget, SampledAccounting::pld);
  const double deviation = noise.law().noise.stddev() / static_cast<double>(shape.batch_rows);
  const StoredPair tables(pair, Feeder::in_memory);
  // The mean square of all means that leave, over what it is with the declared divisor.
  const auto bound = [&](const auto& divisor) {
    const Played played = play(
        [&](bool second, BitSource& bits) {
          Curator curator(bits);
          curator.charge(noise.charge());
          const double again = static_cast<double>(shape.batch_rows) / divisor(second ? kRows - 1 : kRows) / deviation;
          double squares = 0;
          const std::unique_ptr<Engine> engine = tables.table(second).open();
          descend({shape, input.problem.loss, noise.law(), {}, {}}, {*engine, curator, [](double) {}},
                  [&](std::uint64_t, const Vector& mean, Vector&) {
                    for (const double g : mean) squares += again * g * again * g;
                  });
          return squares / static_cast<double>(shape.steps * shape.weights);
        },
        rules);
    const double thresholds[] = {1, 1.1};
    return lower_bounds(played, thresholds, budget.delta, rules.alpha).epsilon;
  };
  Exhibited shown{budget.epsilon, budget.delta, 0, "", budget.epsilon, 0, "dpsgd, divided by the declared batch_rows"};
  shown.lower_bound = bound([&](std::uint64_t rows) { return shape.rate * static_cast<double>(rows); });
  shown.control_bound = bound([&](std::uint64_t) { return static_cast<double>(shape.batch_rows); });
  shown.evidence = fmt::format("{} rows against {}: the noise of the means is {:.3g} times as large", kRows, kRows - 1,
                               static_cast<double>(kRows) / static_cast<double>(kRows - 1));
  return shown;
}

}  // namespace sotto::audit::museum_rooms
