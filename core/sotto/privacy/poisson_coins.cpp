// What: independent coins of one bias for many rows.
// Formula: row i is in iff U_i < q, U_i uniform on 64 bits, q = j/2^64. 64 rows are compared at once from the leading
//   bit on; a row is decided at the first bit in which U_i and q differ, so about 8 random words serve 64 rows.
// Conditions: q is a multiple of 2^-64 (exact_rate); then the law is exact and needs no numerical delta.
// Reference: [Knuth2, section 3.4.1] for comparing digits as they come; spec 5.1, 6.2.
// Fails if wrong: PoissonCoins.*
#include "sotto/privacy/poisson_coins.h"

#include <bit>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::uint64_t kLanes = 64;

/// Bit i: whether row i of 64 is in.
std::uint64_t draw_mask(BitSource& bits, std::uint64_t threshold) noexcept {
  std::uint64_t undecided = ~std::uint64_t{0}, in = 0;
  for (int bit = 63; bit >= 0 && undecided != 0; --bit) {
    const std::uint64_t drawn = bits.next();
    if ((threshold >> bit & 1U) != 0) {
      in |= undecided & ~drawn;  // the row's bit is 0 where the rate's is 1: below
      undecided &= drawn;
    } else {
      undecided &= ~drawn;  // above where the row's bit is 1
    }
  }
  return in;
}

}  // namespace

double exact_rate(double rate) {
  require(rate > 0 && rate <= 1, "rate", "must be above 0 and at most 1");
  return std::ldexp(std::ceil(std::ldexp(rate, 64)), -64);
}

void draw_poisson_batch(BitSource& bits, double rate, std::uint64_t rows, std::vector<std::uint64_t>& positions) {
  if (rate >= 1) {
    for (std::uint64_t i = 0; i < rows; ++i) positions.push_back(i);
    return;
  }
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(rate, 64));
  for (std::uint64_t first = 0; first < rows; first += kLanes) {
    std::uint64_t mask = draw_mask(bits, threshold);
    if (rows - first < kLanes) mask &= (std::uint64_t{1} << (rows - first)) - 1;
    for (; mask != 0; mask &= mask - 1) {
      positions.push_back(first + static_cast<std::uint64_t>(std::countr_zero(mask)));
    }
  }
}

}  // namespace sotto
