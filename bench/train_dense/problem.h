#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runner.h"

namespace sotto::bench {

/// Rows of norm at most 1 and labels that a hidden direction predicts with noise.
struct DenseProblem {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::vector<float> dense = {};
  std::vector<float> labels = {};
};

DenseProblem make_dense(std::size_t rows, std::size_t features);

/// One pass of mini-batch stochastic gradient descent on the logistic loss with L2 regularisation. The same constants
/// for every contender: w = (1 - step * lambda) w - step/batch_rows * sum of slope * label * x.
inline constexpr double kStepSize = 0.5;
inline constexpr double kLambda = 1e-4;

/// The answer in the plainest form, in extended precision.
Answer plain_pass(const DenseProblem& problem, std::size_t batch_rows);

/// xorshift: quick and reproducible, for synthetic data only.
class QuickBits {
 public:
  explicit QuickBits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  /// Uniform in [-1, 1).
  double symmetric() { return static_cast<double>(operator()() >> 11) * 0x1p-52 - 1.0; }

 private:
  std::uint64_t state_;
};

}  // namespace sotto::bench
