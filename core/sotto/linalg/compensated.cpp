// What: sums whose rounding errors are kept in a second number.
// Formula: s = fl(a + b), e = (a - (s - t)) + (b - t) with t = fl(s - a): s + e = a + b exactly [Higham02, section 4.3].
//   A product of a float32 x and a binary64 w is x h + x l exactly, h the upper 26 bits of w and l the rest: the two products
//   have at most 51 bits.
// Fails if wrong: Compensated.* (against 113 bits).
#include "sotto/linalg/compensated.h"

#include <bit>
#include <cstdint>

namespace sotto::compensated {
namespace {

constexpr std::uint64_t kUpperBits = ~((std::uint64_t{1} << 27U) - 1);

struct Sum {
  double rounded;
  double error;
};

inline Sum two_sum(double a, double b) noexcept {
  const double sum = a + b;
  const double of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

inline void add(double x, double& high, double& low) noexcept {
  const Sum sum = two_sum(high, x);
  const Sum pair = two_sum(sum.rounded, low + sum.error);
  high = pair.rounded;
  low = pair.error;
}

}  // namespace

void step(double shrink, double size, const double* g, Pairs w, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) add(-(shrink * w.high[i] + size * g[i]), w.high[i], w.low[i]);
}

void axpy(double a, const double* x, Pairs sum, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) add(a * x[i], sum.high[i], sum.low[i]);
}

double dot(const float* x, const double* high, const double* low, std::size_t n) noexcept {
  double sum = 0;
  double errors = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = double{x[i]};
    const double upper = std::bit_cast<double>(std::bit_cast<std::uint64_t>(high[i]) & kUpperBits);
    const Sum added = two_sum(sum, value * upper);
    sum = added.rounded;
    errors += added.error + (value * (high[i] - upper) + value * low[i]);
  }
  return sum + errors;
}

// The sum rounds once. What is in `errors` is at most (2^-25 + (n + 1) 2^-53) |x||w| and is rounded n + 3 times.
double dot_units(std::size_t n) noexcept {
  const double terms = static_cast<double>(n) + 3;
  return 1.01 + terms * (0x1p-25 + terms * 0x1p-53);
}

}  // namespace sotto::compensated
