#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sotto/base/sha256.h"
#include "sotto/data/encoder.h"
#include "sotto/data/facts.h"
#include "sotto/data/row_sink.h"

/// Rows of arrays that belong to someone else, on their way through the encoder into a data set.
namespace sotto {

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

/// The place of a row's class in the declared list, -1 for a label outside it (the row becomes zero). Without labels
/// every row gets that of class 1: for prediction.
using Codes = std::span<const std::int32_t>;
float label_of(Codes codes, std::size_t row, std::uint32_t classes) noexcept;

/// Called between pieces of work; throws once nobody waits for it.
using Look = std::function<void()>;

/// An encoder that takes rows of numbers, one for each of its columns. The encoder must outlive it.
class ArrayEncoder {
 public:
  /// Throws Error{invalid_argument} unless every column is numeric, there are `features` of them, and nothing projects.
  ArrayEncoder(const Encoder& encoder, std::uint32_t features);

  const Encoder& encoder() const noexcept { return encoder_; }
  /// Sparse rows stay sparse, whatever storage is declared.
  Facts facts(std::size_t rows, bool sparse) const noexcept;
  /// Whether a value may differ from the one that is stored, before the clip.
  bool scales() const noexcept { return scales_; }
  double intercept() const noexcept { return encoder_.intercept(); }
  const NumericColumn& column(std::size_t feature) const noexcept { return columns_[feature]; }

  void send(const DenseArray& array, Codes codes, RowSink& sink) const;
  /// Throws Error{invalid_argument} if ranges are declared: an entry that is left out is 0 and must stay 0.
  void send(const SparseArray& array, Codes codes, RowSink& sink) const;

  /// Calls take(norm) for every row: the norm of its features, scaled but not clipped, without the constant feature.
  void for_each_norm(const DenseArray& array, const std::function<void(double)>& take) const;
  void for_each_norm(const SparseArray& array, const std::function<void(double)>& take) const;

  /// What send() makes of the rows, for those who may read them (row_check.h). Reads them all, and passes none on.
  RowTally tally(const DenseArray& array, Codes codes, const Look& look) const;
  RowTally tally(const SparseArray& array, Codes codes, const Look& look) const;

  /// Floats in C order, no range, no constant feature: stored rows have this form.
  bool has_stored_form(const DenseArray& array) const noexcept;
  /// Whether they can be used as they are, without a copy: the form is right and every row is inside the declared norm.
  bool usable_as_they_are(const DenseArray& array) const noexcept;

 private:
  void require_unshifted() const;

  const Encoder& encoder_;
  std::vector<NumericColumn> columns_;
  bool scales_ = false;
};

/// SHA-256 of the values in binary64 and of the label of each row, whatever the type and the order in memory.
void add_values(Sha256& hash, const DenseArray& array, const Look& look);
void add_values(Sha256& hash, const SparseArray& array, const Look& look);

}  // namespace sotto
