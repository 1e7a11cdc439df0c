#include "array_rows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sotto/base/error.h"
#include "sotto/data/clip.h"
#include "sotto/data/raw_row.h"
#include "sotto/data/schema.h"
#include "sotto/linalg/kernels.h"

namespace sotto::python {
namespace {

constexpr std::size_t kChunkRows = 64;
constexpr std::size_t kLookRows = 4096;

template <class T>
void copy_chunk(const DenseArray& array, std::size_t first, std::size_t count, T* out) {
  const T* data = static_cast<const T*>(array.data);
  const std::size_t features = array.features;
  if (std::abs(array.row_stride) < std::abs(array.column_stride)) {
    // Columns lie together: read along them.
    for (std::size_t j = 0; j < features; ++j) {
      const T* column = data + static_cast<std::ptrdiff_t>(j) * array.column_stride +
                        static_cast<std::ptrdiff_t>(first) * array.row_stride;
      for (std::size_t i = 0; i < count; ++i)
        out[i * features + j] = column[static_cast<std::ptrdiff_t>(i) * array.row_stride];
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const T* row = data + static_cast<std::ptrdiff_t>(first + i) * array.row_stride;
    for (std::size_t j = 0; j < features; ++j)
      out[i * features + j] = row[static_cast<std::ptrdiff_t>(j) * array.column_stride];
  }
}

/// Calls take(row number, values) for every row, gathered in C order.
template <class T, class Take>
void for_each_row(const DenseArray& array, const Take& take) {
  std::vector<T> chunk(kChunkRows * array.features);
  for (std::size_t first = 0; first < array.rows; first += kChunkRows) {
    const std::size_t count = std::min(kChunkRows, array.rows - first);
    copy_chunk<T>(array, first, count, chunk.data());
    for (std::size_t i = 0; i < count; ++i) {
      take(first + i, std::span<const T>(chunk).subspan(i * array.features, array.features));
    }
  }
}

/// One row through the encoding; reused from row to row.
class RowMap {
 public:
  RowMap(const ArrayEncoding& encoding, std::size_t room) : encoding_(encoding) {
    wide_.reserve(room + 1);
    stored_.reserve(room + 1);
  }
  /// The stored form of values at `columns` (empty: all of them); false if the row has become zero.
  template <class T>
  bool map(std::span<const T> values) {
    wide_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) wide_.push_back(scaled(i, static_cast<double>(values[i])));
    if (encoding_.intercept != 0) wide_.push_back(encoding_.intercept);
    stored_.resize(wide_.size());
    return clip_and_store(wide_, encoding_.data_norm, stored_);
  }
  std::span<float> stored() noexcept { return stored_; }
  /// Of the values scaled, before the constant feature and the clip.
  template <class T>
  double norm(std::span<const T> values) {
    wide_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) wide_.push_back(scaled(i, static_cast<double>(values[i])));
    return safe_norm(wide_);
  }

 private:
  double scaled(std::size_t feature, double value) const noexcept {
    if (encoding_.lower.empty() || !std::isfinite(value)) return value;
    const double lower = encoding_.lower[feature];
    const double upper = encoding_.upper[feature];
    return (std::clamp(value, lower, upper) - lower) / (upper - lower);
  }
  const ArrayEncoding& encoding_;
  std::vector<double> wide_;
  std::vector<float> stored_;
};

template <class T>
void send_mapped(const DenseArray& array, Codes codes, const ArrayEncoding& encoding, RowSink& sink) {
  RowMap map(encoding, array.features);
  for_each_row<T>(array, [&](std::size_t i, std::span<const T> values) {
    const bool kept = map.map(values);
    sink.add_dense(map.stored(), kept ? label_of(codes, i, encoding.classes) : 1.0F);
  });
}

/// Floats that are not scaled: what the data set clips on entry needs no detour through binary64.
void send_floats(const DenseArray& array, Codes codes, const ArrayEncoding& encoding, RowSink& sink) {
  std::vector<float> row(encoding.features(array.features), static_cast<float>(encoding.intercept));
  for_each_row<float>(array, [&](std::size_t i, std::span<const float> values) {
    std::ranges::copy(values, row.begin());
    sink.add_dense(row, label_of(codes, i, encoding.classes));
  });
}

std::uint64_t number_at(const void* numbers, bool wide, std::size_t i) noexcept {
  return wide ? static_cast<const std::uint64_t*>(numbers)[i] : static_cast<const std::uint32_t*>(numbers)[i];
}

/// Where the entries of a row begin and end.
std::pair<std::uint64_t, std::uint64_t> entries_of(const SparseArray& array, std::size_t row) {
  const std::uint64_t begin = number_at(array.offsets, array.wide_offsets, row);
  const std::uint64_t end = number_at(array.offsets, array.wide_offsets, row + 1);
  require(begin <= end && end <= array.entries, "indptr",
          "the offsets of the rows must ascend to the number of entries");
  return {begin, end};
}

template <class T>
std::span<const T> values_of(const SparseArray& array, std::uint64_t begin, std::uint64_t end) noexcept {
  return {static_cast<const T*>(array.values) + begin, end - begin};
}

void require_unshifted(const ArrayEncoding& encoding) {
  require(encoding.lower.empty(), "bounds", "sparse rows cannot be shifted; declare data_norm alone");
}

template <class T>
void send_sparse_of(const SparseArray& array, Codes codes, const ArrayEncoding& encoding, RowSink& sink) {
  RowMap map(encoding, 64);
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < array.rows; ++i) {
    const auto [begin, end] = entries_of(array, i);
    columns.clear();
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::uint64_t column = number_at(array.columns, array.wide_columns, k);
      require(column < array.features, "indices", "a column is not below the number of features");
      columns.push_back(static_cast<std::uint32_t>(column));
    }
    if (encoding.intercept != 0) columns.push_back(array.features);
    const bool kept = map.map(values_of<T>(array, begin, end));
    sink.add_sparse(columns, map.stored(), kept ? label_of(codes, i, encoding.classes) : 1.0F);
  }
}

template <class T>
void add_row(Sha256& hash, std::span<const T> values, std::vector<double>& wide) {
  wide.assign(values.begin(), values.end());
  hash.add({reinterpret_cast<const char*>(wide.data()), wide.size() * sizeof(double)});
}

}  // namespace

void ArrayEncoding::check(std::uint32_t raw_features) const {
  require(std::isfinite(data_norm) && data_norm >= kMinDataNorm && data_norm <= kMaxDataNorm, "data_norm",
          "must lie between 1e-30 and 1e30");
  require(std::isfinite(intercept), "intercept", "must be a finite number");
  require(raw_features > 0 && raw_features < kMaxFeatures, "features",
          "there must be at least one, and fewer than 2^24");
  require(lower.size() == upper.size(), "bounds", "as many lower as upper bounds are required");
  if (lower.empty()) return;
  require(lower.size() == raw_features, "bounds",
          "got bounds of " + std::to_string(lower.size()) + " features, the rows have " + std::to_string(raw_features));
  for (std::size_t i = 0; i < lower.size(); ++i) {
    require(std::isfinite(lower[i]) && std::isfinite(upper[i]) && lower[i] < upper[i], "bounds",
            "the lower bound of feature " + std::to_string(i) + " must be below its upper bound, both finite");
  }
}

float label_of(Codes codes, std::size_t row, std::uint32_t classes) noexcept {
  if (codes.empty()) return 1.0F;
  const std::int32_t code = codes[row];
  // -2 is the label of no class: the data set makes the row zero.
  return code < 0 || static_cast<std::uint32_t>(code) >= classes
             ? -2.0F
             : label_of_class(static_cast<std::uint32_t>(code), classes);
}

void send_dense(const DenseArray& array, Codes codes, const ArrayEncoding& encoding, RowSink& sink) {
  if (array.doubles) return send_mapped<double>(array, codes, encoding, sink);
  if (!encoding.lower.empty()) return send_mapped<float>(array, codes, encoding, sink);
  send_floats(array, codes, encoding, sink);
}

void send_sparse(const SparseArray& array, Codes codes, const ArrayEncoding& encoding, RowSink& sink) {
  require_unshifted(encoding);
  if (array.doubles) return send_sparse_of<double>(array, codes, encoding, sink);
  send_sparse_of<float>(array, codes, encoding, sink);
}

void for_each_norm(const DenseArray& array, const ArrayEncoding& encoding, const std::function<void(double)>& take) {
  RowMap map(encoding, array.features);
  if (array.doubles) {
    for_each_row<double>(array, [&](std::size_t, std::span<const double> row) { take(map.norm(row)); });
  } else {
    for_each_row<float>(array, [&](std::size_t, std::span<const float> row) { take(map.norm(row)); });
  }
}

void for_each_norm(const SparseArray& array, const ArrayEncoding& encoding, const std::function<void(double)>& take) {
  require_unshifted(encoding);
  RowMap map(encoding, 64);
  for (std::size_t i = 0; i < array.rows; ++i) {
    const auto [begin, end] = entries_of(array, i);
    take(array.doubles ? map.norm(values_of<double>(array, begin, end))
                       : map.norm(values_of<float>(array, begin, end)));
  }
}

bool has_stored_form(const DenseArray& array, const ArrayEncoding& encoding) noexcept {
  const bool in_order = array.column_stride == 1 && array.row_stride == static_cast<std::ptrdiff_t>(array.features);
  return !array.doubles && in_order && encoding.intercept == 0 && encoding.lower.empty();
}

bool usable_as_they_are(const DenseArray& array, const ArrayEncoding& encoding) noexcept {
  if (!has_stored_form(array, encoding)) return false;
  const float* data = static_cast<const float*>(array.data);
  // What is stored may be longer by kNormSlack; half of that is left for the rounding of this norm.
  const double most = encoding.data_norm * (1 + (kNormSlack - 1) / 2);
  for (std::size_t i = 0; i < array.rows; ++i, data += array.features) {
    if (!(kernels::norm(data, array.features) <= most)) return false;
  }
  return true;
}

void add_values(Sha256& hash, const DenseArray& array, const Look& look) {
  hash.add_text("dense");
  hash.add_number(array.rows);
  hash.add_number(array.features);
  std::vector<double> wide;
  const auto add = [&](std::size_t i, auto row) {
    if (i % kLookRows == 0) look();
    add_row(hash, row, wide);
  };
  if (array.doubles) {
    for_each_row<double>(array, add);
  } else {
    for_each_row<float>(array, add);
  }
}

void add_values(Sha256& hash, const SparseArray& array, const Look& look) {
  hash.add_text("sparse");
  hash.add_number(array.rows);
  hash.add_number(array.features);
  std::vector<double> wide;
  for (std::size_t i = 0; i < array.rows; ++i) {
    if (i % kLookRows == 0) look();
    const auto [begin, end] = entries_of(array, i);
    hash.add_number(end - begin);
    for (std::uint64_t k = begin; k < end; ++k) hash.add_number(number_at(array.columns, array.wide_columns, k));
    if (array.doubles) {
      add_row(hash, values_of<double>(array, begin, end), wide);
    } else {
      add_row(hash, values_of<float>(array, begin, end), wide);
    }
  }
}

}  // namespace sotto::python
