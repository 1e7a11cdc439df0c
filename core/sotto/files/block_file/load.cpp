#include "sotto/files/block_file/load.h"

namespace sotto {

std::uint64_t loaded_bytes(const BlockFile& file) noexcept {
  const Facts& facts = file.facts();
  if (!facts.sparse) return facts.rows * 4 * (std::uint64_t{facts.features} + 1);
  return facts.rows * 12 + file.file_bytes();
}

Dataset load_rows(const BlockFile& file) {
  Dataset loaded(file.facts(), file.block_rows());
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
