#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// The inner loops of the noise, compiled for every instruction set and chosen at run time.
namespace sotto {

/// 48 bits for each of two uniforms of `pairs` pairs: 32 for each u, 32 for each v, 16 for each u, 16 for each v.
/// kSlackBytes after them are read and ignored.
struct PairBits {
  static constexpr std::size_t kSlackBytes = 64;
  const std::uint64_t* words;
  std::size_t pairs;

  static constexpr std::size_t words_for(std::size_t pairs) { return (12 * pairs + 7) / 8; }
  const unsigned char* high() const noexcept { return reinterpret_cast<const unsigned char*>(words); }
  const unsigned char* low() const noexcept { return high() + 8 * pairs; }
  /// The leading digits of u of pair i; of v at i = pairs + pair.
  std::uint64_t lead(std::size_t i) const noexcept {
    std::uint32_t top = 0;
    std::uint16_t rest = 0;
    std::memcpy(&top, high() + 4 * i, sizeof top);
    std::memcpy(&rest, low() + 2 * i, sizeof rest);
    return std::uint64_t{top} << 16 | rest;
  }
};

/// normals[i] and normals[second + i]: the two normals of pair i, off by at most kPairError whatever the digits that
/// follow, or NaN. second is `pairs`, or `pairs` - 1 (the first sine is then lost). kSlackBytes after them are written.
inline constexpr double kPairError = 0x1p-38;
void make_pairs(PairBits bits, std::size_t second, double* normals) noexcept;

/// What a normal is multiplied by, and how far from an integer the product may be to be rounded safely.
struct Rounding {
  double factor;
  double limit;
};

/// noise[i] = rint(factor * normals[i]). Writes to `doubtful` the lanes, in order, whose product is not within limit of
/// an integer (or is 2^50 or larger, or NaN): their noise[i] has no meaning yet. Returns how many.
std::size_t round_normals(std::span<const double> normals, Rounding rounding, std::int64_t* noise,
                          std::uint16_t* doubtful) noexcept;

}  // namespace sotto
