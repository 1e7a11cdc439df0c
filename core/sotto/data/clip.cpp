// Clipping of rows to the declared norm X, the last thing that happens to a row (spec 2.1).
//   stored = float32( x * min(1, X / |x|) ),   |stored| <= X (1 + 2^-24) + sqrt(d) 2^-150 <= X (1 + 2^-20)
// The scaled row has norm <= X (1 + d 2^-52); rounding an entry to float32 moves it by at most 2^-24 of itself or,
// below the normal range, by 2^-150. |x| is taken as m |x/m|, m a power of two near the largest entry, so that no
// square leaves binary64. A row that is only tested (keeps_norm) is tested by a norm that was rounded
// up: (d + 16) 2^-53 at most, 2^-29 for the longest, so that what clip_and_store made passes.
// Conditions: d <= 2^24, 1e-30 <= X <= 1e30 (check_schema).
// Fails if wrong: data_clip_test.cpp, "NoStoredRowIsLongerThanTheDeclaredNorm" (if the factor uses another
// norm), "LongRowsAreHeldToTheNormWhateverTheirRounding".
#include "sotto/data/clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

struct Norm {
  double value = 0.0;  // of the row times 2^-exponent
  int exponent = 0;
};

/// Norm in the form value * 2^exponent with value between 1 and sqrt(d), or 0, or not finite.
Norm split_norm(std::span<const double> row) noexcept {
  double largest = 0.0;
  double poison = 0.0;  // stays 0 for finite entries, becomes NaN otherwise; max() alone would lose a NaN
  for (const double entry : row) {
    largest = std::max(largest, std::abs(entry));
    poison += entry * 0.0;
  }
  if (largest == 0.0 || poison != 0.0) return {poison == 0.0 ? 0.0 : INFINITY, 0};
  const int exponent = std::ilogb(largest);
  double sum = 0.0;
  if (std::abs(exponent) < 400) {
    const double factor = std::ldexp(1.0, -exponent);
    for (const double entry : row) sum += (entry * factor) * (entry * factor);
  } else {
    for (const double entry : row) {
      const double scaled = std::ldexp(entry, -exponent);
      sum += scaled * scaled;
    }
  }
  return {std::sqrt(sum), exponent};
}

// Eight running sums: enough for the compiler to use vector registers without changing the order of additions.
double squared_length(const float* values, std::size_t count) noexcept {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      sums[lane] += static_cast<double>(values[i + lane]) * static_cast<double>(values[i + lane]);
    }
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

bool keeps_norm(std::span<const float> row, double norm_bound) noexcept {
  // A NaN or an infinity makes a sum one and fails each comparison, whatever the limit; finite floats cannot overflow it.
  constexpr double kFinite = std::numeric_limits<double>::max();
  const double limit = std::min(norm_bound * kNormSlack, kFinite);
  const double squared_limit = std::min(limit * limit, kFinite);
  // Rounded up for sums of any length. The few rows next to the limit are judged by the norm that kernels round up.
  const double at_most =
      squared_length(row.data(), row.size()) * (1 + (static_cast<double>(row.size()) + 64) * 0x1p-53);
  return at_most <= squared_limit || kernels::norm_at_least(row.data(), row.size()) <= limit;
}

double safe_norm(std::span<const double> row) noexcept {
  const Norm norm = split_norm(row);
  return std::ldexp(norm.value, norm.exponent);
}

bool clip_and_store(std::span<const double> row, double norm_bound, std::span<float> stored, int exponent) noexcept {
  const Norm norm = split_norm(row);
  if (!std::isfinite(norm.value)) {
    std::ranges::fill(stored, 0.0F);
    return false;
  }
  // ratio = X / |x| with the power of two kept apart: |x| itself may be beyond binary64.
  const int shift = norm.exponent + exponent;
  const double limit = std::ldexp(norm_bound, -std::clamp(shift, -2000, 2000));
  const bool inside = norm.value <= limit;
  if (inside && exponent == 0) {
    std::ranges::transform(row, stored.begin(), [](double entry) { return static_cast<float>(entry); });
    return true;
  }
  const double ratio = inside ? 1.0 : norm_bound / norm.value;
  const int power = inside ? exponent : -norm.exponent;
  if (std::abs(power) < 400) {
    const double factor = std::ldexp(ratio, power);
    std::ranges::transform(row, stored.begin(), [=](double entry) { return static_cast<float>(entry * factor); });
  } else {
    std::ranges::transform(row, stored.begin(),
                           [=](double entry) { return static_cast<float>(std::ldexp(entry, power) * ratio); });
  }
  return true;
}

bool enforce_norm(std::span<float> row, double norm_bound) noexcept {
  if (keeps_norm(row, norm_bound)) return true;
  const double norm = kernels::norm_at_least(row.data(), row.size());  // squares of float32 stay inside binary64
  if (!std::isfinite(norm)) {
    std::ranges::fill(row, 0.0F);
    return false;
  }
  const double ratio = norm_bound / norm;
  for (float& entry : row) entry = static_cast<float>(static_cast<double>(entry) * ratio);
  return true;
}

}  // namespace sotto
