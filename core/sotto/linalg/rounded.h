#pragma once
#include <bit>
#include <cstdint>

/// Binary64 numbers to integers by one addition: 1.5 * 2^52 + x is a number whose last bits are x rounded, ties to even.
namespace sotto::kernels {

inline constexpr double kShift = 0x1.8p52;
inline constexpr std::uint64_t kShiftBits = std::bit_cast<std::uint64_t>(kShift);
/// The largest number that is rounded.
inline constexpr double kMostRounded = 0x1p51;

/// The integer next to x, ties to even, for |x| <= kMostRounded.
inline std::int64_t rounded(double x) noexcept {
  return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x + kShift) - kShiftBits);
}

}  // namespace sotto::kernels
