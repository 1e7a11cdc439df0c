// What: mistakes in adding up: passes not composed, noise for other batches, a shuffle called a sample, accountants
//   picked afterwards.
// Formula: the first three by the game on the sums that leave. The last exactly: delta of an adaptive choice is
//   E_l[max_B delta_B(epsilon - l)] over the loss l of the first release, where the filter allows each B on its own.
// Conditions: shuffled sums: the row is in the same batch of each pass, the attacker does not know which.
// Reference: [Song13], [Wu17], [Chua24], [Rogers16]; spec 6.2, 6.4, 7.2, 7.3.
// Fails if wrong: Museum.*
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "sotto/audit/museum.h"
#include "sotto/audit/stored_table.h"
#include "sotto/base/error.h"
#include "sotto/methods/sampled_descent.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/random/samplers.h"

namespace sotto::audit::museum_rooms {

Exhibited passes_not_composed(const GameRules& rules) {
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0};
  Scs13 method{.mechanism = MechanismChoice::l2_laplace};
  method.sgd = {.passes = 5, .batch_rows = 20, .step = ConstantStep{1e-3}, .order = RowOrder::stored};
  request.method = method;
  const auto bound = [&](double epsilon) {
    request.budget = {.epsilon = epsilon};
    const TrainingGame game = training_game(request, linear_pair(linear_facts(20), 0));
    return lower_bounds(play(game.game, rules), game.thresholds, 0, rules.alpha).epsilon;
  };
  // Noise for epsilon 5 in all is noise for epsilon 1 in each pass.
  return {1, 0, bound(5), "the five noised sums of the row's batch, added up", 1, bound(1), "scs13, epsilon/5 a pass"};
}

Exhibited bst14_mini_batch(const GameRules& rules) {
  // Half of the rows in every batch, twenty passes: forty steps.
  constexpr std::uint64_t kRows = 600;
  const Budget budget{0.2, 1e-5};
  const Pair pair = linear_pair({kRows, 1, 1.0, false}, 0);
  const PlanInput input{pair.first.facts(), {HuberSvm{0.1}, 0}, budget};
  const SampledRun shape = sampled_run({20, kRows / 2, 0, 0}, input);
  const SampledShape sampled = sampled_shape(shape);
  const auto bound = [&](const SampledCalibrated& noise) {
    const Played played = play(
        [&](bool second, BitSource& bits) {
          TableEngine engine(second ? pair.second : pair.first);
          Curator curator(bits);
          curator.charge(noise.charge());
          // Steps so short that the loss stays linear: the last weight is the sum of all noised gradients.
          const SampledWork work{shape, input.problem.loss, noise.law(), {}, ConstantPace{1e-3}};
          return work.run({engine, curator, [](double) {}}).weights[0];
        },
        rules);
    const double middle[] = {0.0};
    return lower_bounds(played, middle, budget.delta, rules.alpha).epsilon;
  };
  const double sigma = bst14_published_sigma(kRows, shape.steps, budget);
  const SampledCalibrated printed = account_sampled(sampled, budget, sigma);
  Exhibited shown{budget.epsilon, budget.delta, bound(printed), "", budget.epsilon, 0, "bst14, accounted"};
  shown.control_bound = bound(calibrate_sampled(sampled, budget, SampledAccounting::pld));
  shown.evidence = fmt::format("last weight after {} steps; by privacy-loss distribution epsilon is {:.3g}",
                               shape.steps, printed.planned.epsilon);
  return shown;
}

namespace {

/// Batches of one row; the attacker adds up the noised sums of each place in a pass and looks at the largest.
struct SampledGame {
  std::uint64_t rows = 200, passes = 25;
  double sigma = 1;

  double largest_mean(const Vector& totals) const {
    return *std::max_element(totals.begin(), totals.end()) / static_cast<double>(passes);
  }

  /// The row is in the same batch of every pass, by one shuffle.
  double shuffled(bool second, BitSource& bits) const {
    Vector totals(rows, 0.0), noise(rows);
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      draw_normal(bits, noise);
      for (std::uint64_t t = 0; t < rows; ++t) totals[t] += sigma * noise[t];
    }
    totals[draw_below(bits, rows)] += (second ? -1.0 : 1.0) * static_cast<double>(passes);
    return largest_mean(totals);
  }

  /// The product's descent on Poisson batches of the same rate and the same noise; the weights stay where they are.
  Game product(const Budget& budget) const {
    const Pair pair = linear_pair({rows, 1, 1.0, false}, 0);
    const PlanInput input{pair.first.facts(), {HuberSvm{0.1}, 0}, budget};
    const SampledRun shape = sampled_run({static_cast<double>(passes), 1, 0, 0}, input);
    const SampledCalibrated noise = account_sampled(sampled_shape(shape), budget, sigma);
    return [*this, input, shape, noise, tables = StoredPair(pair, Feeder::in_memory)](bool second, BitSource& bits) {
      const std::unique_ptr<Engine> engine = tables.table(second).open();
      Curator curator(bits);
      curator.charge(noise.charge());
      Vector totals(rows, 0.0);
      descend({shape, input.problem.loss, noise.law(), {}, {}}, {*engine, curator, [](double) {}},
              [&](std::uint64_t t, const Vector& g, Vector&) { totals[t % rows] -= g[0]; });
      return largest_mean(totals);
    };
  }
};

}  // namespace

Exhibited shuffled_as_poisson(const GameRules& rules) {
  const SampledGame game;
  constexpr double kDelta = 1e-3;
  const Event steps =
      repeat(PoissonSampledEvent{1.0 / static_cast<double>(game.rows), game.sigma}, game.rows * game.passes);
  const double claim = account_epsilon(steps, Relation::replace_one, kDelta, AccountantChoice::pld).value.upper;
  const double thresholds[] = {0.7, 0.8, 0.9};
  const auto bound = [&](const Game& played, const GameRules& by) {
    return lower_bounds(play(played, by), thresholds, kDelta, by.alpha).epsilon;
  };
  GameRules fewer = rules;                                        // five thousand steps a game
  fewer.games = std::max<std::uint64_t>(rules.games / 10, 1000);  // fewer could not prove the claim broken
  const Game wrong = [&](bool second, BitSource& bits) { return game.shuffled(second, bits); };
  return {claim,
          kDelta,
          bound(wrong, rules),
          fmt::format("{} batches, {} passes in the order of one shuffle; the largest mean sum of a batch", game.rows,
                      game.passes),
          claim,
          bound(game.product({claim, kDelta}), fewer),
          fmt::format("the sums of dpsgd, whose batches are Poisson samples, {} games", fewer.games)};
}

namespace {

/// After a Gaussian release with loss l, each of a few second releases is allowed. Which one is taken depends on l.
struct AdaptiveChoice {
  double epsilon = 1, delta = 1e-3, first_mu = 0.2;

  using Allows = std::function<bool(const Event& second)>;
  /// By a filter that goes by the smallest accountant's total.
  bool wrong(const Event& second) const {
    return account_epsilon(sequence({GaussianEvent{first_mu}, second}), Relation::replace_one, delta).value.upper <=
           epsilon;
  }
  /// By the product's filter, whose currency was fixed before.
  bool right(const Event& second) const {
    Filter filter = Filter::open(FilterKind::zcdp, {epsilon, delta, Relation::replace_one});
    try {
      return filter.try_spend(GaussianEvent{first_mu}) && filter.try_spend(second);
    } catch (const Error&) {
      return false;  // it has no price for it
    }
  }
};

/// The largest parameter of a second release that is let through.
template <class Make>
double largest(double high, const AdaptiveChoice::Allows& allows, const Make& make) {
  double low = 0;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (allows(make(middle)) ? low : high) = middle;
  }
  return low;
}

/// delta at e of randomised response with loss `eps`.
double response_delta(double eps, double e) {
  if (e >= eps) return 0;
  const double p = 1 / (1 + std::exp(-eps));
  return e <= -eps ? 1 - std::exp(e) : p - std::exp(e) * (1 - p);
}

/// The epsilon at which a decreasing profile reaches delta.
template <class Profile>
double epsilon_at(double delta, const Profile& profile) {
  double low = 0, high = 20;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (profile(middle) > delta ? low : high) = middle;
  }
  return low;
}

double profile_delta(double mu, double e) {
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  return phi(-e / mu + mu / 2) - std::exp(e) * phi(-e / mu - mu / 2);
}

}  // namespace

namespace {

/// The strongest second releases of three kinds that one filter lets through.
struct SecondReleases {
  double mu = 0, pure = 0, open = 0;
  explicit SecondReleases(const AdaptiveChoice::Allows& allows)
      : mu(largest(5, allows, [](double v) { return Event(GaussianEvent{v}); })),
        pure(largest(5, allows, [](double v) { return Event(PureEvent{v}); })),
        open(largest(0.5, allows, [](double v) {
          return Event(ApproximateEvent{0, v});
        })) {}

  /// delta at e when, after a first release of loss l ~ N(m^2/2, m^2), the second one that is worst at l is taken.
  double delta_at(double e, double m) const {
    double sum = 0;
    constexpr int kPoints = 4000;
    for (int i = 0; i < kPoints; ++i) {
      const double z = -10 + 20 * (i + 0.5) / kPoints;
      const double rest = e - (m * m / 2 + m * z);
      // A release that is open with probability `open` and says nothing else.
      const double opened = open + (1 - open) * std::max(0.0, -std::expm1(rest));
      const double worst = std::max({profile_delta(mu, rest), response_delta(pure, rest), opened});
      sum += std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) * (20.0 / kPoints) * worst;
    }
    return sum;
  }
};

}  // namespace

Exhibited smallest_accountant(const GameRules&) {
  const AdaptiveChoice game;
  const SecondReleases wrong([&](const Event& second) { return game.wrong(second); });
  const SecondReleases right([&](const Event& second) { return game.right(second); });
  const auto epsilon_of = [&](const SecondReleases& releases) {
    return epsilon_at(game.delta, [&](double e) { return releases.delta_at(e, game.first_mu); });
  };
  Exhibited shown{game.epsilon, game.delta, epsilon_of(wrong), "", game.epsilon, epsilon_of(right), ""};
  shown.control = fmt::format("a zcdp filter under the same choice (gaussian {:.3g}, pure {:.3g}, open {:.2g} fit)",
                              right.mu, right.pure, right.open);
  shown.evidence = fmt::format(
      "second release chosen by the loss of the first among three that each fit (gaussian {:.3g}, pure {:.3g}, open "
      "{:.2g}): delta is {:.3g} at the claimed epsilon, {:.3g} promised; computed exactly",
      wrong.mu, wrong.pure, wrong.open, wrong.delta_at(game.epsilon, game.first_mu), game.delta);
  return shown;
}

}  // namespace sotto::audit::museum_rooms
