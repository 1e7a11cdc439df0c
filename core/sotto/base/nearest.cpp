// What: names near to a word that is misspelt.
// Formula: optimal string alignment: D(i, j) = min(D(i-1, j) + 1, D(i, j-1) + 1, D(i-1, j-1) + [a_i != b_j], and where
//   the last two letters changed places D(i-2, j-2) + 1).
// Fails if wrong: Nearest.*
#include "sotto/base/nearest.h"

#include <algorithm>
#include <utility>

namespace sotto {
namespace {

std::string plain(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return text;
}

std::size_t letters_of(std::string_view word) {
  return word.size() - static_cast<std::size_t>(std::ranges::count(word, '-'));
}

}  // namespace

std::size_t slips_between(std::string_view one, std::string_view other) {
  const std::size_t width = other.size() + 1;
  std::vector<std::size_t> slips((one.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return slips[i * width + j]; };
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t j = 0; j <= other.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      at(i, j) =
          std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (one[i - 1] == other[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return slips.back();
}

std::vector<std::string> nearest_names(std::string_view word, const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 3, kLettersForSlip = 3, kLongest = 64;
  const std::string asked = plain(word);
  if (letters_of(asked) < 2 || asked.size() > kLongest) return {};
  const std::size_t allowed = 1 + letters_of(asked) / kLettersForSlip;
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view name : names) {
    if (name.size() > kLongest) continue;
    const std::string known = plain(name);
    const bool begins = known.starts_with(asked);
    const std::size_t slips = begins ? 0 : slips_between(asked, known);
    // Of a short word as many slips as letters would make anything.
    if (slips > std::min(allowed, letters_of(known) / 2)) continue;
    near.emplace_back(known == asked ? 0 : slips + 1, name);
  }
  std::ranges::stable_sort(near, {}, [](const auto& each) { return std::pair(each.first, each.second.size()); });
  std::vector<std::string> found;
  for (const auto& [rank, name] : near) {
    // Farther names are noise beside the nearest ones.
    if (found.size() < kShown && rank == near.front().first) found.emplace_back(name);
  }
  return found;
}

Hint did_you_mean(std::string_view word, const std::vector<std::string_view>& names) {
  std::vector<std::string> near = nearest_names(word, names);
  if (near.empty()) return {};
  return {HintKind::did_you_mean, std::move(near)};
}

}  // namespace sotto
