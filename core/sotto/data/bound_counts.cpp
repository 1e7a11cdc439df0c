// What: scores by which a bound is chosen among public candidates: a bound few rows are beyond.
// Formula: u(t) = -max(0, N(t) - a(n)), N(t) the rows below t (above t), n the rows with a number, a(n) = q n rounded
//   down to a multiple of g = 2^-12, q = tail.
// Conditions: one number for each row. Let z(t) = N(t) - a(n), monotone in t. A row replaced by a row: n stays and N
//   moves by 0 or 1, everywhere in the same direction: u moves within [0, 1] or within [-1, 0]. A row added, or one
//   without a number that gets one: a(n) grows by some s, z moves by 1 - s where the row is beyond t and by -s
//   elsewhere: u within [-(1 - s), s]; removed: the negative. So max (u - u') - min (u - u') <= 1 under both relations
//   if 0 <= s <= 1; |z| in place of max(0, z) would need 2.
//   In binary64, n < 2^40: computed products q n rise with n and are off by at most 2^-14, so 0 <= s <= q + 2^-13 + g,
//   and q < 1/2. N and a(n) are multiples of g below 2^40: their difference is exact. The grid of Choice is finer
//   than g, so that no score is rounded there either.
// Reference: [Smith11, Algorithm 2] for quantiles by the exponential mechanism; one-sided score and proof here.
// Fails if wrong: BoundCounts.NoNeighbourMovesScoresApartByMoreThanTheRange, BoundCounts.ScoresOfManyRowsAreExact
#include "sotto/data/bound_counts.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr int kLowest = -20;
constexpr int kHighest = 40;
constexpr int kParts = 16;
constexpr int kHalf = 64;

double score(double beyond, double allowed) noexcept { return -std::fmax(0.0, beyond - allowed); }

bool continues(std::string_view text, std::size_t i) noexcept {
  return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
}

/// Bytes of the well-formed UTF-8 character at `i`; 0 if there is none.
std::size_t character_at(std::string_view text, std::size_t i) noexcept {
  const auto lead = static_cast<unsigned char>(text[i]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues(text, i + k)) return 0;
  }
  const auto second = static_cast<unsigned char>(text[i + 1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool no_character = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || no_character ? 0 : length;
}

}  // namespace

std::vector<double> size_grid() {
  std::vector<double> points;
  for (int j = kLowest; j < kHighest; ++j) {
    for (int i = 0; i < kParts; ++i) points.push_back(std::ldexp(1.0 + static_cast<double>(i) / kParts, j));
  }
  return points;
}

std::vector<double> range_grid(double largest) {
  std::vector<double> points;
  for (int i = -kHalf; i <= kHalf; ++i) points.push_back(largest * i / kHalf);
  return points;
}

BoundCounts::BoundCounts(std::vector<double> grid) : grid_(std::move(grid)), cells_(2 * grid_.size() + 1, 0) {}

void BoundCounts::add(double value, std::uint64_t rows) noexcept {
  if (!std::isfinite(value)) return;
  const auto found = std::lower_bound(grid_.begin(), grid_.end(), value);
  const auto i = static_cast<std::size_t>(found - grid_.begin());
  cells_[found != grid_.end() && *found == value ? 2 * i + 1 : 2 * i] += rows;
}

double BoundCounts::allowed(double tail) const noexcept {
  std::uint64_t rows = 0;
  for (const std::uint64_t cell : cells_) rows += cell;
  return std::floor(tail * static_cast<double>(rows) / kGrid) * kGrid;
}

Sensitive<Vector> BoundCounts::below(double tail) const {
  const double most = allowed(tail);
  Vector scores(grid_.size());
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    beyond += cells_[2 * i];
    scores[i] = score(static_cast<double>(beyond), most);
    beyond += cells_[2 * i + 1];
  }
  return Sensitive<Vector>(std::move(scores));
}

Sensitive<Vector> BoundCounts::above(double tail) const {
  const double most = allowed(tail);
  Vector scores(grid_.size());
  std::uint64_t beyond = 0;
  for (std::size_t i = grid_.size(); i-- > 0;) {
    beyond += cells_[2 * i + 2];
    scores[i] = score(static_cast<double>(beyond), most);
    beyond += cells_[2 * i + 1];
  }
  return Sensitive<Vector>(std::move(scores));
}

bool may_be_category(std::string_view text) noexcept {
  if (text.empty() || text.size() > kLongestCategory) return false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_at(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace sotto
