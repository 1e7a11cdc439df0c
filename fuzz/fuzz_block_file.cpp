// Any bytes as a block file: opening and reading either gives rows within the declared bound or throws Error.
// Checksums are made right first when the input asks for it, so that the search gets past them.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"

namespace {

using namespace sotto;

/// Seals header, index and blocks wherever the header's own numbers say they are.
void seal(std::vector<std::byte>& bytes) {
  try {
    const std::uint64_t head = announced_header_bytes(bytes);
    if (head > bytes.size()) return;
    const auto seal_header = [&] {
      const std::uint64_t sum = checksum(std::span(bytes).first(head).subspan(16), 0);
      std::memcpy(bytes.data() + 8, &sum, 8);
    };
    seal_header();
    BlockFileHeader header = decode_header(bytes);
    if (header.file_bytes != bytes.size() || header.block_count() > 64) return;
    std::vector<std::uint64_t> places(header.block_count() + 1);
    if (header.facts.sparse) {
      std::memcpy(places.data(), bytes.data() + header.index_offset, places.size() * 8);
      const std::uint64_t sum = checksum(std::as_bytes(std::span(places)), header.file_id);
      std::memcpy(bytes.data() + 72, &sum, 8);
      seal_header();
    } else {
      const std::uint64_t size = *dense_block_bytes(header.facts.features, header.block_rows);
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = head + i * size;
    }
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      if (places[i] > places[i + 1] || places[i + 1] > bytes.size() || places[i + 1] - places[i] < 8) return;
      seal_block(std::span(bytes).subspan(places[i], places[i + 1] - places[i]), header.file_id + i);
    }
  } catch (const Error&) {
  }
}

void check(const RowBlock& rows, const Facts& facts) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t first = rows.sparse() ? rows.offsets[i] : i * rows.features;
    const std::uint64_t last = rows.sparse() ? rows.offsets[i + 1] : first + rows.features;
    double squared = 0;
    for (std::uint64_t j = first; j < last; ++j) {
      const double value = static_cast<double>((rows.sparse() ? rows.values : rows.dense)[j]);
      if (!std::isfinite(value) || (rows.sparse() && rows.columns[j] >= rows.features)) std::abort();
      squared += value * value;
    }
    if (std::sqrt(squared) > facts.data_norm * (1 + 0x1p-19)) std::abort();
    if (!is_label(rows.labels[i], facts.classes)) std::abort();
  }
}

void read_all(const BlockFile& file, BlockFile::Values values) {
  BlockStorage storage;
  storage.reserve(file.max_block_bytes());
  for (std::uint64_t i = 0; i < file.block_count(); ++i) {
    const RowBlock rows = file.read_block(file.locate(i), storage.bytes(), values).rows;
    if (values == BlockFile::Values::check) check(rows, file.facts());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::byte> bytes(size - 1);
  if (size > 1) std::memcpy(bytes.data(), data + 1, size - 1);
  // Most of a header is zeros: let the input leave them out.
  if ((data[0] & 2) != 0 && bytes.size() >= kHeaderPrefixBytes) {
    bytes.insert(bytes.begin() + kHeaderPrefixBytes, 4096 - kHeaderPrefixBytes, std::byte{0});
  }
  if ((data[0] & 1) != 0) seal(bytes);
  const int descriptor = ::memfd_create("block_file", 0);
  if (descriptor < 0 || ::write(descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  try {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    const BlockFile file(path, (data[0] & 4) != 0 ? std::numeric_limits<std::uint64_t>::max() : 0);
    read_all(file, BlockFile::Values::trust);
    read_all(file, BlockFile::Values::check);
    check(load_rows(file).view(), file.facts());
  } catch (const Error&) {
  }
  ::close(descriptor);
  return 0;
}
