#include "sotto/files/block_file/format.h"

#ifdef SOTTO_XXHASH_DISPATCH
#include <xxh_x86dispatch.h>  // the same sums, by the widest registers there are
#else
#include <xxhash.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sotto/base/error.h"

namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "block files are mapped as they are: little-endian");

constexpr std::uint64_t kMagic = 0x4b4c424f54544f53;  // "SOTTOBLK"
constexpr std::uint32_t kPlainVersion = 1;
constexpr std::uint32_t kFingerprintVersion = 2;
constexpr std::uint32_t kSparseFlag = 1;
constexpr std::uint32_t kClassesShift = 8;
constexpr std::uint64_t kHeaderAlignment = 4096;

struct RawHeader {
  std::uint64_t magic;
  std::uint64_t header_checksum;
  std::uint64_t header_bytes;
  std::uint32_t version;
  std::uint32_t flags;
  std::uint64_t rows;
  std::uint32_t features;
  std::uint32_t block_rows;
  double data_norm;
  std::uint64_t file_id;
  std::uint64_t index_offset;
  std::uint64_t index_checksum;
  std::uint64_t file_bytes;
  std::uint64_t metadata_bytes;
};
static_assert(sizeof(RawHeader) == kHeaderPrefixBytes);
// Everything after the magic and the checksum itself.
constexpr std::size_t kChecked = offsetof(RawHeader, header_bytes);

std::uint32_t flags_of(const Facts& facts) noexcept {
  return (facts.sparse ? kSparseFlag : 0) | (facts.classes == 2 ? 0 : facts.classes << kClassesShift);
}
std::uint32_t classes_in(std::uint32_t flags) noexcept {
  return flags >> kClassesShift == 0 ? 2 : flags >> kClassesShift;
}
/// Only flags that flags_of can give.
bool flags_are_sound(std::uint32_t flags) noexcept {
  const std::uint32_t classes = classes_in(flags);
  return classes >= 2 && classes <= kMaxClasses &&
         flags == flags_of({.sparse = (flags & kSparseFlag) != 0, .classes = classes});
}

[[noreturn]] void damaged(const char* what) { throw Error(ErrorKind::io, what); }

std::optional<std::uint64_t> plus(std::optional<std::uint64_t> a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  if (!a || __builtin_add_overflow(*a, b, &sum)) return std::nullopt;
  return sum;
}
std::optional<std::uint64_t> times(std::optional<std::uint64_t> a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  if (!a || __builtin_mul_overflow(*a, b, &product)) return std::nullopt;
  return product;
}
std::optional<std::uint64_t> aligned(std::optional<std::uint64_t> bytes) noexcept {
  bytes = plus(bytes, kBlockAlignment - 1);
  if (!bytes) return std::nullopt;
  return *bytes / kBlockAlignment * kBlockAlignment;
}

void check_extent(const BlockFileHeader& header, std::uint64_t data_offset) {
  const std::uint64_t blocks = header.block_count();
  if (header.facts.sparse) {
    const auto least = plus(times(sparse_block_bytes(header.block_rows, 0), blocks), data_offset);
    const auto end = plus(plus(times(blocks, 8), 8), header.index_offset);
    if (!least || *least > header.index_offset || header.index_offset % kBlockAlignment != 0) {
      damaged("the header places the index wrongly");
    }
    if (end != header.file_bytes) damaged("the header contradicts itself about the size of the file");
    return;
  }
  const auto end = plus(times(dense_block_bytes(header.facts.features, header.block_rows), blocks), data_offset);
  if (end != header.file_bytes || header.index_offset != 0 || header.index_checksum != 0) {
    damaged("the header contradicts itself about the size of the file");
  }
}

}  // namespace

std::uint64_t BlockFileHeader::data_offset() const noexcept {
  return header_bytes(metadata.size() + (fingerprint ? sizeof(Digest) : 0));
}

std::uint64_t BlockFileHeader::block_count() const noexcept {
  return facts.rows / block_rows + (facts.rows % block_rows != 0 ? 1 : 0);
}

std::size_t BlockFileHeader::rows_in_block(std::uint64_t index) const noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(block_rows, facts.rows - index * block_rows));
}

std::uint64_t header_bytes(std::uint64_t metadata_bytes) noexcept {
  return (sizeof(RawHeader) + metadata_bytes + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment;
}

std::optional<std::uint64_t> dense_block_bytes(std::uint32_t features, std::uint32_t block_rows) noexcept {
  return aligned(plus(times(4 * (std::uint64_t{features} + 1), block_rows), 8));
}

std::optional<std::uint64_t> sparse_block_bytes(std::uint32_t block_rows, std::uint64_t entries) noexcept {
  return aligned(plus(times(entries, 8), 8 * (std::uint64_t{block_rows} + 1) + 4 * std::uint64_t{block_rows} + 8));
}

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

void seal_block(std::span<std::byte> block, std::uint64_t seed) noexcept {
  const std::uint64_t sum = checksum(block.first(block.size() - 8), seed);
  std::memcpy(block.data() + block.size() - 8, &sum, 8);
}

bool block_is_sealed(std::span<const std::byte> block, std::uint64_t seed) noexcept {
  std::uint64_t stored = 0;
  std::memcpy(&stored, block.data() + block.size() - 8, 8);
  return checksum(block.first(block.size() - 8), seed) == stored;
}

std::vector<std::byte> encode_header(const BlockFileHeader& header) {
  const std::uint64_t total = header.data_offset();
  const std::uint64_t appendix = header.fingerprint ? sizeof(Digest) : 0;
  RawHeader raw{.magic = kMagic,
                .header_checksum = 0,
                .header_bytes = total,
                .version = header.fingerprint ? kFingerprintVersion : kPlainVersion,
                .flags = flags_of(header.facts),
                .rows = header.facts.rows,
                .features = header.facts.features,
                .block_rows = header.block_rows,
                .data_norm = header.facts.data_norm,
                .file_id = header.file_id,
                .index_offset = header.index_offset,
                .index_checksum = header.index_checksum,
                .file_bytes = header.file_bytes,
                .metadata_bytes = header.metadata.size() + appendix};
  std::vector<std::byte> bytes(total);
  std::memcpy(bytes.data(), &raw, sizeof raw);
  std::memcpy(bytes.data() + sizeof raw, header.metadata.data(), header.metadata.size());
  if (header.fingerprint) {
    std::memcpy(bytes.data() + sizeof raw + header.metadata.size(), header.fingerprint->data(), appendix);
  }
  raw.header_checksum = checksum(std::span(bytes).subspan(kChecked), 0);
  std::memcpy(bytes.data(), &raw, sizeof raw);
  return bytes;
}

std::uint64_t announced_header_bytes(std::span<const std::byte> prefix) {
  if (prefix.size() < sizeof(RawHeader)) damaged("too short to be a block file");
  RawHeader raw{};
  std::memcpy(&raw, prefix.data(), sizeof raw);
  if (raw.magic != kMagic) damaged("not a block file");
  if (raw.header_bytes < kHeaderAlignment || raw.header_bytes > header_bytes(kMaxMetadataBytes + sizeof(Digest))) {
    damaged("the header is damaged");
  }
  return raw.header_bytes;
}

BlockFileHeader decode_header(std::span<const std::byte> bytes) {
  const std::uint64_t total = announced_header_bytes(bytes);
  if (bytes.size() < total) damaged("the header is cut short");
  RawHeader raw{};
  std::memcpy(&raw, bytes.data(), sizeof raw);
  if (raw.header_checksum != checksum(bytes.first(total).subspan(kChecked), 0)) damaged("the header is damaged");
  if (raw.version != kPlainVersion && raw.version != kFingerprintVersion) {
    throw Error(ErrorKind::unsupported,
                "block file of version " + std::to_string(raw.version) + ", this program reads versions 1 and 2");
  }
  const std::uint64_t appendix = raw.version == kFingerprintVersion ? sizeof(Digest) : 0;
  if (raw.metadata_bytes < appendix || raw.metadata_bytes - appendix > kMaxMetadataBytes ||
      header_bytes(raw.metadata_bytes) != total) {
    damaged("the header contradicts itself about its metadata");
  }
  if (!flags_are_sound(raw.flags) || raw.rows == 0 || raw.features == 0 || raw.block_rows == 0 ||
      !std::isfinite(raw.data_norm) || raw.data_norm <= 0) {
    damaged("the header states impossible facts");
  }
  BlockFileHeader header{
      .facts = {raw.rows, raw.features, raw.data_norm, (raw.flags & kSparseFlag) != 0, classes_in(raw.flags)},
      .block_rows = raw.block_rows,
      .file_id = raw.file_id,
      .index_offset = raw.index_offset,
      .index_checksum = raw.index_checksum,
      .file_bytes = raw.file_bytes,
      .metadata = {},
      .fingerprint = {}};
  const std::byte* text = bytes.data() + sizeof raw;
  header.metadata.assign(reinterpret_cast<const char*>(text), raw.metadata_bytes - appendix);
  if (appendix > 0) std::memcpy(header.fingerprint.emplace().data(), text + header.metadata.size(), appendix);
  check_extent(header, total);
  return header;
}

}  // namespace sotto
