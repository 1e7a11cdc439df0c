#include "sotto/files/block_file/sound_rows.h"

#include <algorithm>

#include "sotto/data/clip.h"

namespace sotto {
bool row_is_sound(const float* values, std::size_t count, float label, const Facts& facts) noexcept {
  return keeps_norm({values, count}, facts.data_norm) && is_label(label, facts.classes);
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
