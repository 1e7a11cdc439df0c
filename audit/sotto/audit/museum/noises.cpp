// What: mistakes in the noise itself: wrong law, too few seeds, a formula beyond its range, the wrong sign, low bits.
// Formula: the game on the mechanism alone, f = 0 against f = 1 of sensitivity 1.
// Conditions: events are fixed from the laws: a small ball about f (ball), membership in the 256 possible outputs
//   (one byte), the middle (Gaussian), one index (choice), a float (low bits).
// Reference: spec 4.1 to 4.3, 5.1, 5.2; [Balle18] for the exact Gaussian profile.
// Fails if wrong: Museum.*
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sotto/audit/museum.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/random/samplers.h"

namespace sotto::audit::museum_rooms {
namespace {

GameRules cheap(GameRules rules) {
  rules.games = std::max<std::uint64_t>(10 * rules.games, 20000);  // one draw a game
  return rules;
}

double release(double value, const Calibrated& noise, BitSource& bits) {
  Curator curator(bits);
  curator.charge(noise.charge());
  return curator.release(Sensitive<Vector>(Vector{value}), noise.mechanism)[0];
}

}  // namespace

Exhibited ball_sampler(const GameRules& given) {
  const GameRules rules = cheap(given);
  const double thresholds[] = {-0.05, -0.02, -0.01};  // nearer to f(S) than this
  const auto bound = [&](const auto& draw) {
    const Played played =
        play([&](bool second, BitSource& bits) { return -std::abs((second ? 1 : 0) + draw(bits)); }, rules);
    return lower_bounds(played, thresholds, 0, rules.alpha).epsilon;
  };
  const Calibrated right = calibrate(MechanismChoice::l2_laplace, {1, 1, 1, 1}, {.epsilon = 1});
  Exhibited shown{1, 0, 0, "", 1, 0, "mechanism l2_laplace"};
  shown.lower_bound = bound([](BitSource& bits) {
    double direction = 0;
    draw_sphere(bits, std::span(&direction, 1));
    return draw_gamma(bits, 1) * direction * draw_uniform(bits);  // in the ball: the sphere times U^(1/d)
  });
  shown.control_bound = bound([&](BitSource& bits) { return release(0, right, bits); });
  shown.evidence = "one dimension: outputs within 0.05 of f(S) are far too likely; the density there is unbounded";
  return shown;
}

Exhibited one_byte_seed(const GameRules& rules) {
  const Calibrated noise = calibrate(MechanismChoice::l2_laplace, {1, 1, 1, 1}, {.epsilon = 1});
  std::array<double, 256> known{};  // every output there can be for f(S)
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    BitSource seeded(ReproducibleSeed{byte});
    known[byte] = release(0, noise, seeded);
  }
  std::sort(known.begin(), known.end());
  const auto is_known = [&](double y) { return std::binary_search(known.begin(), known.end(), y) ? 1.0 : 0.0; };
  const double half[] = {0.5};
  const auto bound = [&](const Game& game) { return lower_bounds(play(game, rules), half, 0, rules.alpha).epsilon; };
  Exhibited shown{1, 0, 0, "", 1, 0, "a bit source of the product for every release, keyed by the operating system"};
  shown.lower_bound = bound([&](bool second, BitSource& bits) {
    BitSource seeded(ReproducibleSeed{bits.next() % 256});
    return is_known(release(second ? 1 : 0, noise, seeded));
  });
  shown.control_bound = bound([&](bool second, BitSource&) {
    BitSource own;
    return is_known(release(second ? 1 : 0, noise, own));
  });
  shown.evidence = "256 outputs are possible for f(S); a release is one of them exactly if the data are S";
  return shown;
}

Exhibited classical_gaussian(const GameRules& given) {
  GameRules rules = cheap(given);
  rules.games *= 2;
  constexpr double kEpsilon = 20, kDelta = 1e-5, kFar = 1.75;
  // The event y >= kFar is common enough under f(S) = 1 to be counted. Under f(S') = 0 it happens once in 10^12
  // releases: that share is computed from the law, which the samplers are tested for.
  const auto bound = [&](double sigma, const auto& draw) {
    const Played played = play([&](bool, BitSource& bits) { return draw(bits); }, rules);
    const Tally tally = played.tally(kFar);
    const double often = share_lower(tally.on_first + tally.on_second, 2 * tally.games, rules.alpha) - kDelta;
    return often <= 0 ? 0.0 : std::log(often / (0.5 * std::erfc(kFar / sigma / std::sqrt(2.0))));
  };
  const double classical = std::sqrt(2 * std::log(1.25 / kDelta)) / kEpsilon;
  Exhibited shown{kEpsilon, kDelta, 0, "", kEpsilon, 0, "mechanism gaussian, analytic"};
  shown.lower_bound = bound(classical, [&](BitSource& bits) {
    double z = 0;
    draw_normal(bits, std::span(&z, 1));
    return 1 + classical * z;
  });
  const Calibrated analytic = calibrate(MechanismChoice::gaussian, {1, 1, 1, 1}, {kEpsilon, kDelta});
  shown.control_bound = bound(std::visit([](const auto& m) { return m.stddev(); }, analytic.mechanism),
                              [&](BitSource& bits) { return release(1, analytic, bits); });
  shown.evidence = fmt::format(
      "outputs above {} counted under f(S) = 1, their share under f(S') = 0 computed; exact: delta is {:.2g} at "
      "epsilon "
      "20",
      kFar, gaussian_delta(1 / classical, kEpsilon));
  return shown;
}

Exhibited noisy_min_sign(const GameRules& given) {
  const GameRules rules = cheap(given);
  constexpr double kEpsilon = 0.5;
  constexpr std::size_t kCandidates = 21;
  const double half[] = {0.5};
  const auto bound = [&](const auto& choose) {
    const Played played = play(
        [&](bool second, BitSource& bits) {
          Vector losses(kCandidates, 0.0);
          if (second) losses[0] = 1;  // one more row, which one candidate gets wrong
          return choose(losses, bits) == 0 ? 1.0 : 0.0;
        },
        rules);
    return lower_bounds(played, half, 0, rules.alpha).epsilon;
  };
  Exhibited shown{kEpsilon, 0, 0, "", kEpsilon, 0, "the product's choice, exponential mechanism"};
  shown.lower_bound = bound([](const Vector& losses, BitSource& bits) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const double noisy = losses[i] + draw_exponential(bits) / kEpsilon;
      if (noisy < least) best = i;
      least = std::min(least, noisy);
    }
    return best;
  });
  const Choice right{1, kEpsilon, Aim::smallest, Vector(kCandidates, 0.0)};
  shown.control_bound = bound([&](const Vector& losses, BitSource& bits) { return right.draw(bits, losses); });
  shown.evidence = "21 candidates; the candidate whose loss rose by 1 is as good as never chosen: loss 20 epsilon";
  return shown;
}

namespace {

/// Whether `noised`, a sum with noise, is `sum` plus `factor` times a float, but for its rounding.
bool is_float_away(double noised, double sum, double factor) {
  const double multiple = (noised - sum) / factor;
  const double rounding = 0x1p-52 * (std::abs(noised) + std::abs(sum)) / factor;
  return std::abs(multiple - double{static_cast<float>(multiple)}) <= 4e-15 * std::abs(multiple) + rounding;
}

}  // namespace

Exhibited float_noise(const GameRules& given) {
  const GameRules rules = cheap(given);
  // Hinge loss, one row of one feature, one step of size 1 from 0: the weight is minus the noised sum.
  const Budget budget{1, 1e-6};
  Scs13 method{.mechanism = MechanismChoice::gaussian};
  method.sgd = {.passes = 1, .batch_rows = 1, .step = ConstantStep{1}};
  const Plan plan = method.plan({{1, 1, 1.0, false}, {Hinge{}, 0}, budget});
  const double factor = std::get<GaussianNoise>(plan.noise->mechanism).scale();
  const double sums[] = {-1, double{0.7F}};  // of a row 1, and of a row -0.7
  const double half[] = {0.5};
  const auto bound = [&](const auto& noised) {
    const Played played = play(
        [&](bool second, BitSource& bits) {
          const double weight = -noised(sums[second ? 1 : 0], bits);
          return is_float_away(-weight, sums[0], factor) ? 1.0 : 0.0;
        },
        rules);
    return lower_bounds(played, half, budget.delta, rules.alpha).epsilon;
  };
  Exhibited shown{budget.epsilon, budget.delta, 0, "", budget.epsilon, 0, "scs13, sum and noise on the grid"};
  shown.lower_bound = bound([&](double sum, BitSource& bits) {
    double z = 0;
    draw_normal(bits, std::span(&z, 1));
    return sum + factor * double{static_cast<float>(z)};
  });
  shown.control_bound = bound([&](double sum, BitSource& bits) {
    Curator curator(bits);
    curator.charge(plan.charges.front());
    curator.step_noise(plan.noise->mechanism, 1).perturb(std::span(&sum, 1));
    return sum;
  });
  shown.evidence = "the weight less the sum of one row, over the public scale: a float exactly if that row was there";
  return shown;
}

}  // namespace sotto::audit::museum_rooms
