// What: rows scaled to a norm that is measured after a public linear map, and the gradient sum of their images.
// Formula: a row x becomes f x, f = min(1, X/(|T x| + 2^-23 |T| |x|)) as a float rounded down; each product f x_j is
//   off by at most 2^-24 of itself, so |T (f x)| <= f |T x| + 2^-24 |T| f |x| <= X. Its gradient is slope T (f x).
// Conditions: |T| the Frobenius norm; rows finite. The sums of binary64 behind |T x| are off by less than what is
//   added.
// Reference: docs/notes/whitening.md.
// Fails if wrong: WhitenedRows.* (norms of images, sums against the definition), Replay.*
#include "sotto/optim/views/whitened_rows.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kChunkRows = 256;

double length_of_row(const RowBlock& rows, std::size_t i) noexcept {
  if (!rows.sparse()) return kernels::norm(rows.dense + i * rows.features, rows.features);
  return kernels::norm(rows.values + rows.offsets[i], rows.offsets[i + 1] - rows.offsets[i]);
}

float rounded_down(double value) noexcept {
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) > value ? std::nextafter(near, 0.0F) : near;
}

/// Appends the factor of every row it is fed, in their order.
class FactorWriter final : public RowConsumer {
 public:
  FactorWriter(const Whitening& whitening, double norm, std::span<float> factors)
      : whitening_(whitening), norm_(norm), slack_(0x1p-23 * whitening.frobenius()), left_(factors) {}

  void consume(const RowBlock& block) noexcept override {
    for (std::size_t done = 0; done < block.rows && !left_.empty();) {
      const RowBlock part = block.slice(done, std::min({kChunkRows, block.rows - done, left_.size()}));
      write(part);
      left_ = left_.subspan(part.rows);
      done += part.rows;
    }
  }

 private:
  void write(const RowBlock& part) noexcept {
    double squares[kChunkRows] = {}, image[kChunkRows];
    for (std::size_t k = 0; k < whitening_.features; ++k) {
      const double* line = whitening_.matrix.data() + k * whitening_.features;
      if (!part.sparse()) {
        kernels::dots(part.dense, part.rows, part.features, line, image);
      } else {
        for (std::size_t i = 0; i < part.rows; ++i) {
          const std::uint64_t first = part.offsets[i];
          image[i] = kernels::dot(part.columns + first, part.values + first, part.offsets[i + 1] - first, line);
        }
      }
      for (std::size_t i = 0; i < part.rows; ++i) squares[i] += image[i] * image[i];
    }
    for (std::size_t i = 0; i < part.rows; ++i) {
      const double length = std::sqrt(squares[i]) * (1 + 0x1p-40) + slack_ * length_of_row(part, i);
      left_[i] = length > norm_ ? rounded_down(norm_ / length) : 1.0F;
    }
  }

  const Whitening& whitening_;
  double norm_;
  double slack_;
  std::span<float> left_;
};

/// Hands on rows times their factors.
class FactorReader final : public RowConsumer {
 public:
  FactorReader(std::span<const float> factors, std::size_t features, RowConsumer& next)
      : left_(factors), values_(kChunkRows * features), offsets_(kChunkRows + 1), next_(next) {}

  void consume(const RowBlock& block) noexcept override {
    for (std::size_t done = 0; done < block.rows && !left_.empty();) {
      RowBlock part = block.slice(done, std::min({kChunkRows, block.rows - done, left_.size()}));
      if (part.sparse()) {
        scale_sparse(part);
      } else {
        scale_dense(part);
      }
      next_.consume(part);
      left_ = left_.subspan(part.rows);
      done += part.rows;
    }
  }

 private:
  void scale_dense(RowBlock& part) noexcept {
    const float* from = part.dense;
    float* to = values_.data();
    for (std::size_t i = 0; i < part.rows; ++i) {
      const float factor = left_[i];  // read once: for all the compiler knows, the row written may be the factors
      for (std::size_t k = 0; k < part.features; ++k) to[k] = factor * from[k];
      from += part.features;
      to += part.features;
    }
    part.dense = values_.data();
  }
  // A row has at most one entry a feature.
  void scale_sparse(RowBlock& part) noexcept {
    const std::uint64_t start = part.offsets[0];
    for (std::size_t i = 0; i < part.rows; ++i) {
      offsets_[i] = part.offsets[i] - start;
      for (std::uint64_t e = part.offsets[i]; e < part.offsets[i + 1]; ++e)
        values_[e - start] = left_[i] * part.values[e];
    }
    offsets_[part.rows] = part.offsets[part.rows] - start;
    part.offsets = offsets_.data();
    part.columns += start;
    part.values = values_.data();
  }

  std::span<const float> left_;
  std::vector<float> values_;
  std::vector<std::uint64_t> offsets_;
  RowConsumer& next_;
};

}  // namespace

double Whitening::frobenius() const noexcept { return kernels::norm_at_least(matrix.data(), matrix.size()); }

Vector Whitening::times(const Vector& v) const {
  Vector image(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t k = i % features;
    image[i] = kernels::dot(matrix.data() + k * features, v.data() + (i - k), features);
  }
  return image;
}

// The sum is high + low exactly, low at most 2^-53 of high. Products with high and their sums keep what they lose in
// `errors`, d (d + 2) 2^-106 |T||s| at most; that and the products with low are rounded 2 d times: for d <= 2048 less
// than 2^-80 |T||s| in all.
Vector Whitening::times(const IntegerSum& s) const {
  Vector high(s.size()), low(s.size()), image(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    high[i] = static_cast<double>(s.integer(i));
    low[i] = static_cast<double>(s.integer(i) - static_cast<WideInteger>(high[i]));
  }
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::size_t k = i % features, first = i - k;
    double sum = 0, errors = 0;
    for (std::size_t j = 0; j < features; ++j) {
      const double entry = matrix[k * features + j], product = entry * high[first + j], before = sum;
      sum += product;
      const double added = sum - before;
      errors += (before - (sum - added)) + (product - added);
      errors += std::fma(entry, high[first + j], -product) + entry * low[first + j];
    }
    image[i] = (sum + errors) * s.grid().step;
  }
  return image;
}

Vector Whitening::transposed_times(const Vector& v) const {
  Vector image(v.size(), 0.0);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t k = i % features;
    kernels::axpy(v[i], matrix.data() + k * features, image.data() + (i - k), features);
  }
  return image;
}

WhitenedRows::WhitenedRows(const Engine& rows, const Whitening& whitening)
    : RowView(rows), factors_(rows.facts().rows) {
  FactorWriter writer(whitening, rows.facts().data_norm, factors_);
  rows.scan_rows(0, factors_.size(), writer);
}

void WhitenedRows::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  const std::span<const float> all(factors_);
  FactorReader reader(all.subspan(first, count), facts().features, consumer);
  rows().scan_rows(first, count, reader);
}

WhitenedGradient::WhitenedGradient(const Loss& loss, const Facts& facts, const RowGrid& grid, double clip,
                                   const Whitening& whitening)
    : VectorSum(weight_count(loss, facts), grid),
      gradients_(loss, facts, clip, ClipBy::bound),
      whitening_(&whitening) {}

void WhitenedGradient::start(std::span<const double> weights) noexcept {
  weights_ = weights.data();
  clear();
}

}  // namespace sotto
