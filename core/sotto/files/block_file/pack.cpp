#include "sotto/files/block_file/pack.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/free_memory.h"
#include "sotto/files/block_file/sound_rows.h"

namespace sotto {
namespace {

// A record: the label, then the values of a dense row, or the columns and the values of a sparse one; then its mark,
// if there are marks.

Facts facts_of(const BlockFileSpec& spec) noexcept {
  return {0, spec.features, spec.data_norm, spec.sparse, spec.classes};
}

BlockFileHeader start_header(const BlockFileSpec& spec, std::uint64_t file_id) {
  require(spec.features > 0, "features", "got 0, must be at least 1");
  require(spec.data_norm >= kMinDataNorm && spec.data_norm <= kMaxDataNorm, "data_norm",
          "must be between 1e-30 and 1e30");
  require(spec.classes >= 2 && spec.classes <= kMaxClasses, "classes", "must lie between 2 and 4096");
  require(
      spec.metadata.size() <= kMaxMetadataBytes, "metadata",
      "got " + std::to_string(spec.metadata.size()) + " bytes, must be at most " + std::to_string(kMaxMetadataBytes));
  BlockFileHeader header;
  header.facts = facts_of(spec);
  header.file_id = file_id;
  header.metadata = spec.metadata;
  header.fingerprint = spec.fingerprint;
  return header;
}

std::uint8_t mark_of(std::span<const std::byte> record) noexcept {
  std::uint32_t mark = 0;
  std::memcpy(&mark, record.data() + record.size() - sizeof mark, sizeof mark);
  return static_cast<std::uint8_t>(mark);
}

std::size_t shuffle_memory(const PackOptions& options) {
  return allowed_memory_bytes(options.memory_mb, PackOptions::kMostByItselfMb) - 2 * AppendBuffer::kBytes;
}

}  // namespace

BlockFileWriter::BlockFileWriter(const std::string& path, const BlockFileSpec& spec, BitSource& bits,
                                 PackOptions options)
    : spec_(spec),
      file_id_(bits.next()),
      appender_(path, start_header(spec, file_id_)),
      shuffle_(directory_of(path), shuffle_memory(options), bits) {}

void BlockFileWriter::check_row(std::span<const float> values, float label) const {
  if (row_is_sound(values.data(), values.size(), label, facts_of(spec_))) return;
  throw Error(ErrorKind::invalid_data, "row " + std::to_string(rows_ + 1) +
                                           ": must be finite, clipped to data_norm and labelled with a declared class");
}

void BlockFileWriter::mark(std::vector<std::uint8_t> marks) {
  if (rows_ > 0) throw Error(ErrorKind::internal, "rows are marked before the first is added");
  marks_ = std::move(marks);
  marked_ = true;
}

void BlockFileWriter::shuffle_record() {
  if (marked_) {
    const std::uint32_t mark = rows_ < marks_.size() ? marks_[rows_] : 0;  // that there are too few finish() tells
    const auto* bytes = reinterpret_cast<const std::byte*>(&mark);
    record_.insert(record_.end(), bytes, bytes + sizeof mark);
  }
  shuffle_.add(record_);
  ++rows_;
}

void BlockFileWriter::add_dense(std::span<const float> row, float label) {
  require(!spec_.sparse, "sparse", "got a dense row for a sparse file");
  require(row.size() == spec_.features, "features",
          "got a row of " + std::to_string(row.size()) + ", must be " + std::to_string(spec_.features));
  check_row(row, label);
  record_.resize(sizeof label + row.size_bytes());
  std::memcpy(record_.data(), &label, sizeof label);
  std::memcpy(record_.data() + sizeof label, row.data(), row.size_bytes());
  shuffle_record();
}

void BlockFileWriter::add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) {
  require(spec_.sparse, "sparse", "got a sparse row for a dense file");
  require(columns.size() == values.size(), "columns", "got a different number of columns and of values");
  require(columns_ascend(columns.data(), columns.size(), spec_.features), "columns",
          "must ascend and be below " + std::to_string(spec_.features));
  check_row(values, label);
  record_.resize(sizeof label + 2 * values.size_bytes());
  std::memcpy(record_.data(), &label, sizeof label);
  if (!values.empty()) {
    std::memcpy(record_.data() + sizeof label, columns.data(), columns.size_bytes());
    std::memcpy(record_.data() + sizeof label + columns.size_bytes(), values.data(), values.size_bytes());
  }
  shuffle_record();
}

void BlockFileWriter::hand_over(std::span<const std::byte> record) {
  float label = 0;
  std::memcpy(&label, record.data(), sizeof label);
  const std::byte* rest = record.data() + sizeof label;
  const std::size_t words = record.size() / 4 - (marked_ ? 2 : 1);
  if (!spec_.sparse) return appender_.add_dense({reinterpret_cast<const float*>(rest), words}, label);
  const auto* columns = reinterpret_cast<const std::uint32_t*>(rest);
  appender_.add_sparse({columns, words / 2}, {reinterpret_cast<const float*>(columns + words / 2), words / 2}, label);
}

void BlockFileWriter::identify(const Digest& fingerprint) { appender_.identify(fingerprint); }

Facts BlockFileWriter::finish(const std::function<void(double)>& progress) {
  constexpr std::uint64_t kRowsAReport = 4096;
  require(!marked_ || marks_.size() == rows_, "personal_epsilons",
          "are " + std::to_string(marks_.size()) + ", the data have " + std::to_string(rows_) + " rows");
  std::uint64_t written = 0;
  shuffle_.drain([&](std::span<const std::byte> record) {
    hand_over(record);
    if (marked_) marks_[written] = mark_of(record);
    if (++written % kRowsAReport == 0 && progress) progress(static_cast<double>(written) / static_cast<double>(rows_));
  });
  return appender_.finish();
}

}  // namespace sotto
