// What: the certified minimiser of J(w) = sum l0 + (kappa/2)|w|^2 + v.w.
// Formula: quick steps: quasi-Newton (L-BFGS on a Cholesky factor of the curvature where it is small), accepted where
//   0.9 f'(0) <= f'(t) <= -0.8 f'(0) along the line (approximate Wolfe), with many features for an eighth of the rows
//   first; Newton's steps, along the same kind of line, where they do not do, for each output by itself where the sum
//   falls apart into theirs. Then, if need be, gradient steps 1/(m beta + kappa) from a point no worse than 0: while
//   |computed gradient| >= 4 B, B its rounding, the gap to the minimum falls by a factor 1 - 0.32 kappa/(m beta +
//   kappa), so that the loop ends.
// Conditions: convex smooth loss, kappa > 0, tolerance >= SumBounds::reachable().
// Reference: [Liu89]; [Hager05, equation 23]; spec 3.5; docs/notes/objective.md.
// Fails if wrong: Minimiser.* (gradient in extended precision, fallback alone, same bits in every engine).
#include "sotto/optim/minimiser.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <span>

#include "sotto/linalg/cholesky.h"
#include "sotto/linalg/kernels.h"
#include "sotto/optim/curvature_sum.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/views/one_against_rest.h"
#include "sotto/optim/views/some_rows.h"

namespace sotto {
namespace {

constexpr std::size_t kMemory = 40;               // pairs the quasi-Newton matrix remembers,
constexpr std::size_t kMinMemory = 12;            // or as few where they are long
constexpr std::size_t kMemoryNumbers = 1U << 22;  // in all
constexpr int kTrials = 80;                       // of a step length
constexpr std::uint32_t kPatience = 4;     // steps in which the gradient must fall tenfold, or the curvature is renewed
constexpr std::uint32_t kMaxRenewals = 8;  // a matrix costs many gradients
constexpr std::uint32_t kManyFeatures = 500;  // whose matrix costs too much to be summed over all rows
constexpr double kSampledRows = 40;           // a feature, for the first matrix; if it does not do, all rows are summed
constexpr double kFewSampledRows = 1;         // the same with many features; if it does not do, there is none
constexpr std::uint64_t kWarmRows = 4;        // a feature, with many of them: fewer would go another way
constexpr double kWarm = 1e-5;                // of the gradient at 0: what these rows are asked for
constexpr std::uint32_t kMaxWarmSteps = 50;
constexpr std::uint32_t kNewtonAfter = 100;  // quick steps, if a matrix of all rows takes so many products at most;
constexpr double kCheapMatrix = 8e9;         // otherwise after all of them
constexpr std::uint32_t kNewtonSteps = 60;
constexpr double kQuickOvershoot = 0.8;   // of the slope at the start: how far a step may climb again behind the least,
constexpr double kNewtonOvershoot = 0.1;  // and where corners are narrow: behind one the climb may be all there is

double dot(const Vector& a, const Vector& b) noexcept { return kernels::dot(a.data(), b.data(), a.size()); }
double norm(const Vector& a) noexcept { return kernels::norm_at_least(a.data(), a.size()) * (1 + 1e-10); }

struct Pair {
  Vector step, change;  // of weights and of gradient
  double product;       // step.change, above 0
};

}  // namespace

class Minimiser {
 public:
  Minimiser(const Engine& engine, const PerturbedSum& sum, const MinimiserOptions& options)
      : engine_(engine),
        sum_(sum),
        options_(options),
        facts_(engine.facts()),
        bounds_(sum.loss, facts_, sum.curvature),
        data_gradient_(sum.loss, facts_, fine_gradients(sum.loss, facts_)),
        linear_(sum.linear.begin(), sum.linear.end()),
        weights_(weight_count(sum.loss, facts_), 0.0),
        gradient_(weights_.size()),
        direction_(weights_.size()) {
    linear_.resize(weights_.size(), 0.0);
    linear_norm_ = norm(linear_);
  }

  Sensitive<Vector> run() {
    take_steps();
    return Sensitive<Vector>(std::move(weights_));
  }

 private:
  void take_steps() {
    if (many_features() && facts_.rows >= SomeRows::kStride * kWarmRows * facts_.features) {
      warm_up();
    } else {
      gradient_at(weights_, gradient_);
    }
    const auto done = [&] { return certified(); };
    const auto features = static_cast<double>(facts_.features);
    const bool cheap = static_cast<double>(facts_.rows) * features * features <= kCheapMatrix;
    const std::uint32_t first = cheap ? std::min(options_.quick_steps, kNewtonAfter) : options_.quick_steps;
    quick_steps(done, first);
    if (options_.quick_steps > kNewtonAfter && sum_.curvature > 0) outputs() == 1 ? newton_steps() : separate_steps();
    quick_steps(done, options_.quick_steps - first);
    if (sum_.curvature > 0 && options_.sure) sure_steps();
  }

  std::size_t outputs() const noexcept { return outputs_of(sum_.loss, facts_.classes); }

  void gradient_at(const Vector& weights, Vector& out) {
    data_gradient_.start(weights);
    sum_rows(*rows_, data_gradient_, options_.threads);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = data_gradient_.sum_.value(i) * row_weight_ + (sum_.curvature * weights[i] + linear_[i]);
  }

  /// Some of the rows, for all of them: the steps that follow start near the minimum, knowing its curvature. Where
  /// these rows are unlike the others, all of it is forgotten.
  void warm_up() {
    const Vector start = weights_;
    const SomeRows some(engine_);
    rows_ = &some;
    row_weight_ = static_cast<double>(facts_.rows) / static_cast<double>(some.facts().rows);
    gradient_at(weights_, gradient_);
    const double before = norm(gradient_);
    quick_steps([&] { return norm(gradient_) <= kWarm * before; }, kMaxWarmSteps);
    rows_ = &engine_;
    row_weight_ = 1;
    gradient_at(weights_, gradient_);
    if (norm(gradient_) < before) return;
    weights_ = start;
    memory_.clear();
    factor_ = {};
    renewals_ = 0;
    gradient_at(weights_, gradient_);
  }

  double rounding() const noexcept { return bounds_.gradient_rounding(norm(weights_), linear_norm_); }
  bool certified() const noexcept { return norm(gradient_) + rounding() <= options_.tolerance; }

  template <class Done>
  void quick_steps(const Done& done, std::uint32_t most) {
    double gradient_before = norm(gradient_);
    const std::uint32_t patience = many_features() ? 2 * kPatience : kPatience;
    std::uint32_t since = renewals_ == 0 ? patience : 0;
    for (std::uint32_t i = 0; i < most && !done(); ++i, ++since) {
      const bool slow = since >= patience && (renewals_ == 0 || norm(gradient_) > 0.1 * gradient_before);
      if (facts_.features <= options_.most_curvature_features && slow && renewals_ < kMaxRenewals) guide();
      if (since >= patience) {
        gradient_before = norm(gradient_);
        since = 0;
      }
      if (walk()) continue;
      if (memory_.empty()) return;
      memory_.clear();
    }
  }

  bool many_features() const noexcept { return facts_.features > kManyFeatures; }

  /// A matrix of some rows first; if that does not do, one of all rows, or none where that would cost too much.
  void guide() {
    const auto features = static_cast<double>(facts_.features);
    // Along directions that no row has, and against rounding, the ridge keeps the factor well conditioned.
    const double ridge = sum_.curvature + 1e-9 * bounds_.smoothness();
    if (renewals_++ == 0) return renew_curvature((many_features() ? kFewSampledRows : kSampledRows) * features, ridge);
    if (!many_features()) return renew_curvature(std::numeric_limits<double>::infinity(), ridge);
    if (factor_) memory_.clear();
    factor_ = {};
  }

  /// With the curvature of all rows at every step: that of a loss with a narrow corner is soon another's, as rows pass
  /// the corner.
  void newton_steps() {
    if (facts_.features > options_.most_curvature_features) return;
    const double ridge = sum_.curvature + 1e-13 * bounds_.smoothness();
    for (std::uint32_t i = 0; i < kNewtonSteps && !certified(); ++i) {
      renew_curvature(std::numeric_limits<double>::infinity(), ridge);
      if (!walk(kNewtonOvershoot)) return;
    }
  }

  /// Every output by itself, each with its own lengths of steps: the sum of a loss of the margin has no term of two.
  void separate_steps() {
    if (certified() || !is_margin_loss(sum_.loss)) return;
    MinimiserOptions options = options_;
    options.tolerance = 0.7 * options_.tolerance / std::sqrt(static_cast<double>(outputs()));
    options.sure = false;
    const Vector weights_before = weights_, gradient_before = gradient_;
    for (std::size_t k = 0; k < outputs(); ++k) {
      const std::span<double> own(weights_.data() + k * facts_.features, facts_.features);
      if (kernels::norm(gradient_.data() + k * facts_.features, own.size()) <= options.tolerance / 2) continue;
      const OneAgainstRest rows(engine_, k);
      const PerturbedSum sum{sum_.loss, sum_.curvature, {linear_.data() + k * facts_.features, own.size()}};
      Minimiser minimiser(rows, sum, options);
      minimiser.weights_.assign(own.begin(), own.end());
      minimiser.take_steps();
      std::copy(minimiser.weights_.begin(), minimiser.weights_.end(), own.begin());
    }
    gradient_at(weights_, gradient_);
    memory_.clear();
    if (norm(gradient_) <= norm(gradient_before)) return;
    weights_ = weights_before;
    gradient_ = gradient_before;
  }

  /// Up to the tolerance, however long it takes.
  void sure_steps() {
    if (certified()) return;
    // The gap is at most |gradient|^2/(2 kappa): a point where that is above the gap at 0 may be worse than 0.
    const double gap = std::pow(norm(gradient_) + rounding(), 2) / (2 * sum_.curvature);
    if (!(gap <= bounds_.gap_at_zero(linear_norm_)) || !(norm(weights_) <= bounds_.radius(linear_norm_))) {
      std::fill(weights_.begin(), weights_.end(), 0.0);
      gradient_at(weights_, gradient_);
    }
    const double size = 1 / bounds_.smoothness();
    while (!certified()) {
      kernels::axpy(-size, gradient_.data(), weights_.data(), weights_.size());
      gradient_at(weights_, gradient_);
    }
  }

  void renew_curvature(double sample, double ridge) {
    CurvatureSum curvature(sum_.loss, facts_, sample);
    curvature.start(weights_);
    sum_rows(engine_, curvature, options_.threads);
    // Few rows miss directions that others have: there the mean curvature stands in.
    const AlignedVector matrix = curvature.lower_triangle();
    if (many_features() && std::isfinite(sample)) ridge += trace_of(matrix) / static_cast<double>(facts_.features);
    factor_.factor(matrix, facts_.features, ridge);
    memory_.clear();
  }

  double trace_of(const AlignedVector& matrix) const noexcept {
    double trace = 0;
    for (std::size_t i = 0; i < facts_.features; ++i) trace += matrix[i * (facts_.features + 1)];
    return trace;
  }

  /// direction <- - (inverse of the quasi-Newton matrix) gradient
  void turn() {
    direction_ = gradient_;
    Vector shares(memory_.size());
    for (std::size_t i = memory_.size(); i-- > 0;) {
      const Pair& pair = memory_[i];
      shares[i] = dot(pair.step, direction_) / pair.product;
      kernels::axpy(-shares[i], pair.change.data(), direction_.data(), direction_.size());
    }
    precondition();
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const Pair& pair = memory_[i];
      const double share = shares[i] - dot(pair.change, direction_) / pair.product;
      kernels::axpy(share, pair.step.data(), direction_.data(), direction_.size());
    }
    kernels::scale(-1, direction_.data(), direction_.size());
  }

  void precondition() noexcept {
    if (factor_) {
      for (std::size_t k = 0; k < direction_.size(); k += facts_.features) factor_.solve(direction_.data() + k);
      return;
    }
    double size = 1 / bounds_.smoothness();
    if (!memory_.empty()) size = memory_.back().product / dot(memory_.back().change, memory_.back().change);
    kernels::scale(size, direction_.data(), direction_.size());
  }

  /// One step along the direction; false, and nothing moved, if no length will do.
  bool walk(double overshoot = kQuickOvershoot) {
    turn();
    const double fall = dot(gradient_, direction_);
    if (!(fall < 0)) return false;
    Vector next(weights_.size()), next_gradient(weights_.size());
    double low = 0, low_slope = fall, high = 0, high_slope = 0, length = 1;
    int last_end = 0;  // the end of the bracket that moved last
    for (int trial = 0; trial < kTrials; ++trial) {
      next = weights_;
      kernels::axpy(length, direction_.data(), next.data(), next.size());
      gradient_at(next, next_gradient);
      const double slope = dot(next_gradient, direction_);
      if (!std::isfinite(slope)) return false;
      const int end = slope > -overshoot * fall ? 1 : slope < 0.9 * fall ? -1 : 0;
      if (end > 0) {
        high = length, high_slope = slope;
      } else if (end < 0) {
        low = length, low_slope = slope;
      } else {
        accept(next, next_gradient);
        return true;
      }
      // The derivative of a convex function rises, so that a bracket once found stays one.
      // Behind a corner the secant creeps: where one end moved twice the bracket is halved.
      const bool creeps = end == last_end;
      const double secant = high > 0 ? low_slope / (low_slope - high_slope) : 0;
      length = high > 0 ? low + (high - low) * (creeps ? 0.5 : std::clamp(secant, 0.001, 0.999)) : 4 * length;
      last_end = creeps ? 0 : end;
    }
    return false;
  }

  void accept(Vector& next, Vector& next_gradient) {
    Pair pair{next, next_gradient, 0};
    kernels::axpy(-1, weights_.data(), pair.step.data(), pair.step.size());
    kernels::axpy(-1, gradient_.data(), pair.change.data(), pair.change.size());
    pair.product = dot(pair.step, pair.change);
    weights_.swap(next);
    gradient_.swap(next_gradient);
    if (!(pair.product > 1e-14 * norm(pair.step) * norm(pair.change))) return;
    memory_.push_back(std::move(pair));
    if (memory_.size() > std::clamp(kMemoryNumbers / weights_.size(), kMinMemory, kMemory)) memory_.pop_front();
  }

  const Engine& engine_;
  const Engine* rows_ = &engine_;  // whose gradients are summed,
  double row_weight_ = 1;          // each standing for so many
  const PerturbedSum& sum_;
  const MinimiserOptions& options_;
  Facts facts_;
  SumBounds bounds_;
  GradientSum data_gradient_;
  Vector linear_;
  double linear_norm_ = 0;
  Vector weights_;
  Vector gradient_;
  Vector direction_;
  Cholesky factor_;
  std::uint32_t renewals_ = 0;
  std::deque<Pair> memory_;
};

Sensitive<Vector> minimise(const Engine& engine, const PerturbedSum& sum, const MinimiserOptions& options) {
  return Minimiser(engine, sum, options).run();
}

}  // namespace sotto
