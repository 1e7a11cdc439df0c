#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/out_file.h"
#include "sotto/files/block_file/file_handle.h"
#include "sotto/files/block_file/format.h"

namespace sotto {

/// Writes rows to a block file in the order in which they come. Memory: one block, and buffers of AppendBuffer::kBytes.
/// The file appears under its name when `finish` returns; before that, or after an error, there is nothing.
class BlockAppender {
 public:
  /// `header` gives features, data_norm, sparse, file_id and metadata; the other fields are filled in here.
  BlockAppender(const std::string& path, BlockFileHeader header);

  void add_dense(std::span<const float> row, float label);
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label);
  /// Takes the place of the header's fingerprint, which must have one.
  void identify(const Digest& fingerprint);
  /// Returns what is public about the file. Throws Error{invalid_data} when there is no row.
  Facts finish();

 private:
  void close_block();
  void note_block_offset(std::uint64_t offset);
  void write_index();

  BlockFileHeader header_;
  OutFile target_;
  FileHandle file_;
  AppendBuffer out_;
  // The index may be larger than memory, and the file it ends up in is not yet complete.
  FileHandle index_file_;
  AppendBuffer index_;

  std::vector<std::byte> block_;
  std::uint32_t pending_rows_ = 0;
  std::vector<std::uint64_t> offsets_;
  std::vector<float> labels_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
};

}  // namespace sotto
