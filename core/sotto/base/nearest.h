#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/hint.h"

namespace sotto {

/// How many slips of a hand turn one word into the other: a letter too many, missing, wrong, or two that changed places.
std::size_t slips_between(std::string_view one, std::string_view other);

/// The names that a word which is none of them may stand for, the likeliest first, at most three: those it begins, or
/// those few slips away from it: one, and one more for each three letters. Case, '-' and '_' make no difference.
std::vector<std::string> nearest_names(std::string_view word, const std::vector<std::string_view>& names);
/// The hint that names them; none where there are none.
Hint did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace sotto
