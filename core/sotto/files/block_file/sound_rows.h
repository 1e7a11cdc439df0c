#pragma once
#include <cstddef>
#include <cstdint>

#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"

/// What a stored row must satisfy, asked by the writer and by the reader alike.
namespace sotto {

/// True for a row of at most data_norm (1 + 2^-20), all finite, labelled with a declared class.
bool row_is_sound(const float* values, std::size_t count, float label, const Facts& facts) noexcept;
/// True when columns ascend strictly and stay below `features`.
bool columns_ascend(const std::uint32_t* columns, std::size_t count, std::uint32_t features) noexcept;
/// True when every column is below `features`.
bool columns_fit(const std::uint32_t* columns, std::size_t count, std::uint32_t features) noexcept;

/// Makes every unsound row of a block in writable memory the zero row with label 1; true if there was one.
bool replace_unsound_rows(const RowBlock& rows, const Facts& facts) noexcept;

}  // namespace sotto
