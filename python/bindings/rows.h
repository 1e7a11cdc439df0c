#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/data/array_rows.h"
#include "sotto/data/row_block.h"
#include "sotto/data/row_check.h"
#include "sotto/data/schema.h"
#include "sotto/optim/engine.h"

namespace sotto::python {

using Array = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;
using CodeArray = nanobind::ndarray<const std::int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// Encoded rows in memory, or a block file by its path; shared by whoever trains on them.
struct Rows {
  Facts facts;
  RowBlock view;                      ///< of rows in memory
  std::shared_ptr<const void> owner;  ///< keeps `view` alive
  bool copied = true;                 ///< false: the view is of the caller's array
  std::uint64_t checksum = 0;         ///< of the view then, taken before the norms of its rows were looked at
  std::string path;                   ///< of a block file; empty: in memory
  std::shared_ptr<RowSource> source;  ///< of a block file
  Schema schema;                      ///< of a block file, from its header; of a table, what it was encoded by
  std::optional<Digest> fingerprint;
  std::optional<RowCheck> check{};  ///< of rows in memory, if it was asked for; not for release

  /// Throws Error{invalid_data} if a block file is another one by now. An engine on the caller's array looks at the end
  /// whether it is still the same.
  std::unique_ptr<Engine> open() const;
};

/// The array as this library reads it. Throws Error{invalid_argument} for another type or shape.
DenseArray dense_of(const Array& array);
/// The same for (values, columns, offsets, features) of a sparse matrix.
SparseArray sparse_of(const nanobind::tuple& matrix);
Codes codes_of(const CodeArray* codes, std::size_t rows);

}  // namespace sotto::python
