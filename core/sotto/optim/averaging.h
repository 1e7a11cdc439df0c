#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sotto {

/// Which combination sum_t alpha_t w_t of the iterates after steps 1..T is released.
enum class Averaging { last, uniform, last_log, weighted };

constexpr auto enum_names(Averaging) {
  return std::array{std::pair{std::string_view("last"), Averaging::last},
                    std::pair{std::string_view("uniform"), Averaging::uniform},
                    std::pair{std::string_view("last_log"), Averaging::last_log},
                    std::pair{std::string_view("weighted"), Averaging::weighted}};
}

/// Whether more than one iterate is in it.
constexpr bool mixes_iterates(Averaging averaging) noexcept {
  switch (averaging) {
    case Averaging::last: return false;
    case Averaging::uniform:
    case Averaging::last_log:
    case Averaging::weighted: return true;
  }
  return true;
}

/// alpha_t for t in 1..steps: last iterate; 1/T; the last ceil(ln T) iterates [Wu17, section 3.2.3]; 2t/(T(T+1)).
inline double averaging_weight(Averaging averaging, std::uint64_t t, std::uint64_t steps) noexcept {
  const double total = static_cast<double>(steps);
  switch (averaging) {
    case Averaging::last: return t == steps ? 1.0 : 0.0;
    case Averaging::uniform: return 1.0 / total;
    case Averaging::last_log: {
      const double tail = steps <= 2 ? 1.0 : std::ceil(std::log(total));
      return static_cast<double>(steps - t) < tail ? 1.0 / tail : 0.0;
    }
    case Averaging::weighted: return 2.0 * static_cast<double>(t) / (total * (total + 1.0));
  }
  return 0.0;
}

}  // namespace sotto
