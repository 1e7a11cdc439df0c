// What: second moments M of the rows with noise, a map T made of them, noisy gradient descent on the images T x.
// Formula: M' = M + N, values v_i; r = 0.3 sigma sqrt(2 d); a_i = max(v_i, 0), e_i = a_i + r;
//   T = X sqrt(m/(0.2 k)) M'(e)^-p, k = max(r^(1 - 2p), sum a_i e_i^(-2p)). A row is scaled to |T x| <= X, then spec 7.5.
//   w = T' u, u the weights of images. p = 1/2; where exp(entropy of the shares of max(v_i - r, 0)) > 7, p = 1/4, steps
//   of at most 10 (1 + momentum)/beta, and the mean of the last 0.3 of them.
// Conditions: T and p are functions of M' and public facts. lambda acts on u.
// Reference: docs/notes/whitening.md.
// Fails if wrong: WhitenedDpgd.*, Methods.*, Replay.*, LedgerReplay.*
#include "sotto/work/whitened_descent.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/symmetric_eigen.h"
#include "sotto/optim/recipe.h"
#include "sotto/optim/second_moments.h"
#include "sotto/optim/views/whitened_rows.h"
#include "sotto/work/whitened_link.h"

namespace sotto {
namespace {

constexpr double kManyDirections = 7;  // that hold the rows' length: whitening is then half done

/// How descent goes, by what the released moments show.
struct Course {
  bool half;        ///< the map is the root of the one that whitens
  double averaged;  ///< share of the steps, the last ones, whose mean is released; 0: the last one alone
  double steepest;  ///< a step at most, in units of (1 + momentum)/beta
};
constexpr Course kNarrow{false, 0, HUGE_VAL};
constexpr Course kSpread{true, 0.3, 10};

double deviation(const Mechanism& mechanism) {
  return std::visit([](const auto& m) { return m.stddev(); }, mechanism);
}

/// The released moments: from here on no row is read for the map or the course.
struct Spectrum {
  SymmetricEigen eigen;
  double floor;  // added to every value

  double value(std::size_t i) const noexcept { return std::max(eigen.values[i], 0.0); }

  /// How many directions hold the rows' length, small values, most of them noise, left out: exp of the entropy.
  double directions() const noexcept {
    double total = 0, weighted = 0;
    for (const double value : eigen.values) {
      const double length = value - floor;
      if (!(length > 0)) continue;
      total += length;
      weighted += length * std::log(length);
    }
    return total > 0 ? total * std::exp(-weighted / total) : 0;
  }
};

Spectrum spectrum_of(const Vector& packed, const WhitenedWork& work, std::size_t features) {
  const double noise = deviation(work.moments) * std::sqrt(2 * static_cast<double>(features));
  return {symmetric_eigen(unpack_triangle(packed, features), features), WhitenedWork::kFloor * noise};
}

/// value^p, p = 1/2 or, if half, 1/4.
double root_of(double value, bool half) { return half ? std::sqrt(std::sqrt(value)) : std::sqrt(value); }

Whitening whitening_of(const Spectrum& spectrum, bool half, const WhitenedWork& work, const Facts& facts) {
  const std::size_t features = facts.features;
  const double floor = spectrum.floor;
  Vector roots(features);
  double length = 0;  // of images, squared, before they are scaled
  for (std::size_t i = 0; i < features; ++i) {
    roots[i] = 1 / root_of(spectrum.value(i) + floor, half);
    length += spectrum.value(i) * roots[i] * roots[i];
  }
  const double rows = static_cast<double>(work.shape.rows);
  const double shortest = std::max(half ? std::sqrt(floor) : 1.0, length);
  const double scale = facts.data_norm * std::sqrt(rows / (WhitenedWork::kShortest * shortest));
  for (double& root : roots) root *= scale;
  Whitening whitening{features, recombine(spectrum.eigen, roots)};
  // The plan pays for rounding up to this norm, whatever the decomposition did.
  const double most = work.largest_map, norm = whitening.frobenius();
  if (!(norm <= most)) {
    for (double& entry : whitening.matrix) entry = std::isfinite(norm) ? entry * (0.999 * most / norm) : 0.0;
  }
  return whitening;
}

/// The mean of public vectors.
class Mean {
 public:
  explicit Mean(std::size_t size) : sum_(size, 0.0) {}
  bool empty() const noexcept { return count_ == 0; }
  void add(const Vector& one) {
    kernels::axpy(1, one.data(), sum_.data(), sum_.size());
    count_ += 1;
  }
  Vector take() && {
    kernels::scale(1 / count_, sum_.data(), sum_.size());
    return std::move(sum_);
  }

 private:
  Vector sum_;
  double count_ = 0;
};

}  // namespace

Outcome WhitenedWork::run(const Run& run) const {
  const Facts facts = run.engine.facts();
  SecondMoments sums(facts, moments_grid);
  sum_rows(run.engine, sums);
  const Spectrum spectrum = spectrum_of(run.curator.release(sums.take(), moments), *this, facts.features);
  const Course& course = spectrum.directions() > kManyDirections ? kSpread : kNarrow;
  const Whitening whitening = whitening_of(spectrum, course.half, *this, facts);
  const WhitenedRows images(run.engine, whitening);
  WhitenedGradient sum(noise.loss, facts, shape.grid, shape.clip, whitening);
  const double size = std::min(shape.step_size, course.steepest * (1 + steps.momentum) / curvature);
  const double divisor = static_cast<double>(shape.batch_rows), count = static_cast<double>(shape.steps());
  HeavyBallSteps ball(steps, shape.weights);
  Mean of_images(shape.weights), of_rows(shape.weights);
  Vector weights(shape.weights, 0.0), own = weights;  // of images, and of the features themselves
  for (std::uint64_t step = 0; step < shape.steps(); ++step) {
    sum.start(own);
    sum_rows(images, sum);
    Vector noised = run.curator.release(sum.take(), noise.at(weights, facts));
    for (double& value : noised) value /= divisor;
    ball.step(size, noised, weights);
    own = whitening.transposed_times(weights);
    if (static_cast<double>(step) >= count * (1 - course.averaged)) {
      of_images.add(weights);
      of_rows.add(own);
    }
    run.progress(static_cast<double>(step + 1) / count);
  }
  Outcome outcome{of_rows.empty() ? own : std::move(of_rows).take()};
  if (has_link) {
    const Vector image_weights = of_images.empty() ? weights : std::move(of_images).take();
    // A slope is clipped as if its row had the declared norm.
    outcome.link = whitened_link({spectrum.eigen, deviation(moments), static_cast<double>(shape.rows), facts.data_norm,
                                  whitening, image_weights, std::min(1.0, shape.clip / stored_norm(facts)),
                                  count * size / (1 - steps.momentum)});
  }
  return outcome;
}

}  // namespace sotto
