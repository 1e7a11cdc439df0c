#include "sotto/files/block_file/block_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/files/block_file/sound_rows.h"

namespace sotto {
namespace {

BlockFileHeader read_header(const FileHandle& file, std::uint64_t size) {
  try {
    std::vector<std::byte> bytes(std::min<std::uint64_t>(size, kHeaderPrefixBytes));
    file.read_exactly(0, bytes);
    bytes.resize(std::min(size, announced_header_bytes(bytes)));
    file.read_exactly(0, bytes);
    return decode_header(bytes);
  } catch (const Error& e) {
    throw Error(e.kind(), file.path() + ": " + e.what());
  }
}

}  // namespace

BlockFile::BlockFile(const std::string& path, std::uint64_t map_limit_bytes)
    : file_(FileHandle::open_for_reading(path)), opened_(file_.status()) {
  const auto size = static_cast<std::uint64_t>(opened_.st_size);
  header_ = read_header(file_, size);
  if (size < header_.file_bytes) damaged("the file is cut short");
  if (size > header_.file_bytes) damaged("the file is longer than its header says");
  if (header_.facts.sparse) {
    check_index();
  } else {
    max_block_bytes_ = *dense_block_bytes(header_.facts.features, header_.block_rows);
  }
  if (size > map_limit_bytes) return;
  void* map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.descriptor(), 0);
  // A file that cannot be mapped is still read block by block.
  if (map != MAP_FAILED) map_ = static_cast<const std::byte*>(map);
}

BlockFile::BlockFile(BlockFile&& other) noexcept
    : file_(std::move(other.file_)),
      opened_(other.opened_),
      header_(std::move(other.header_)),
      map_(std::exchange(other.map_, nullptr)),
      max_block_bytes_(other.max_block_bytes_) {}

BlockFile::~BlockFile() {
  if (map_ != nullptr) ::munmap(const_cast<std::byte*>(map_), header_.file_bytes);
}

void BlockFile::damaged(const std::string& what) const { throw Error(ErrorKind::io, path() + ": " + what); }

void BlockFile::check_index() {
  const std::uint64_t entries = header_.block_count() + 1;
  const std::uint64_t least = *sparse_block_bytes(header_.block_rows, 0);
  std::vector<std::uint64_t> piece(kIndexPiece);
  std::uint64_t sum = header_.file_id;
  std::uint64_t previous = 0;
  for (std::uint64_t done = 0; done < entries; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(kIndexPiece, entries - done));
    file_.read_exactly(header_.index_offset + done * 8, std::as_writable_bytes(std::span(piece)));
    sum = checksum(std::as_bytes(std::span(piece)), sum);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const bool begins = done + i == 0;
      if (begins ? piece[i] != header_.data_offset()
                 : piece[i] < previous || piece[i] - previous < least || piece[i] % kBlockAlignment != 0) {
        damaged("the index is damaged");
      }
      if (!begins) max_block_bytes_ = std::max<std::size_t>(max_block_bytes_, piece[i] - previous);
      previous = piece[i];
    }
  }
  if (previous != header_.index_offset || sum != header_.index_checksum) damaged("the index is damaged");
}

void BlockFile::read_bytes(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (map_ != nullptr) {
    std::memcpy(bytes.data(), map_ + offset, bytes.size());
  } else {
    file_.read_exactly(offset, bytes);
  }
}

BlockFile::Place BlockFile::locate(std::uint64_t index) const {
  if (!header_.facts.sparse) {
    return {index, header_.data_offset() + index * max_block_bytes_, max_block_bytes_};
  }
  std::array<std::uint64_t, 2> bounds{};
  read_bytes(header_.index_offset + index * 8, std::as_writable_bytes(std::span(bounds)));
  // Checked when the file was opened, and again because it is read again.
  const std::uint64_t least = *sparse_block_bytes(block_rows(), 0);
  if (bounds[0] >= bounds[1] || bounds[1] > header_.index_offset || bounds[1] - bounds[0] < least ||
      bounds[1] - bounds[0] > max_block_bytes_) {
    damaged("the index is damaged");
  }
  return {index, bounds[0], bounds[1] - bounds[0]};
}

BlockFile::Block BlockFile::read_block(const Place& place, std::span<std::byte> storage, Values values) const {
  const std::uint64_t index = place.index;
  storage = storage.first(place.bytes);
  read_bytes(place.offset, storage);
  if (!block_is_sealed(storage, header_.file_id + index)) {
    damaged("block " + std::to_string(index) + " fails its checksum");
  }
  Block block;
  block.rows = facts().sparse ? view_sparse(index, storage) : view_dense(index, storage.data());
  if (values == Values::trust) return block;
  for (std::size_t i = 0; facts().sparse && i < block.rows.rows; ++i) {
    const std::uint64_t first = block.rows.offsets[i];
    if (!columns_ascend(block.rows.columns + first, block.rows.offsets[i + 1] - first, facts().features)) {
      damaged("block " + std::to_string(index) + " has columns out of order");
    }
  }
  block.replaced = replace_unsound_rows(block.rows, facts());
  return block;
}

RowBlock BlockFile::view_dense(std::uint64_t index, std::byte* storage) const noexcept {
  RowBlock rows;
  rows.rows = header_.rows_in_block(index);
  rows.features = facts().features;
  rows.dense = reinterpret_cast<const float*>(storage);
  rows.labels = rows.dense + std::size_t{block_rows()} * rows.features;
  return rows;
}

RowBlock BlockFile::view_sparse(std::uint64_t index, std::span<std::byte> storage) const {
  RowBlock rows;
  rows.rows = header_.rows_in_block(index);
  rows.features = facts().features;
  rows.offsets = reinterpret_cast<const std::uint64_t*>(storage.data());
  rows.labels = reinterpret_cast<const float*>(rows.offsets + block_rows() + 1);
  const std::uint64_t entries = rows.offsets[block_rows()];
  bool ordered = rows.offsets[0] == 0 && sparse_block_bytes(block_rows(), entries) == storage.size();
  for (std::size_t i = 0; i < block_rows(); ++i) ordered = ordered && rows.offsets[i] <= rows.offsets[i + 1];
  if (!ordered) damaged("block " + std::to_string(index) + " has rows out of order");
  rows.columns = reinterpret_cast<const std::uint32_t*>(rows.labels + block_rows());
  rows.values = reinterpret_cast<const float*>(rows.columns + entries);
  if (!columns_fit(rows.columns, entries, rows.features)) {
    damaged("block " + std::to_string(index) + " has columns beyond the declared features");
  }
  return rows;
}

void BlockFile::announce(const Place& place) const noexcept {
  ::posix_fadvise(file_.descriptor(), static_cast<off_t>(place.offset), static_cast<off_t>(place.bytes),
                  POSIX_FADV_WILLNEED);
}

void BlockFile::require_unchanged() const {
  const struct stat now = file_.status();
  if (now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec) {
    damaged("the file changed while it was in use");
  }
}

bool is_block_file(const std::string& path) noexcept {
  char start[kBlockFileMagic.size()] = {};
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  const std::size_t count = std::fread(start, 1, sizeof start, file);
  std::fclose(file);
  return std::string_view(start, count) == kBlockFileMagic;
}

}  // namespace sotto
