#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/base/sha256.h"
#include "sotto/data/bound_counts.h"
#include "sotto/data/schema.h"

/// The counts of bound_counts.h, taken from files.
namespace sotto {

/// A column whose bounds or texts are wanted, by its name: where it is, every reading finds for itself.
struct OpenColumn {
  std::string name;
  bool text = false;
};

/// What a reading of a whole file was of, taken from the bytes that were parsed.
struct FileReading {
  std::uint64_t rows = 0;
  Digest fingerprint{};  ///< see fingerprint.h
};

/// What the cells of the open columns show; each is a secret.
struct ColumnCounts {
  std::vector<BoundCounts> sizes;  ///< one an open column that is not text, in their order; over size_grid()
  std::vector<Sensitive<std::map<std::string, std::uint64_t>>> texts;  ///< one an open text column
  FileReading reading;
};
/// Reads the whole file once. Throws Error{invalid_data}, as the next one does, if it has not the open columns.
ColumnCounts count_columns(const std::string& path, const Schema& schema, std::span<const OpenColumn> open);
/// Fills the counts of the open columns that are not text, one of `counts` each. Reads the whole file once.
FileReading count_numbers(const std::string& path, const Schema& schema, std::span<const OpenColumn> open,
                          std::span<BoundCounts> counts);

struct NormCounts {
  BoundCounts norms;
  FileReading reading;
  std::optional<double> largest;  ///< what the schema allows, whatever the rows (Encoder::largest_norm)
};
/// The L2 norms of the encoded rows before they are clipped, over size_grid(). Reads the whole file once.
NormCounts count_norms(const std::string& path, Schema complete);

}  // namespace sotto
