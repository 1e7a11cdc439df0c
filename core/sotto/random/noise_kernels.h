#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// The inner loops of the noise, compiled for every instruction set and chosen at run time.
namespace sotto {

/// The 48 leading digits of both uniforms of `pairs` pairs: a word for every pair, then half a word for every pair. u
/// is the upper 48 bits of the word; v its lower 16 bits followed by the half word. kSlackBytes after them are read and
/// ignored.
struct PairBits {
  static constexpr std::size_t kSlackBytes = 64;
  const std::uint64_t* words;
  std::size_t pairs;

  static constexpr std::size_t words_for(std::size_t pairs) { return pairs + (pairs + 1) / 2; }
  const std::uint32_t* halves() const noexcept { return reinterpret_cast<const std::uint32_t*>(words + pairs); }
  std::uint64_t u(std::size_t i) const noexcept { return words[i] >> 16; }
  std::uint64_t v(std::size_t i) const noexcept {
    std::uint32_t low = 0;
    std::memcpy(&low, halves() + i, sizeof low);
    return words[i] << 48 >> 16 | low;
  }
};

/// Normals of pairs, written in whole vectors: room for kNormalSlack more than there are pairs.
inline constexpr std::size_t kNormalSlack = 16;

/// cosines[i] and sines[i]: the two normals of pair i, off by at most kPairError whatever the digits that follow, or
/// NaN.
inline constexpr double kPairError = 0x1p-38;
void make_pairs(PairBits bits, double* cosines, double* sines) noexcept;

/// What a normal is multiplied by, and how far from a multiple of `unit`, a power of two, the product may be to be
/// rounded safely. A limit of 0 or more promises products below 2^50 units in size.
struct Rounding {
  double factor;
  double limit;
  double unit = 1.0;
};

/// With half = noise.size() / 2 rounded up: noise[i] = factor * cosines[i] and noise[half + i] = factor * sines[i],
/// each rounded to a multiple of the unit. Writes to `doubtful` the pairs, in order, of which a product is not within
/// limit of such a multiple (or is NaN): their noise has no meaning yet. Returns how many.
std::size_t round_pairs(const double* cosines, const double* sines, const Rounding& rounding, std::span<double> noise,
                        std::uint16_t* doubtful) noexcept;

}  // namespace sotto
