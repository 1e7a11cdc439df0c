#pragma once
#include <cstdint>

#include "sotto/methods/plan.h"

namespace sotto {

/// The number of rows a plan may use (spec 1.3). Under replace_one it is the number there is, which is public; under
/// add_remove a declared constant, and the guarantee is over tables of at most `capacity` rows, which pays for the
/// rounding of sums.
struct RowCount {
  std::uint64_t nominal = 0;   ///< m of every formula
  std::uint64_t capacity = 0;  ///< the most rows a table may have
};
/// `declared_rows` must be 0 under replace_one and above 0 under add_remove. Throws Error{invalid_argument}.
RowCount row_count(const PlanInput& input, std::uint64_t declared_rows);

/// Lets a plan run on any number of rows up to `most`, whatever number it was made with.
void cover_rows(Plan& plan, std::uint64_t most);

/// The same under add_remove, and the card says that the guarantee is over tables of at most `rows` rows.
void state_capacity(Plan& plan, const PlanInput& input, std::uint64_t rows);

/// Checks what every full-gradient method needs of its input; throws Error{invalid_argument}.
void check_input(const PlanInput& input);

}  // namespace sotto
