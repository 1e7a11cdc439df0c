// What: the loop of dp_agd.
// Formula: g ~ sum of clipped gradients + noise; direction (g + m lambda w) / |g + m lambda w|; step a drawn among
//   0, a_max/n, ..., a_max by the loss sums plus (m lambda / 2) |w|^2. Step 0: a second estimate g2 of the same sum, at
//   the increase of the budget, is averaged into g with the weights of their precisions, and a step is drawn again.
// Conditions: nothing is read or drawn that the allowance does not cover; what decides is public or was released.
// Reference: [Lee18, Algorithm 2]; the repairs are listed in docs/notes/agd.md.
// Fails if wrong: DpAgd.* (replay of every draw, optimum without noise)
#include "sotto/work/adaptive_descent.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "sotto/optim/gradient_sum.h"
#include "sotto/privacy/choice.h"

namespace sotto {
namespace {

template <class Noise>
Noise noise_on(double sensitivity, std::size_t dimension) {
  Noise noise;
  noise.sensitivity = sensitivity;
  noise.dimension = dimension;
  noise.grid = make_grid(sensitivity, dimension);
  return noise;
}

double norm_of(const Vector& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

/// Times a power of two that brings the largest entry to between 1 and 2.
void scale_to_one(Vector& v) {
  double largest = 0;
  for (const double x : v) largest = std::max(largest, std::fabs(x));
  if (!(largest > 0 && std::isfinite(largest))) return;
  const int exponent = std::ilogb(largest);
  for (double& x : v) x = std::scalbn(x, -exponent);
}

class AgdRun {
 public:
  AgdRun(const AdaptiveWork& work, const Run& run)
      : work_(work),
        run_(run),
        terms_(work.terms),
        allowance_(run.curator.open_allowance(terms_.whole)),
        whole_(allowance_.left()),
        gradient_(work.loss, run.engine.facts(), terms_.gradients, terms_.clip),
        losses_(work.loss, run.engine.facts(), terms_.losses),
        weights_(terms_.dimension, 0.0),
        share_(terms_.gradient_share),
        reach_(work.largest_step) {}

  Vector go() {
    while (estimate_gradient(share_) && descend()) run_.progress(1 - allowance_.left() / whole_);
    spend_rest();
    run_.progress(1);
    return std::move(weights_);
  }

 private:
  bool fits(const Mechanism& noise) const { return can_draw(noise) && allowance_.fits(event_of(noise)); }
  /// Inverse variance, up to a constant, of an estimate at this share of the budget.
  double precision_of(double share) const { return terms_.pure() ? share * share : share; }

  /// A first estimate of the gradient sum at the weights.
  bool estimate_gradient(double share) {
    const Mechanism noise = terms_.gradient_noise(share);
    if (!fits(noise)) return false;
    gradient_.start(weights_);
    sum_rows(run_.engine, gradient_);
    estimate_ = run_.curator.release(gradient_.take(), noise, allowance_);
    precision_ = precision_of(share);
    return true;
  }

  /// One more estimate of the same sum, averaged into the first: un-normalised, weighted by precision.
  bool sharpen(double extra_share) {
    const Mechanism noise = terms_.gradient_noise(extra_share);
    if (!fits(noise)) return false;
    const Vector more = run_.curator.release(gradient_.take(), noise, allowance_);
    const double weight = precision_of(extra_share) / (precision_ + precision_of(extra_share));
    for (std::size_t i = 0; i < more.size(); ++i) estimate_[i] += weight * (more[i] - estimate_[i]);
    precision_ += precision_of(extra_share);
    return true;
  }

  /// Draws steps until one is taken; false when the allowance is short of a draw.
  bool descend() {
    for (;;) {
      const std::optional<std::size_t> index = choose_step();
      if (!index) return false;
      if (*index > 0) {
        take_step(length_of(*index));
        return true;
      }
      const double grown = share_ * (1 + work_.budget_growth);
      if (!sharpen(grown - share_)) return false;
      share_ = grown;
      reach_ *= work_.step_shrink;
    }
  }

  double length_of(std::size_t index) const {
    return reach_ * static_cast<double>(index) / static_cast<double>(work_.step_candidates);
  }

  /// Not longer than 1, which the range of a choice relies on: squares of short estimates would underflow.
  Vector direction() const {
    Vector unit = estimate_;
    const double pull = terms_.rows * work_.lambda;
    for (std::size_t i = 0; i < unit.size(); ++i) unit[i] += pull * weights_[i];
    scale_to_one(unit);
    const double norm = norm_of(unit);
    for (double& u : unit) u = norm > 0 ? u / norm : 0;
    return unit;
  }

  std::optional<std::size_t> choose_step() {
    Choice choice{
        terms_.choice_range(reach_, norm_of(weights_), work_.loss_clip), terms_.choice_epsilon, Aim::smallest, {}};
    if (!allowance_.fits(choice.event())) return std::nullopt;
    const Vector unit = direction();
    Vector lengths;
    for (std::size_t index = 0; index <= work_.step_candidates; ++index) {
      lengths.push_back(length_of(index));
      double squares = 0;
      for (std::size_t i = 0; i < unit.size(); ++i) squares += std::pow(weights_[i] - lengths.back() * unit[i], 2);
      choice.offsets.push_back(terms_.rows * work_.lambda / 2 * squares);
    }
    losses_.start({weights_, unit, lengths});
    sum_rows(run_.engine, losses_);
    return run_.curator.choose(losses_.take(), choice, allowance_);
  }

  void move_by(double length) {
    const Vector unit = direction();
    for (std::size_t i = 0; i < unit.size(); ++i) weights_[i] -= length * unit[i];
    precision_ = 0;
  }

  void take_step(double length) {
    move_by(length);
    last_length_ = length;
    longest_ = std::max(longest_, length);
    if (++iterations_ % work_.refresh_every != 0) return;
    reach_ = work_.refresh_growth * longest_;
    longest_ = 0;
  }

  /// The remainder buys a last gradient, or betters the one at hand, and the last length is taken along it; shorter if
  /// the remainder is less than what gradients cost by now, as the direction is then the worse for it.
  void spend_rest() {
    if (last_length_ == 0) return;
    const double rest = allowance_.left();
    const bool at_hand = precision_ > 0;
    if (!(rest > 0 && (at_hand ? sharpen(rest) : estimate_gradient(rest))) && !at_hand) return;
    move_by(last_length_ * std::min(1.0, std::sqrt(precision_ / precision_of(share_))));
  }

  const AdaptiveWork& work_;
  const Run& run_;
  const AdaptiveTerms& terms_;
  Allowance allowance_;
  const double whole_;
  GradientSum gradient_;
  LossSums losses_;
  Vector weights_;
  Vector estimate_;       // of the gradient sum at the weights, the regulariser not in it
  double precision_ = 0;  // of the estimate; 0: there is none at these weights
  double share_;          // what a gradient costs by now
  double reach_;          // the longest step on offer
  double longest_ = 0;    // taken since the last refresh
  double last_length_ = 0;
  std::uint64_t iterations_ = 0;
};

}  // namespace

Mechanism AdaptiveTerms::gradient_noise(double share) const {
  if (pure()) {
    auto noise = noise_on<DiscreteLaplaceNoise>(sensitivity, dimension);
    noise.epsilon = share;
    return noise;
  }
  auto noise = noise_on<DiscreteGaussianNoise>(sensitivity, dimension);
  noise.rho = share;
  return noise;
}

double AdaptiveTerms::choice_range(double reach, double weights_norm, double loss_clip) const {
  // A computed loss is off by the rounding of its scores and of a few functions of them.
  const double size = static_cast<double>(dimension) + 32 + outputs * outputs;
  const double slack = 0x1p-48 * size * (1 + lipschitz * (weights_norm + reach));
  const double spread = std::min(loss_clip, reach * lipschitz * (1 + 0x1p-40) + 2 * slack);
  return range_with_error(relation_factor * spread, score_error);
}

bool can_draw(const Mechanism& mechanism) {
  const double most = std::holds_alternative<DiscreteGaussianNoise>(mechanism) ? kMaxDiscreteSigma : kMaxStddev;
  return std::visit([&](const auto& m) { return m.stddev() / m.grid.step <= most; }, mechanism);
}

Outcome AdaptiveWork::run(const Run& run) const { return {AgdRun(*this, run).go()}; }

}  // namespace sotto
