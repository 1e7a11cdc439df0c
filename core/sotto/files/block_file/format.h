#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/sha256.h"
#include "sotto/data/facts.h"

/// The bytes of a block file, versions 1 and 2. All integers and floats are little-endian; a file never changes once
/// made.
///
///   header   magic, checksum of the rest of the header, header_bytes, version, flags, rows, features, block_rows,
///            data_norm, file_id, index_offset, index_checksum, file_bytes, metadata_bytes, metadata, zeros up to
///            header_bytes (a multiple of 4096). Version 2: metadata_bytes counts the 32 bytes after the metadata,
///            the fingerprint of the data the rows were made from (fingerprint.h); version 1 has none
///   blocks   each of `block_rows` consecutive rows, its last 8 bytes the checksum of all its other bytes
///     dense    rows (block_rows x features float32), labels (block_rows float32), zeros, checksum; all blocks have
///              the same size, so that block i begins at header_bytes + i * size
///     sparse   offsets (block_rows + 1 uint64, from 0), labels, columns (uint32), values (float32), zeros, checksum;
///              sizes differ, the index tells where a block begins
///   index    sparse only: the offset of every block and of the index itself, uint64; its checksum is chained over
///            pieces of kIndexPiece entries, each seeded with the one before and the first with file_id
///
/// Bit 0 of the flags is set when sparse; bits 8 to 31 hold the number of classes, 0 standing for two, so that files of
/// two classes are what they always were and an older program refuses the others.
///
/// Blocks are a multiple of 64 bytes long. The last block is filled up with zero rows. A checksum is XXH3-64 seeded
/// with file_id + number of the block, so that a block put in another's place, or taken from another file, is noticed.
/// It finds accidents; it is no defence against someone who computes it anew.
///
/// Which rows share a block depends on row positions and on public sizes alone (spec 3.7): a dense block has about
/// 8 KB; a sparse one has a fixed number of rows, whatever their entries, so a changed row never moves its neighbours.
namespace sotto {

struct BlockFileHeader {
  Facts facts;
  std::uint32_t block_rows = 1;
  std::uint64_t file_id = 0;
  std::uint64_t index_offset = 0;    ///< sparse only
  std::uint64_t index_checksum = 0;  ///< sparse only
  std::uint64_t file_bytes = 0;
  std::string metadata;
  std::optional<Digest> fingerprint = {};  ///< of the source; files that know it are of version 2

  /// Where the blocks begin.
  std::uint64_t data_offset() const noexcept;
  std::uint64_t block_count() const noexcept;
  /// The rows of block `index` that exist; fewer than block_rows only in the last.
  std::size_t rows_in_block(std::uint64_t index) const noexcept;
};

/// The first bytes of a block file.
inline constexpr std::string_view kBlockFileMagic = "SOTTOBLK";
inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{1} << 26U;
inline constexpr std::size_t kBlockAlignment = 64;
inline constexpr std::size_t kIndexPiece = 8192;

/// The size of the header, given the length of the metadata and what belongs to it.
std::uint64_t header_bytes(std::uint64_t metadata_bytes) noexcept;
/// The size of a block, or nothing when it does not fit 64 bits.
std::optional<std::uint64_t> dense_block_bytes(std::uint32_t features, std::uint32_t block_rows) noexcept;
std::optional<std::uint64_t> sparse_block_bytes(std::uint32_t block_rows, std::uint64_t entries) noexcept;

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;
/// Writes the checksum of the block into its last 8 bytes.
void seal_block(std::span<std::byte> block, std::uint64_t seed) noexcept;
bool block_is_sealed(std::span<const std::byte> block, std::uint64_t seed) noexcept;

std::vector<std::byte> encode_header(const BlockFileHeader& header);
/// How many bytes decode_header needs, from the first kHeaderPrefixBytes of a file. Throws Error{io}.
inline constexpr std::size_t kHeaderPrefixBytes = 96;
std::uint64_t announced_header_bytes(std::span<const std::byte> prefix);
/// Throws Error{io} for anything that is not a whole, undamaged, consistent header, Error{unsupported} for one of a
/// later version. Sizes have been checked against each other without overflow; `file_bytes` is for the caller to
/// compare.
BlockFileHeader decode_header(std::span<const std::byte> bytes);

}  // namespace sotto
