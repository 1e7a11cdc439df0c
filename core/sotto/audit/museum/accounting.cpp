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
#include <numbers>

#include "sotto/algorithms/sampled_descent.h"
#include "sotto/audit/museum.h"
#include "sotto/audit/neighbours.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/random/samplers.h"

namespace sotto::audit::museum_rooms {

Exhibited passes_not_composed(const GameRules& rules) {
  TrainRequest request;
  request.problem = {HuberSvm{0.1}, 0};
  Scs13 method{.mechanism = MechanismChoice::l2_laplace};
  method.sgd = {.passes = 5, .batch_rows = 20, .step = ConstantStep{1e-3}, .order = RowOrder::stored};
  request.algorithm = method;
  const auto bound = [&](double epsilon) {
    request.budget = {.epsilon = epsilon};
    const TrainingGame game = training_game(request, linear_facts(20));
    return lower_bounds(play(game.game, rules), game.thresholds, 0, rules.alpha).epsilon;
  };
  // Noise for epsilon 5 in all is noise for epsilon 1 in each pass.
  return {1, 0, bound(5), "the five noised sums of the row's batch, added up", 1, bound(1), "scs13, epsilon/5 a pass"};
}

Exhibited bst14_mini_batch(const GameRules& rules) {
  // Half of the rows in every batch, twenty passes: forty steps.
  constexpr std::uint64_t kRows = 600;
  const Budget budget{0.2, 1e-5};
  const Pair pair = linear_pair(kRows, 0, 1);
  const PlanInput input{pair.first.facts(), {HuberSvm{0.1}, 0}, budget};
  const SampledRun shape = sampled_run({20, kRows / 2, 0, 0}, input);
  const SampledShape sampled = sampled_shape(shape);
  const auto bound = [&](const SampledCalibrated& noise) {
    const Played played = play(
        [&](bool second, BitSource& bits) {
          TableEngine engine(second ? pair.second : pair.first);
          Curator curator(bits);
          curator.charge(noise.calibrated.charge);
          // Steps so short that the loss stays linear: the last weight is the sum of all noised gradients.
          return descend(shape, noise.law, {engine, curator, input, [](double) {}},
                         [](std::uint64_t, const Vector& g, Vector& w) { w[0] -= 1e-3 * g[0]; })[0];
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
                               shape.steps, printed.calibrated.epsilon);
  return shown;
}

namespace {

/// Passes over batches of one row, or secret samples of the same rate; the attacker adds up the sums of each place and
/// looks at the largest.
struct SampledGame {
  std::uint64_t rows = 200, passes = 25;
  double sigma = 1;

  double play_once(bool second, bool poisson, BitSource& bits) const {
    const double row = second ? -1 : 1;
    const std::uint64_t place = draw_below(bits, rows);  // of the row in the one shuffle
    Vector totals(rows, 0.0), noise(rows);
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      draw_normal(bits, noise);
      for (std::uint64_t t = 0; t < rows; ++t) {
        const bool in = poisson ? draw_below(bits, rows) == 0 : t == place;
        totals[t] += (in ? row : 0) + sigma * noise[t];
      }
    }
    return *std::max_element(totals.begin(), totals.end()) / static_cast<double>(passes);
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
  const auto bound = [&](bool poisson) {
    const Played played =
        play([&](bool second, BitSource& bits) { return game.play_once(second, poisson, bits); }, rules);
    return lower_bounds(played, thresholds, kDelta, rules.alpha).epsilon;
  };
  return {claim,
          kDelta,
          bound(false),
          fmt::format("{} batches, {} passes in the order of one shuffle; the largest mean sum of a batch", game.rows,
                      game.passes),
          claim,
          bound(true),
          "Poisson samples, for which the account is right"};
}

namespace {

/// After a Gaussian release with loss l, the filter allows each of a few second releases, because the smallest
/// accountant's total is within the budget for each. Which one is taken depends on l.
struct AdaptiveChoice {
  double epsilon = 1, delta = 1e-3, first_mu = 0.2;

  double total(const Event& second) const {
    return account_epsilon(sequence({GaussianEvent{first_mu}, second}), Relation::replace_one, delta).value.upper;
  }
  /// The largest parameter of a second release that the wrong filter lets through.
  template <class Make>
  double largest(double high, const Make& make) const {
    double low = 0;
    for (int i = 0; i < 30; ++i) {
      const double middle = (low + high) / 2;
      (total(make(middle)) <= epsilon ? low : high) = middle;
    }
    return low;
  }
};

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

Exhibited smallest_accountant(const GameRules&) {
  const AdaptiveChoice game;
  const double mu = game.largest(5, [](double v) { return Event(GaussianEvent{v}); });
  const double pure = game.largest(5, [](double v) { return Event(PureEvent{v}); });
  const double open = game.largest(0.5, [](double v) { return Event(ApproximateEvent{0, v}); });
  // delta at e when, after a first release of loss l ~ N(mu^2/2, mu^2), the second release that is worst at l is taken.
  const auto delta_at = [&](double e) {
    const double m = game.first_mu;
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
  };
  Exhibited shown{game.epsilon, game.delta, epsilon_at(game.delta, delta_at), "", game.epsilon, 0, ""};
  // One currency, fixed beforehand: what a gdp filter lets through.
  Filter filter = Filter::open(FilterKind::gdp, {game.epsilon, game.delta, Relation::replace_one});
  double squares = 0;
  while (filter.try_spend(GaussianEvent{game.first_mu / 4})) squares += game.first_mu * game.first_mu / 16;
  shown.control_bound = epsilon_at(game.delta, [&](double e) { return profile_delta(std::sqrt(squares), e); });
  shown.control = "a gdp filter, spent to its limit by releases chosen one after the other";
  shown.evidence = fmt::format(
      "second release chosen by the loss of the first among three that each fit (gaussian {:.3g}, pure {:.3g}, open "
      "{:.2g}): delta is {:.3g} at the claimed epsilon, {:.3g} promised; computed exactly",
      mu, pure, open, delta_at(game.epsilon), game.delta);
  return shown;
}

}  // namespace sotto::audit::museum_rooms
