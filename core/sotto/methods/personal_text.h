#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "sotto/methods/personal.h"

/// Personal epsilons as text: lines "EPSILON" for one position or "EPSILON COUNT" for so many in turn. Epsilons in the
/// order of a block file's rows have a first line that names the file.
namespace sotto {

inline constexpr std::uint64_t kMaxPositions = std::uint64_t{1} << 32;

/// The first line of the epsilons of the block file of this id.
std::string epsilons_of_blocks(std::uint64_t file_id);
/// Whether a first line is one of those.
bool is_of_blocks(const std::string& first_line);

/// `check` sees the first line before anything is read. Throws Error{invalid_argument} for a line that is neither, by
/// `name` and its number, for more than `most` positions, and as personal_epsilons() does.
PersonalEpsilons read_epsilons(std::istream& text, const std::string& name,
                               const std::function<void(const std::string& first)>& check = {},
                               std::uint64_t most = kMaxPositions);
/// What read_epsilons() takes, first line included.
std::string epsilons_text(std::uint64_t file_id, const PersonalEpsilons& personal);

}  // namespace sotto
