#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

/// The largest number of columns of a file and of features of an encoding. It bounds the memory that a row can need.
inline constexpr std::uint32_t kMaxColumns = std::uint32_t{1} << 20;
inline constexpr std::uint32_t kMaxFeatures = std::uint32_t{1} << 24;

/// The name given to the first column when every row has one cell more than the header (R's write.table).
inline constexpr std::string_view kRowNamesColumn = "row_names";

/// What the rows of a file look like before encoding.
enum class RowShape {
  cells,   ///< texts under named columns (CSV); the label is one of them
  sparse,  ///< ascending zero-based indices with values (LIBSVM), label apart
  dense,   ///< one value a feature (IDX), label apart
};

/// One row as a reader found it; valid until the reader's next call.
struct RawRow {
  std::uint64_t line = 0;  ///< 1-based line in the file, or row number in a file without lines
  std::span<const std::string_view> cells;
  std::span<const std::uint32_t> indices;
  std::span<const double> values;  ///< a value that is not a number is a NaN
  std::string_view label;          ///< empty in shape `cells`
};

/// A file of rows, read once from the front in bounded memory. Errors of structure are Error{invalid_data} or
/// Error{io}; a value never is an error here.
class RowReader {
 public:
  virtual ~RowReader() = default;
  virtual RowShape shape() const noexcept = 0;
  /// Column names in file order (shape `cells`), otherwise empty.
  virtual const std::vector<std::string>& columns() const noexcept = 0;
  /// Values a row has or may have at most (shapes `sparse` and `dense`).
  virtual std::uint32_t features() const noexcept = 0;
  /// False at the end of the file.
  virtual bool next(RawRow& row) = 0;
};

}  // namespace sotto
