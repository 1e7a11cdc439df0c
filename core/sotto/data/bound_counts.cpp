// What: scores by which a bound is chosen among public candidates: a bound few rows are beyond.
// Formula: u(t) = -max(0, N(t) - q n), N(t) the rows below t (above t), n the rows with a number, q = tail.
// Conditions: one number a row. Let z(t) = N(t) - q n, monotone in t. A row replaced by a row: n stays and N moves by 0
// or
//   1, everywhere in the same direction: u moves within [0, 1] or within [-1, 0]. A row added, or one without a number
//   that gets one: z moves by 1 - q where the row is beyond t, by -q elsewhere: u within [-(1 - q), q]; removed: the
//   negative. So max (u - u') - min (u - u') <= 1 under both relations; |z| in place of max(0, z) would need 2.
// Reference: [Smith11, Algorithm 2] for quantiles by the exponential mechanism; one-sided score and proof here.
// Fails if wrong: BoundCounts.NoNeighbourMovesScoresApartByMoreThanTheRange
#include "sotto/data/bound_counts.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/data/load.h"
#include "sotto/data/number.h"

namespace sotto {
namespace {

constexpr int kLowest = -20;
constexpr int kHighest = 40;
constexpr int kParts = 16;

std::vector<double> make_grid_points() {
  std::vector<double> positive;
  for (int j = kLowest; j < kHighest; ++j) {
    for (int i = 0; i < kParts; ++i) positive.push_back(std::ldexp(1.0 + static_cast<double>(i) / kParts, j));
  }
  std::vector<double> points;
  for (auto p = positive.rbegin(); p != positive.rend(); ++p) points.push_back(-*p);
  points.push_back(0.0);
  points.insert(points.end(), positive.begin(), positive.end());
  return points;
}

double score(double beyond, double allowed) noexcept { return -std::fmax(0.0, beyond - allowed); }

/// Adds the norm of each row.
class NormSink final : public RowSink {
 public:
  void add_dense(std::span<const float> row, float) override { add(row); }
  void add_sparse(std::span<const std::uint32_t>, std::span<const float> values, float) override { add(values); }
  BoundCounts counts;

 private:
  void add(std::span<const float> values) {
    double sum = 0;
    for (const float v : values) sum += static_cast<double>(v) * static_cast<double>(v);
    counts.add(std::sqrt(sum));
  }
};

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

std::span<const double> bound_grid() {
  static const std::vector<double> points = make_grid_points();
  return points;
}

std::size_t first_positive_bound() { return bound_grid().size() / 2 + 1; }

BoundCounts::BoundCounts() : cells_(2 * bound_grid().size() + 1, 0) {}

void BoundCounts::add(double value) noexcept {
  if (!std::isfinite(value)) return;
  const std::span<const double> grid = bound_grid();
  const auto found = std::lower_bound(grid.begin(), grid.end(), value);
  const auto i = static_cast<std::size_t>(found - grid.begin());
  ++cells_[found != grid.end() && *found == value ? 2 * i + 1 : 2 * i];
}

double BoundCounts::allowed(double tail) const noexcept {
  std::uint64_t rows = 0;
  for (const std::uint64_t cell : cells_) rows += cell;
  return tail * static_cast<double>(rows);
}

Sensitive<Vector> BoundCounts::below(double tail) const {
  const double most = allowed(tail);
  Vector scores(bound_grid().size());
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    beyond += cells_[2 * i];
    scores[i] = score(static_cast<double>(beyond), most);
    beyond += cells_[2 * i + 1];
  }
  return Sensitive<Vector>(std::move(scores));
}

Sensitive<Vector> BoundCounts::above(double tail, std::size_t first) const {
  const double most = allowed(tail);
  Vector scores(bound_grid().size() - first);
  std::uint64_t beyond = 0;
  for (std::size_t i = bound_grid().size(); i-- > first;) {
    beyond += cells_[2 * i + 2];
    scores[i - first] = score(static_cast<double>(beyond), most);
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

ColumnCounts count_columns(const std::string& path, const Schema& schema, std::span<const OpenColumn> open) {
  ColumnCounts counts;
  std::vector<std::map<std::string, std::uint64_t>> texts;
  for (const OpenColumn& column : open) {
    column.text ? static_cast<void>(texts.emplace_back()) : static_cast<void>(counts.numbers.emplace_back());
  }
  const auto reader = open_rows(path, schema, ReadMode::lenient);
  RawRow row;
  while (reader->next(row)) {
    auto number = counts.numbers.begin();
    auto text = texts.begin();
    for (const OpenColumn& column : open) {
      const std::string_view cell = row.cells[column.position];
      if (!column.text) {
        (number++)->add(parse_number(cell));
      } else {
        if (may_be_category(cell)) ++(*text)[std::string(cell)];
        ++text;
      }
    }
  }
  for (auto& each : texts) counts.texts.emplace_back(std::move(each));
  return counts;
}

BoundCounts count_norms(const std::string& path, Schema complete) {
  complete.data_norm = kMaxDataNorm;
  const Encoder encoder(std::move(complete));
  NormSink norms;
  load(path, encoder, ReadMode::lenient, norms);
  return std::move(norms.counts);
}

}  // namespace sotto
