#include "sotto/files/block_file/load.h"

namespace sotto {

void LoadedRows::reserve(std::uint64_t row_count, std::uint64_t entry_count) {
  labels.reserve(row_count);
  if (!facts.sparse) return dense.reserve(row_count * facts.features);
  offsets.reserve(row_count + 1);
  columns.reserve(entry_count);
  values.reserve(entry_count);
}

void LoadedRows::append(const RowBlock& block) {
  labels.insert(labels.end(), block.labels, block.labels + block.rows);
  if (!block.sparse()) {
    dense.insert(dense.end(), block.dense, block.dense + block.rows * block.features);
    return;
  }
  if (offsets.empty()) offsets.push_back(0);
  const std::uint64_t first = block.offsets[0];
  const std::uint64_t last = block.offsets[block.rows];
  const std::uint64_t base = columns.size();
  for (std::size_t i = 0; i < block.rows; ++i) offsets.push_back(base + block.offsets[i + 1] - first);
  columns.insert(columns.end(), block.columns + first, block.columns + last);
  values.insert(values.end(), block.values + first, block.values + last);
}

RowBlock LoadedRows::rows() const noexcept {
  RowBlock view;
  view.rows = labels.size();
  view.features = facts.features;
  view.labels = labels.data();
  if (!facts.sparse) {
    view.dense = dense.data();
    return view;
  }
  view.offsets = offsets.data();
  view.columns = columns.data();
  view.values = values.data();
  return view;
}

LoadedRows load_rows(const BlockFile& file) {
  LoadedRows loaded;
  loaded.facts = file.facts();
  loaded.block_rows = file.block_rows();
  loaded.metadata = file.metadata();
  // The file is at least this long: a header cannot make this ask for more memory than the file's own size.
  loaded.reserve(file.facts().rows, file.facts().sparse ? file.file_bytes() / 8 : 0);
  BlockStorage storage;
  storage.reserve(file.max_block_bytes());
  for (std::uint64_t i = 0; i < file.block_count(); ++i) {
    loaded.append(file.read_block(file.locate(i), storage.bytes(), BlockFile::Values::check).rows);
  }
  return loaded;
}

}  // namespace sotto
