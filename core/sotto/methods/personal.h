#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/methods/plan.h"

/// Personal epsilons: positions of the table that are promised less privacy loss than the budget. They are public and
/// belong to the position, not to the row that stands there; neighbours have the same.
namespace sotto {

struct PersonalEpsilons {
  static constexpr std::size_t kMaxLevels = 64;
  std::vector<double> levels;                 ///< the distinct epsilons, descending
  std::vector<std::uint8_t> level_of;         ///< the level of each position
  std::optional<std::uint64_t> block_file{};  ///< whose positions these are, by its id; none: those of the data itself
};

/// From one epsilon a position. Throws Error{invalid_argument} for a value that is not above 0 and finite and for more
/// than kMaxLevels distinct ones.
PersonalEpsilons personal_epsilons(std::span<const double> by_position);
/// The same from runs of positions in turn, without a number for each position.
struct EpsilonRun {
  double epsilon;
  std::uint64_t count;
};
PersonalEpsilons personal_epsilons(std::span<const EpsilonRun> runs);

/// Fills plan.personal: for every level the weight on the gradients of its positions and what they are promised. The
/// noise and the charge stay those of the largest epsilon, the budget's. Throws Error{unsupported} for a plan without a
/// proof for weighted rows, Error{invalid_argument} for epsilons above the budget's, too small beside it, or not as
/// many as there are rows.
void apply_personal(Plan& plan, const PersonalEpsilons& personal, const PlanInput& input);

}  // namespace sotto
