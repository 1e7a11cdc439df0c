// What: the rows of a Poisson batch: a coin of one bias for each row, at the cost of the batch.
// Formula: the size is Binomial(m, q), q = j/2^64, by inversion: U of 128 bits against floor(2^128 P(size <= k)). Given
//   its size, the batch is a uniform subset: positions are drawn until so many are distinct. P comes from the ratios
//   P(k+1)/P(k) = (m-k) q/((k+1)(1-q)) to both sides of the mode, until they fall below 2^-190, over their sum.
// Conditions: spec 6.3b with one block of all rows. A threshold is off by less than 2^-128: rounding down costs at most
//   that, and 192 bits and the cut tails cost 2^-150. So a draw is within (sizes + 1) 2^-128 of independent coins, which
//   counts in delta_num. The coins are as secret as noise and come from the same stream (spec 5.1).
// Reference: [Knuth2, sections 3.4.1 and 3.4.2] for inversion and for subsets.
// Fails if wrong: PoissonCoins.*
#include "sotto/privacy/poisson_coins.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/random/lazy_digits.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

constexpr int kLogCut = -190;
constexpr std::uint64_t kWordBits = 64;

/// Chances of the sizes from `least` on, all over one number.
struct Chances {
  std::uint64_t least = 0;
  std::vector<Precise> relative;
};

Chances chances(std::uint64_t odds, std::uint64_t rows) {
  __extension__ using Wide = unsigned __int128;
  const Precise bias = Precise(odds) / (ldexp(Precise(1), 64) - odds);
  const Precise smallest = ldexp(Precise(1), kLogCut);
  const auto mode = std::min(rows, static_cast<std::uint64_t>(((Wide{rows} + 1) * odds) >> 64));
  Chances found;
  Precise chance = 1;
  for (std::uint64_t k = mode; chance > smallest; --k) {
    found.relative.push_back(chance);
    found.least = k;
    if (k == 0) break;
    chance *= Precise(k) / (Precise(rows - k + 1) * bias);
  }
  std::reverse(found.relative.begin(), found.relative.end());
  chance = 1;
  for (std::uint64_t k = mode; k < rows; ++k) {
    chance *= Precise(rows - k) * bias / Precise(k + 1);
    if (chance <= smallest) break;
    found.relative.push_back(chance);
  }
  return found;
}

/// The largest fraction stands for 1, which sums of far tails round to.
PoissonCoins::Fraction rounded_down(Precise value) {
  PoissonCoins::Fraction digits{~std::uint64_t{0}, ~std::uint64_t{0}};
  if (value >= 1) return digits;
  for (std::uint64_t& word : digits) {
    value = ldexp(value, 64);
    word = static_cast<std::uint64_t>(value);
    value -= word;
  }
  return digits;
}

/// `count` of the positions below `rows`, every set of them equally likely, ascending. For few of many.
std::vector<std::uint64_t> draw_sorted(BitSource& bits, std::uint64_t count, std::uint64_t rows) {
  std::vector<std::uint64_t> positions;
  positions.reserve(count);
  // Rounds draw what is missing, so that the last distinct one ends them.
  while (positions.size() < count) {
    const auto seen = static_cast<std::ptrdiff_t>(positions.size());
    while (positions.size() < count) positions.push_back(draw_below(bits, rows));
    std::sort(positions.begin() + seen, positions.end());
    std::inplace_merge(positions.begin(), positions.begin() + seen, positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  }
  return positions;
}

/// The same, for many of few: by marks. More than half are drawn by those left out.
std::vector<std::uint64_t> draw_marked(BitSource& bits, std::uint64_t count, std::uint64_t rows) {
  const bool leaves_out = count > rows / 2;
  std::vector<std::uint64_t> marks((rows + kWordBits - 1) / kWordBits);
  for (std::uint64_t left = leaves_out ? rows - count : count; left > 0;) {
    const std::uint64_t position = draw_below(bits, rows), bit = std::uint64_t{1} << position % kWordBits;
    std::uint64_t& word = marks[position / kWordBits];
    left -= (word & bit) == 0;
    word |= bit;
  }
  std::vector<std::uint64_t> positions;
  positions.reserve(count);
  for (std::uint64_t i = 0; i < marks.size(); ++i) {
    std::uint64_t word = leaves_out ? ~marks[i] : marks[i];
    if (rows - i * kWordBits < kWordBits) word &= (std::uint64_t{1} << (rows - i * kWordBits)) - 1;
    for (; word != 0; word &= word - 1) {
      positions.push_back(i * kWordBits + static_cast<std::uint64_t>(std::countr_zero(word)));
    }
  }
  return positions;
}

}  // namespace

double exact_rate(double rate) {
  require(rate > 0 && rate <= 1, "rate", "must be above 0 and at most 1");
  return std::ldexp(std::ceil(std::ldexp(rate, 64)), -64);
}

double coins_distance(double sizes) noexcept { return (sizes + 1) * 0x1p-128; }

PoissonCoins::PoissonCoins(double rate, std::uint64_t rows) : rate_(rate), rows_(rows) {
  require(rate > 0 && rate <= 1, "rate", "must be above 0 and at most 1");
  if (rate == 1) {
    least_ = rows;
    return;
  }
  const Chances found = chances(static_cast<std::uint64_t>(std::ldexp(rate, 64)), rows);
  least_ = found.least;
  const Precise sum = std::accumulate(found.relative.begin(), found.relative.end(), Precise(0));
  thresholds_.reserve(found.relative.size());
  Precise below = 0;
  for (std::size_t i = 0; i + 1 < found.relative.size(); ++i) {
    below += found.relative[i];
    thresholds_.push_back(rounded_down(below / sum));
  }
}

std::uint64_t PoissonCoins::draw_size(BitSource& bits) const noexcept {
  if (thresholds_.empty()) return least_;
  const std::uint64_t lead = bits.next();
  const Fraction uniform{lead, bits.next()};
  const auto first_above = std::upper_bound(thresholds_.begin(), thresholds_.end(), uniform);
  return least_ + static_cast<std::uint64_t>(first_above - thresholds_.begin());
}

std::vector<std::uint64_t> PoissonCoins::draw(BitSource& bits) const {
  const std::uint64_t size = draw_size(bits);
  return size < rows_ / kWordBits ? draw_sorted(bits, size, rows_) : draw_marked(bits, size, rows_);
}

}  // namespace sotto
