#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sotto/data/facts.h"
#include "sotto/data/row_sink.h"
#include "sotto/files/block_file/append.h"
#include "sotto/files/block_file/pack_shuffle.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// What a block file is to say about its rows; the number of rows is counted.
struct BlockFileSpec {
  std::uint32_t features = 0;
  double data_norm = 1.0;
  bool sparse = false;
  /// Columns, encoding, label values, whether bounds came from the data: JSON, kept as it is.
  std::string metadata;
  std::uint32_t classes = 2;
  std::optional<Digest> fingerprint = {};  ///< of the data the rows are made from, if it is known
};

struct PackOptions {
  /// Memory of the shuffle and its buffers; 0: half of the free memory (base/free_memory.h), at most kMostByItselfMb, as
  /// more does not make it faster. Not counted: four times the longest row and, when sparse, two blocks.
  std::uint32_t memory_mb = 0;

  static constexpr std::uint32_t kMostByItselfMb = 256;
};

/// Packs rows into a block file: one pass over the rows as they come, in bounded memory, in a uniformly random order
/// (pack_shuffle.h) drawn from `bits`. Needs temporary space of about the size of the file in its directory (twice that
/// beyond 128 times memory_mb), given back however the process ends. The file appears under its name, complete and on
/// disk, when `finish` returns; after an error or without `finish` nothing is left. A process that is killed can leave
/// a file with ".partial-" in its name, never one under the name asked for.
class BlockFileWriter : public RowSink {
 public:
  /// Throws Error{invalid_argument} for impossible facts, Error{io} when the place cannot be written.
  BlockFileWriter(const std::string& path, const BlockFileSpec& spec, BitSource& bits, PackOptions options = {});

  /// A row has been clipped already. Throws Error{invalid_argument} for a row of the wrong shape and
  /// Error{invalid_data} for one that is not finite, longer than data_norm, or not labelled with a
  /// declared class.
  void add_dense(std::span<const float> row, float label) override;
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override;

  /// The level of every row's personal epsilon, in the order they will be added; before the first. finish() throws
  /// Error{invalid_argument} unless there are as many as rows.
  void mark(std::vector<std::uint8_t> marks);
  /// After finish(): the same in the order of the file.
  const std::vector<std::uint8_t>& marks() const noexcept { return marks_; }
  std::uint64_t file_id() const noexcept { return file_id_; }

  /// The fingerprint of what the rows were read from, where it is known only after the reading. The spec must have one
  /// that this takes the place of.
  void identify(const Digest& fingerprint);
  /// Puts the file in place and returns its facts; to be called once. `progress` hears the fraction of rows written.
  Facts finish(const std::function<void(double)>& progress = {});

 private:
  void check_row(std::span<const float> values, float label) const;
  void hand_over(std::span<const std::byte> record);
  void shuffle_record();

  BlockFileSpec spec_;
  std::uint64_t file_id_;
  BlockAppender appender_;
  ExternalShuffle shuffle_;
  std::vector<std::byte> record_;
  std::uint64_t rows_ = 0;
  std::vector<std::uint8_t> marks_;
  bool marked_ = false;
};

}  // namespace sotto
