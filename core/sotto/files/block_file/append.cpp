#include "sotto/files/block_file/append.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/data/scan_order.h"

namespace sotto {
namespace {

template <class T>
std::byte* put(std::byte* at, const std::vector<T>& items) {
  if (!items.empty()) std::memcpy(at, items.data(), items.size() * sizeof(T));
  return at + items.size() * sizeof(T);
}

}  // namespace

BlockAppender::BlockAppender(const std::string& path, BlockFileHeader header)
    : header_(std::move(header)),
      target_(path, "out", OutFile::kPrivate),
      file_(FileHandle::shared(target_.descriptor(), path)),
      out_(file_, header_.data_offset()),
      index_(index_file_, 0) {
  header_.facts.rows = 0;
  header_.block_rows = block_rows_for(header_.facts.features, header_.facts.sparse);
  labels_.reserve(header_.block_rows);
  if (header_.facts.sparse) {
    index_file_ = FileHandle::open_anonymous(directory_of(path));
    offsets_.push_back(0);
    note_block_offset(out_.end());
  } else {
    block_.resize(*dense_block_bytes(header_.facts.features, header_.block_rows));
  }
}

void BlockAppender::note_block_offset(std::uint64_t offset) { index_.append(std::as_bytes(std::span(&offset, 1))); }

void BlockAppender::add_dense(std::span<const float> row, float label) {
  std::memcpy(block_.data() + pending_rows_ * row.size_bytes(), row.data(), row.size_bytes());
  labels_.push_back(label);
  ++header_.facts.rows;
  if (++pending_rows_ == header_.block_rows) close_block();
}

void BlockAppender::add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) {
  columns_.insert(columns_.end(), columns.begin(), columns.end());
  values_.insert(values_.end(), values.begin(), values.end());
  offsets_.push_back(columns_.size());
  labels_.push_back(label);
  ++header_.facts.rows;
  if (++pending_rows_ == header_.block_rows) close_block();
}

void BlockAppender::close_block() {
  const std::uint64_t index = header_.block_count() - 1;
  labels_.resize(header_.block_rows);
  if (header_.facts.sparse) {
    offsets_.resize(std::size_t{header_.block_rows} + 1, columns_.size());
    block_.assign(*sparse_block_bytes(header_.block_rows, columns_.size()), std::byte{0});
    put(put(put(put(block_.data(), offsets_), labels_), columns_), values_);
  } else {
    put(block_.data() + std::size_t{4} * header_.block_rows * header_.facts.features, labels_);
  }
  seal_block(block_, header_.file_id + index);
  out_.append(block_);
  if (header_.facts.sparse) note_block_offset(out_.end());
  std::fill(block_.begin(), block_.end(), std::byte{0});
  offsets_.resize(std::min<std::size_t>(1, offsets_.size()));
  labels_.clear();
  columns_.clear();
  values_.clear();
  pending_rows_ = 0;
}

void BlockAppender::write_index() {
  index_.flush();
  header_.index_offset = out_.end();
  header_.index_checksum = header_.file_id;
  std::vector<std::uint64_t> piece;
  const std::uint64_t entries = header_.block_count() + 1;
  for (std::uint64_t done = 0; done < entries; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(kIndexPiece, entries - done));
    index_file_.read_exactly(done * 8, std::as_writable_bytes(std::span(piece)));
    header_.index_checksum = checksum(std::as_bytes(std::span(piece)), header_.index_checksum);
    out_.append(std::as_bytes(std::span(piece)));
  }
}

void BlockAppender::identify(const Digest& fingerprint) {
  if (!header_.fingerprint) throw Error(ErrorKind::internal, "the header has no place for a fingerprint");
  header_.fingerprint = fingerprint;
}

Facts BlockAppender::finish() {
  if (header_.facts.rows == 0) throw Error(ErrorKind::invalid_data, "there is no row to write, at least 1 is needed");
  if (pending_rows_ > 0) close_block();
  if (header_.facts.sparse) write_index();
  out_.flush();
  header_.file_bytes = out_.end();
  file_.write_exactly(0, encode_header(header_));
  target_.commit();
  return header_.facts;
}

}  // namespace sotto
