#pragma once
#include <array>
#include <string_view>
#include <utility>

namespace sotto {

/// The arithmetic of permutation SGD (spec 5.4). A plan takes the first one whose rounding costs little.
/// plain: weights, margins and steps in binary64.
/// weights: each weight is a pair of numbers, so that short steps are not rounded away.
/// margins: and margins are computed from both numbers with one rounding at the end.
enum class Precision { plain, weights, margins };

constexpr auto enum_names(Precision) {
  return std::array{std::pair{std::string_view("plain"), Precision::plain},
                    std::pair{std::string_view("weights"), Precision::weights},
                    std::pair{std::string_view("margins"), Precision::margins}};
}

}  // namespace sotto
