#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/files/block_file/block_file.h"

namespace sotto {

/// Rows held in memory, e.g. all of a block file, bit for bit.
struct LoadedRows {
  Facts facts;
  std::uint32_t block_rows = 1;
  std::string metadata;
  std::vector<float> labels;
  std::vector<float> dense;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  /// Makes room for rows of facts.features features and, when facts.sparse, for so many entries in all.
  void reserve(std::uint64_t row_count, std::uint64_t entry_count);
  void append(const RowBlock& block);
  RowBlock rows() const noexcept;
};
/// Reads and checks every block.
LoadedRows load_rows(const BlockFile& file);

}  // namespace sotto
