#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "sotto/files/block_file/pack.h"
#include "sotto/random/samplers.h"

/// Rows to pack, a place to pack them, and files to damage.
namespace sotto::testing_support {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

/// One row in full: every feature of a dense row, columns and values of a sparse one.
struct Row {
  float label = 1;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  auto operator<=>(const Row&) const = default;
};

inline std::vector<Row> make_rows(std::size_t count, std::uint32_t features, bool sparse, std::uint64_t seed = 1) {
  BitSource bits(ReproducibleSeed{seed});
  std::vector<Row> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    Row& row = rows[i];
    row.label = bits.next() % 2 == 0 ? 1.0F : -1.0F;
    for (std::uint32_t j = 0; j < features; ++j) {
      if (sparse && bits.next() % 4 != 0) continue;
      if (sparse) row.columns.push_back(j);
      row.values.push_back(static_cast<float>((draw_uniform(bits) - 0.5) / std::sqrt(static_cast<double>(features))));
    }
  }
  return rows;
}

inline void add_rows(const std::vector<Row>& rows, bool sparse, RowSink& sink) {
  for (const Row& row : rows) {
    if (sparse) {
      sink.add_sparse(row.columns, row.values, row.label);
    } else {
      sink.add_dense(row.values, row.label);
    }
  }
}

inline Facts pack_rows(const std::string& path, const std::vector<Row>& rows, const BlockFileSpec& spec) {
  BitSource bits(ReproducibleSeed{99});
  BlockFileWriter writer(path, spec, bits, {.memory_mb = 8});
  add_rows(rows, spec.sparse, writer);
  return writer.finish();
}
inline Facts pack_rows(const std::string& path, const std::vector<Row>& rows, std::uint32_t features, bool sparse) {
  return pack_rows(
      path, rows,
      {.features = features, .data_norm = 1.0, .sparse = sparse, .metadata = R"({"label":"y","bounds":"declared"})"});
}

/// The rows of a block, one by one.
inline void collect(const RowBlock& block, std::vector<Row>& into) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    Row row;
    row.label = block.labels[i];
    if (block.sparse()) {
      row.columns.assign(block.columns + block.offsets[i], block.columns + block.offsets[i + 1]);
      row.values.assign(block.values + block.offsets[i], block.values + block.offsets[i + 1]);
    } else {
      row.values.assign(block.dense + i * block.features, block.dense + (i + 1) * block.features);
    }
    into.push_back(std::move(row));
  }
}

inline std::vector<Row> stored_rows(const std::string& path) {
  std::vector<Row> rows;
  collect(load_rows(BlockFile(path)).view(), rows);
  return rows;
}

inline std::vector<Row> sorted(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

inline std::vector<std::byte> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace sotto::testing_support
