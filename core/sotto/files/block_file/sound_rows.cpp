#include "sotto/files/block_file/sound_rows.h"

#include <algorithm>
#include <array>
#include <limits>

#include "sotto/data/clip.h"
#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

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

bool row_is_sound(const float* values, std::size_t count, float label, const Facts& facts) noexcept {
  // A NaN or an infinity makes a sum one and fails each comparison, whatever the limit; finite floats cannot overflow it.
  constexpr double kFinite = std::numeric_limits<double>::max();
  const double limit = std::min(facts.data_norm * kNormSlack, kFinite);
  const double squared_limit = std::min(limit * limit, kFinite);
  // Rounded up for sums of any length. The few rows next to the limit are judged as enforce_norm() judged them.
  const double at_most = squared_length(values, count) * (1 + (static_cast<double>(count) + 64) * 0x1p-53);
  const bool fits = at_most <= squared_limit || kernels::norm_at_least(values, count) <= limit;
  return fits && is_label(label, facts.classes);
}

bool columns_fit(const std::uint32_t* columns, std::size_t count, std::uint32_t features) noexcept {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, columns[i]);
  return count == 0 || largest < features;
}

bool columns_ascend(const std::uint32_t* columns, std::size_t count, std::uint32_t features) noexcept {
  for (std::size_t i = 1; i < count; ++i) {
    if (columns[i - 1] >= columns[i]) return false;
  }
  return count == 0 || columns[count - 1] < features;
}

bool replace_unsound_rows(const RowBlock& rows, const Facts& facts) noexcept {
  bool replaced = false;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t first = rows.sparse() ? rows.offsets[i] : i * rows.features;
    const std::size_t count = rows.sparse() ? rows.offsets[i + 1] - first : rows.features;
    const float* values = (rows.sparse() ? rows.values : rows.dense) + first;
    if (row_is_sound(values, count, rows.labels[i], facts)) continue;
    replaced = true;
    std::fill_n(const_cast<float*>(values), count, 0.0F);
    const_cast<float*>(rows.labels)[i] = 1.0F;
  }
  return replaced;
}

}  // namespace sotto
