// Arrays through the public map of spec 2.1 and 8: each value by `scaled`, the constant feature, the clip last. It is the map
// of RowEncoder for rows of numbers, without texts in between. Equal values give equal stored rows.
// Fails if wrong: data_array_rows_test.cpp, "AnArrayIsEncodedAsTheSameCellsAre".
#include "sotto/data/array_rows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sotto/base/error.h"
#include "sotto/data/clip.h"
#include "sotto/data/scaling.h"

namespace sotto {
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

/// One row through the encoder; reused from row to row.
class RowMap {
 public:
  RowMap(const ArrayEncoder& encoder, std::size_t room) : encoder_(encoder), norm_(encoder.encoder().data_norm()) {
    wide_.reserve(room + 1);
    stored_.reserve(room + 1);
  }
  /// The stored form of the values; false if the row has become zero.
  template <class T>
  bool map(std::span<const T> values) {
    widen(values);
    if (encoder_.intercept() != 0) wide_.push_back(encoder_.intercept());
    stored_.resize(wide_.size());
    return clip_and_store(wide_, norm_, stored_);
  }
  std::span<float> stored() noexcept { return stored_; }
  /// Of the values scaled, before the constant feature and the clip.
  template <class T>
  double norm(std::span<const T> values) {
    widen(values);
    return safe_norm(wide_);
  }

 private:
  template <class T>
  void widen(std::span<const T> values) {
    wide_.assign(values.begin(), values.end());
    if (!encoder_.scales()) return;
    for (std::size_t i = 0; i < wide_.size(); ++i) {
      if (std::isfinite(wide_[i])) wide_[i] = scaled(encoder_.column(i), wide_[i]);
    }
  }
  const ArrayEncoder& encoder_;
  double norm_;
  std::vector<double> wide_;
  std::vector<float> stored_;
};

template <class T>
void send_mapped(const DenseArray& array, Codes codes, const ArrayEncoder& encoder, RowSink& sink) {
  RowMap map(encoder, array.features);
  const std::uint32_t classes = encoder.encoder().classes();
  for_each_row<T>(array, [&](std::size_t i, std::span<const T> values) {
    const bool kept = map.map(values);
    sink.add_dense(map.stored(), kept ? label_of(codes, i, classes) : 1.0F);
  });
}

/// Floats that are not scaled: what the data set clips on entry needs no detour through binary64.
void send_floats(const DenseArray& array, Codes codes, const ArrayEncoder& encoder, RowSink& sink) {
  std::vector<float> row(encoder.encoder().features(), static_cast<float>(encoder.intercept()));
  const std::uint32_t classes = encoder.encoder().classes();
  for_each_row<float>(array, [&](std::size_t i, std::span<const float> values) {
    std::ranges::copy(values, row.begin());
    sink.add_dense(row, label_of(codes, i, classes));
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

template <class T>
void send_sparse_of(const SparseArray& array, Codes codes, const ArrayEncoder& encoder, RowSink& sink) {
  RowMap map(encoder, 64);
  const std::uint32_t classes = encoder.encoder().classes();
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < array.rows; ++i) {
    const auto [begin, end] = entries_of(array, i);
    columns.clear();
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::uint64_t column = number_at(array.columns, array.wide_columns, k);
      require(column < array.features, "indices", "a column is not below the number of features");
      columns.push_back(static_cast<std::uint32_t>(column));
    }
    if (encoder.intercept() != 0) columns.push_back(array.features);
    const bool kept = map.map(values_of<T>(array, begin, end));
    sink.add_sparse(columns, map.stored(), kept ? label_of(codes, i, classes) : 1.0F);
  }
}

/// Counts rows as RowEncoder counts those of cells; reused from row to row.
class RowCounter {
 public:
  explicit RowCounter(const ArrayEncoder& encoder) : encoder_(encoder), tally_(encoder.encoder().empty_tally()) {}

  /// `column_of` gives the column of the value at a place.
  template <class T, class ColumnOf>
  void take(std::span<const T> values, float label, const ColumnOf& column_of) {
    wide_.assign(values.begin(), values.end());
    bool usable = true;
    for (std::size_t i = 0; i < wide_.size(); ++i) usable &= take_value(wide_[i], column_of(i));
    const std::uint32_t classes = encoder_.encoder().classes();
    if (!is_label(label, classes)) tally_.note(ProblemKind::unknown_label, 0);
    ++tally_.rows;
    if (!usable || !is_label(label, classes)) {
      ++tally_.unusable;
      return;
    }
    ++tally_.classes[class_of_label(label, classes)];
    take_length(column_of);
  }
  /// Entries that were left out are zeros.
  RowTally finish(bool sparse) {
    for (ColumnTally& column : tally_.columns) {
      if (sparse && column.known > 0 && column.known < tally_.rows) column.take(0.0);
    }
    return std::move(tally_);
  }

 private:
  bool take_value(double& value, std::size_t place) {
    if (!std::isfinite(value)) {
      tally_.note(std::isnan(value) ? ProblemKind::not_a_number : ProblemKind::not_finite, place);
      return false;
    }
    tally_.columns[place].take(value);
    if (!encoder_.scales()) return true;
    const NumericColumn& column = encoder_.column(place);
    const std::optional<Range>& range = column.range;
    if (range && (value < range->min || value > range->max)) tally_.note(ProblemKind::out_of_range, place);
    value = scaled(column, value);
    return true;
  }
  template <class ColumnOf>
  void take_length(const ColumnOf& column_of) {
    const std::size_t features = wide_.size();
    if (encoder_.intercept() != 0) wide_.push_back(encoder_.intercept());
    const double length = safe_norm(wide_);
    if (!tally_.take_length(length, encoder_.encoder().data_norm())) return;
    for (std::size_t i = 0; i < features; ++i) tally_.columns[column_of(i)].pull_by(wide_[i], length);
    if (encoder_.intercept() != 0) tally_.columns.back().pull_by(encoder_.intercept(), length);
  }

  const ArrayEncoder& encoder_;
  RowTally tally_;
  std::vector<double> wide_;
};

template <class T>
RowTally tally_dense(const DenseArray& array, Codes codes, const ArrayEncoder& encoder, const Look& look) {
  RowCounter counter(encoder);
  const std::uint32_t classes = encoder.encoder().classes();
  for_each_row<T>(array, [&](std::size_t i, std::span<const T> values) {
    if (i % kLookRows == 0) look();
    counter.take(values, label_of(codes, i, classes), [](std::size_t place) { return place; });
  });
  return counter.finish(false);
}

template <class T>
RowTally tally_sparse(const SparseArray& array, Codes codes, const ArrayEncoder& encoder, const Look& look) {
  RowCounter counter(encoder);
  const std::uint32_t classes = encoder.encoder().classes();
  for (std::size_t i = 0; i < array.rows; ++i) {
    if (i % kLookRows == 0) look();
    const auto [begin, end] = entries_of(array, i);
    const auto column_of = [&, first = begin](std::size_t place) {
      const std::uint64_t column = number_at(array.columns, array.wide_columns, first + place);
      require(column < array.features, "indices", "a column is not below the number of features");
      return static_cast<std::size_t>(column);
    };
    counter.take(values_of<T>(array, begin, end), label_of(codes, i, classes), column_of);
  }
  return counter.finish(true);
}

template <class T>
void add_row(Sha256& hash, std::span<const T> values, std::vector<double>& wide) {
  wide.assign(values.begin(), values.end());
  hash.add({reinterpret_cast<const char*>(wide.data()), wide.size() * sizeof(double)});
}

}  // namespace

ArrayEncoder::ArrayEncoder(const Encoder& encoder, std::uint32_t features) : encoder_(encoder) {
  require(std::holds_alternative<NoProjection>(encoder.schema().projection), "projection", "an array has none");
  for (const Column* column : encoder.used_columns()) {
    const auto* numeric = std::get_if<NumericColumn>(&column->kind);
    require(numeric != nullptr, "columns", column->name + " is not numeric; an array holds numbers only");
    columns_.push_back(*numeric);
    scales_ = scales_ || numeric->range.has_value();
  }
  const std::size_t stored = columns_.size() + (intercept() != 0 ? 1 : 0);
  require(encoder.features() == stored, "columns", "an array takes one feature a column");
  require(columns_.size() == features, "features",
          "the rows have " + std::to_string(features) + ", " + std::to_string(columns_.size()) + " are declared");
}

Facts ArrayEncoder::facts(std::size_t rows, bool sparse) const noexcept {
  Facts facts = encoder_.facts(rows);
  facts.sparse = sparse;
  return facts;
}

void ArrayEncoder::require_unshifted() const {
  require(!scales_, "bounds", "sparse rows cannot be shifted; declare data_norm alone");
}

float label_of(Codes codes, std::size_t row, std::uint32_t classes) noexcept {
  if (codes.empty()) return 1.0F;
  const std::int32_t code = codes[row];
  // -2 is the label of no class: the data set makes the row zero.
  return code < 0 || static_cast<std::uint32_t>(code) >= classes
             ? -2.0F
             : label_of_class(static_cast<std::uint32_t>(code), classes);
}

void ArrayEncoder::send(const DenseArray& array, Codes codes, RowSink& sink) const {
  if (array.doubles) return send_mapped<double>(array, codes, *this, sink);
  if (scales_) return send_mapped<float>(array, codes, *this, sink);
  send_floats(array, codes, *this, sink);
}

void ArrayEncoder::send(const SparseArray& array, Codes codes, RowSink& sink) const {
  require_unshifted();
  if (array.doubles) return send_sparse_of<double>(array, codes, *this, sink);
  send_sparse_of<float>(array, codes, *this, sink);
}

void ArrayEncoder::for_each_norm(const DenseArray& array, const std::function<void(double)>& take) const {
  RowMap map(*this, array.features);
  if (array.doubles) {
    for_each_row<double>(array, [&](std::size_t, std::span<const double> row) { take(map.norm(row)); });
  } else {
    for_each_row<float>(array, [&](std::size_t, std::span<const float> row) { take(map.norm(row)); });
  }
}

void ArrayEncoder::for_each_norm(const SparseArray& array, const std::function<void(double)>& take) const {
  require_unshifted();
  RowMap map(*this, 64);
  for (std::size_t i = 0; i < array.rows; ++i) {
    const auto [begin, end] = entries_of(array, i);
    take(array.doubles ? map.norm(values_of<double>(array, begin, end))
                       : map.norm(values_of<float>(array, begin, end)));
  }
}

RowTally ArrayEncoder::tally(const DenseArray& array, Codes codes, const Look& look) const {
  return array.doubles ? tally_dense<double>(array, codes, *this, look) : tally_dense<float>(array, codes, *this, look);
}

RowTally ArrayEncoder::tally(const SparseArray& array, Codes codes, const Look& look) const {
  require_unshifted();
  return array.doubles ? tally_sparse<double>(array, codes, *this, look)
                       : tally_sparse<float>(array, codes, *this, look);
}

bool ArrayEncoder::has_stored_form(const DenseArray& array) const noexcept {
  const bool in_order = array.column_stride == 1 && array.row_stride == static_cast<std::ptrdiff_t>(array.features);
  return !array.doubles && in_order && intercept() == 0 && !scales_;
}

bool ArrayEncoder::usable_as_they_are(const DenseArray& array) const noexcept {
  if (!has_stored_form(array)) return false;
  const float* data = static_cast<const float*>(array.data);
  for (std::size_t i = 0; i < array.rows; ++i, data += array.features) {
    if (!keeps_norm({data, array.features}, encoder_.data_norm())) return false;
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

}  // namespace sotto
