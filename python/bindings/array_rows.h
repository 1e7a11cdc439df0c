#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sotto/base/sha256.h"
#include "sotto/data/dataset.h"
#include "sotto/data/facts.h"
#include "sotto/data/row_sink.h"

/// Rows of arrays that belong to someone else, on their way into a data set. Knows nothing of Python.
namespace sotto::python {

/// A matrix of floats or doubles in any order; strides count elements.
struct DenseArray {
  const void* data = nullptr;
  bool doubles = true;
  std::size_t rows = 0;
  std::uint32_t features = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;
};

/// Compressed sparse rows; columns ascend within a row.
struct SparseArray {
  const void* values = nullptr;
  bool doubles = true;
  const void* columns = nullptr;
  bool wide_columns = false;  ///< 64 bits, else 32
  const void* offsets = nullptr;
  bool wide_offsets = false;
  std::size_t rows = 0;
  std::size_t entries = 0;
  std::uint32_t features = 0;
};

/// The public map from a row of an array to a stored row: each feature from its range to [0, 1] if ranges are declared,
/// the constant feature, the clip to data_norm last. The same map as that of the schema in a model's file.
struct ArrayEncoding {
  double data_norm = 1;
  double intercept = 0;  ///< 0: no constant feature
  std::uint32_t classes = 2;
  std::vector<double> lower;  ///< of each feature; empty: values pass as they are
  std::vector<double> upper;

  std::uint32_t features(std::uint32_t raw) const noexcept { return raw + (intercept != 0 ? 1 : 0); }
  Facts facts(std::size_t rows, std::uint32_t raw, bool sparse) const noexcept {
    return {rows, features(raw), data_norm, sparse, classes};
  }
  /// Throws Error{invalid_argument} for a declaration that makes no sense for rows of so many features.
  void check(std::uint32_t raw_features) const;
};

/// The place of a row's class in the declared list, -1 for a label outside it (the row becomes zero). Without labels
/// every row gets that of class 1: for prediction.
using Codes = std::span<const std::int32_t>;
float label_of(Codes codes, std::size_t row, std::uint32_t classes) noexcept;

void send_dense(const DenseArray& array, Codes codes, const ArrayEncoding& encoding, RowSink& sink);
void send_sparse(const SparseArray& array, Codes codes, const ArrayEncoding& encoding, RowSink& sink);

/// Calls take(norm) for every row: the norm of its features, scaled but not clipped, without the constant feature.
void for_each_norm(const DenseArray& array, const ArrayEncoding& encoding, const std::function<void(double)>& take);
void for_each_norm(const SparseArray& array, const ArrayEncoding& encoding, const std::function<void(double)>& take);

/// Floats in C order, no range, no constant feature: stored rows have this form.
bool has_stored_form(const DenseArray& array, const ArrayEncoding& encoding) noexcept;
/// Whether they can be used as they are, without a copy: the form is right and every row is inside the declared norm.
bool usable_as_they_are(const DenseArray& array, const ArrayEncoding& encoding) noexcept;

/// Called between pieces of work; throws once nobody waits for it.
using Look = std::function<void()>;

/// SHA-256 of the values in binary64 and of the label of each row, whatever the type and the order in memory.
void add_values(Sha256& hash, const DenseArray& array, const Look& look);
void add_values(Sha256& hash, const SparseArray& array, const Look& look);

}  // namespace sotto::python
