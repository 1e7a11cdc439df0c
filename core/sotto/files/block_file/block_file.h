#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/row_block.h"
#include "sotto/files/block_file/file_handle.h"
#include "sotto/files/block_file/format.h"

namespace sotto {

/// An open block file (its bytes are described in format.h).
///
/// Opening checks the whole structure: header, sizes and, when sparse, the index. Reading a block copies it into
/// memory of the caller, verifies its checksum there and only then hands out rows: a damaged block is Error{io} and
/// none of its rows is used. Files up to a limit are mapped into memory and stay mapped; larger ones are read block by
/// block, which keeps nothing of them resident, turns a failing disk into an error instead of a signal, and costs less
/// than mapping and unmapping at every window.
class BlockFile {
 public:
  /// Maps the file when it has at most `map_limit_bytes`.
  explicit BlockFile(const std::string& path, std::uint64_t map_limit_bytes = 0);
  BlockFile(BlockFile&& other) noexcept;
  BlockFile& operator=(BlockFile&&) = delete;
  ~BlockFile();

  const std::string& path() const noexcept { return file_.path(); }
  const Facts& facts() const noexcept { return header_.facts; }
  std::uint32_t block_rows() const noexcept { return header_.block_rows; }
  std::uint64_t block_count() const noexcept { return header_.block_count(); }
  /// What the maker of the file wrote about columns, encoding and labels; this class does not read it.
  const std::string& metadata() const noexcept { return header_.metadata; }
  /// Of the data the rows were made from; files of version 1 have none.
  const std::optional<Digest>& fingerprint() const noexcept { return header_.fingerprint; }
  std::uint64_t file_bytes() const noexcept { return header_.file_bytes; }
  /// Drawn anew for every file.
  std::uint64_t file_id() const noexcept { return header_.file_id; }
  /// The largest block of the file.
  std::size_t max_block_bytes() const noexcept { return max_block_bytes_; }
  /// Where a block lies.
  struct Place {
    std::uint64_t index;
    std::uint64_t offset;
    std::size_t bytes;
  };
  /// Error{io} if the index cannot be read any more.
  Place locate(std::uint64_t index) const;
  bool mapped() const noexcept { return map_ != nullptr; }

  /// Which rows a block's checksum does not vouch for: one made by a writer that broke its promises.
  enum class Values {
    trust,  ///< only what memory safety needs is checked: offsets and columns
    check   ///< also that columns ascend, and every value: see Block::replaced
  };
  struct Block {
    RowBlock rows;  ///< a view into the storage given to read_block
    /// True when a row was not finite, longer than data_norm (1 + 2^-20), or had a label of no class; such a row has
    /// been made the zero row with label 1 (spec 2.1). A writer of this library makes no such row.
    bool replaced = false;
  };
  /// Reads a block into `storage`, which has at least place.bytes bytes, aligned to 8.
  Block read_block(const Place& place, std::span<std::byte> storage, Values values) const;

  /// Tells the operating system that a block will be read soon.
  void announce(const Place& place) const noexcept;
  /// Error{io} when the file has been written to or cut since it was opened.
  void require_unchanged() const;

 private:
  void read_bytes(std::uint64_t offset, std::span<std::byte> bytes) const;
  void check_index();
  [[noreturn]] void damaged(const std::string& what) const;
  RowBlock view_dense(std::uint64_t index, std::byte* storage) const noexcept;
  RowBlock view_sparse(std::uint64_t index, std::span<std::byte> storage) const;

  FileHandle file_;
  struct stat opened_ {};
  BlockFileHeader header_;
  const std::byte* map_ = nullptr;
  std::size_t max_block_bytes_ = 0;
};

/// Memory for one block, aligned as read_block wants it.
class BlockStorage {
 public:
  void reserve(std::size_t bytes) {
    if (words_.size() * 8 >= bytes) return;
    std::vector<std::uint64_t>().swap(words_);  // old and new are never held together
    words_.resize((bytes + bytes / 8 + 7) / 8);
  }
  std::span<std::byte> bytes() noexcept { return std::as_writable_bytes(std::span(words_)); }

 private:
  std::vector<std::uint64_t> words_;
};

/// True if the file begins like a block file; false for anything else, also for one that cannot be read.
bool is_block_file(const std::string& path) noexcept;

}  // namespace sotto
