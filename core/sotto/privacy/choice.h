#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "sotto/linalg/vector.h"
#include "sotto/privacy/event.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// Whether the candidate with the largest or the smallest score is sought.
enum class Aim { largest, smallest };

/// Picks one of several candidates: P(i) proportional to exp(epsilon u_i / range), u_i the score, negated where the
/// smallest is wanted (spec 4.3). It draws and names the event, like a Mechanism. The scores and the range are rounded
/// to a public grid and the law on the grid is drawn exactly, in integers: no numerical delta.
struct Choice {
  static constexpr std::string_view kName = "exponential";
  /// sup over neighbours of max_i (u_i - u_i') - min_i (u_i - u_i'), the rounding of computed scores included.
  double range = 0;
  double epsilon = 0;
  Aim aim = Aim::largest;
  /// The public part of each score, one per candidate; added on the grid. Its size is the number of candidates.
  Vector offsets;

  Event event() const { return ExponentialEvent{epsilon}; }
  /// Throws Error{invalid_argument} for numbers the law cannot be drawn with.
  void check() const;
  /// The index drawn; scores.size() == offsets.size() > 0. A score that is not a number counts as the worst.
  std::size_t draw(BitSource& bits, std::span<const double> scores) const;
};

/// The range, plus what two scores per candidate can add to it if each is off by at most `error`.
inline double range_with_error(double range, double error) noexcept { return (range + 4 * error) * (1 + 0x1p-50); }

}  // namespace sotto
