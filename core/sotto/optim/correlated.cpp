// What: noise correlated over steps by the square root of the sum matrix, and its sensitivity.
// Formula: C Toeplitz of (1-x)^(-1/2), c_k = c_{k-1} (2k-1)/(2k); C^-1 of (1-x)^(1/2), r_k = r_{k-1} (2k-3)/(2k).
//   Estimates G + C^-1 Z = C^-1 (C G + Z); a row met once a pass in the same batch moves C G by at most
//   (its move of one sum) |sum_j C[:, s + j n]|, largest for s = 1, since all entries of C are positive and fall.
// Conditions: the same order in every pass, replace_one; t runs over all passes without restart.
// Reference: [Fichtenberger23], [Choquette23] for several passes, [Denisov22, Theorem 2.1] for adaptive sums.
// Fails if wrong: Correlated.*
#include "sotto/optim/correlated.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/stop.h"
#include "sotto/linalg/kernels.h"

namespace sotto {

std::vector<double> inverse_root_coefficients(std::uint64_t count) {
  std::vector<double> c(count, 1.0);
  for (std::uint64_t k = 1; k < count; ++k) {
    const double x = static_cast<double>(k);
    c[k] = c[k - 1] * ((2 * x - 1) / (2 * x));
  }
  return c;
}

std::vector<double> root_coefficients(std::uint64_t count) {
  std::vector<double> r(count, 1.0);
  for (std::uint64_t k = 1; k < count; ++k) {
    const double x = static_cast<double>(k);
    r[k] = r[k - 1] * ((2 * x - 3) / (2 * x));
  }
  return r;
}

double participation_norm(std::uint64_t steps_per_pass, std::uint64_t passes) {
  const std::uint64_t steps = steps_per_pass * passes;
  const std::vector<double> c = inverse_root_coefficients(steps);
  double squares = 0;
  for (std::uint64_t t = 0; t < steps; ++t) {
    check_stop();
    double entry = 0;
    for (std::uint64_t first = 0; first <= t; first += steps_per_pass) entry += c[t - first];
    squares += entry * entry;
  }
  // Each coefficient carries 2k roundings, the sum one a term.
  return std::sqrt(squares) * (1 + 8 * 0x1p-53 * static_cast<double>(steps + 8));
}

CorrelatedDescent::CorrelatedDescent(const Options& options, const Facts& facts, StepNoise& noise)
    : options_(options),
      facts_(facts),
      noise_(noise),
      gradients_(options.loss, facts),
      size_(gradients_.weights()),
      forward_(inverse_root_coefficients(options.steps)),
      backward_(root_coefficients(options.steps)),
      sums_(options.steps * size_, 0.0),
      noised_(options.steps * size_, 0.0),
      weights_(size_, 0.0),
      estimate_(size_, 0.0) {}

void CorrelatedDescent::consume(const RowBlock& block) noexcept {
  for (std::size_t done = 0; done < block.rows && step_ < options_.steps;) {
    const std::uint64_t room = std::min(options_.batch_rows - rows_in_batch_, facts_.rows - rows_in_pass_);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(room, block.rows - done));
    gradients_.add(block.slice(done, count), weights_.data(), sums_.data() + step_ * size_);
    done += count;
    rows_in_batch_ += count;
    rows_in_pass_ += count;
    const bool pass_ends = rows_in_pass_ == facts_.rows;
    if (rows_in_batch_ == options_.batch_rows || pass_ends) end_batch();
    if (pass_ends) rows_in_pass_ = 0;
  }
}

void CorrelatedDescent::mix(const std::vector<double>& coefficients, const AlignedVector& history,
                            double* out) const noexcept {
  std::fill(out, out + size_, 0.0);
  for (std::uint64_t k = step_ + 1; k-- > 0;) {
    kernels::axpy(coefficients[k], history.data() + (step_ - k) * size_, out, size_);
  }
}

void CorrelatedDescent::end_batch() noexcept {
  double* mixed = noised_.data() + step_ * size_;
  mix(forward_, sums_, mixed);
  noise_.perturb({mixed, size_});
  mix(backward_, noised_, estimate_.data());
  const double eta = options_.step_size;
  kernels::step(1 - eta * options_.lambda, eta / static_cast<double>(options_.batch_rows), estimate_.data(),
                weights_.data(), size_);
  const double norm = kernels::norm(weights_.data(), size_);
  if (options_.radius > 0 && norm > options_.radius) kernels::scale(options_.radius / norm, weights_.data(), size_);
  ++step_;
  rows_in_batch_ = 0;
}

Sensitive<Vector> CorrelatedDescent::finish() && { return Sensitive<Vector>(Vector(weights_.begin(), weights_.end())); }

}  // namespace sotto
