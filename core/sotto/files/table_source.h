#pragma once
#include <memory>
#include <string>

#include "sotto/files/byte_source.h"

namespace sotto {

/// True for a name that ends in .parquet or .pq, and for a folder.
bool is_table(const std::string& path);

/// The table of a Parquet file, or of all in a folder in the order of their names, as comma-separated text with a
/// header: as a CSV file of the same table would be. An installed Python (SOTTO_PYTHON, or python3) with pyarrow or
/// duckdb reads it in a process of its own. No shell is involved. Throws Error{io} or Error{unsupported} if it cannot
/// start or lacks both, Error{invalid_data} for what is no such file or has columns that are lists or records. A
/// message quotes no cell.
std::unique_ptr<ByteSource> open_table(const std::string& path);

}  // namespace sotto
