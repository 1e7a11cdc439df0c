#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "capi/encode.h"

namespace sotto::capi {

/// Rows that come one by one in whatever order their host has them, encoded and kept in memory in blocks as a packed
/// copy has them. Before anything is made of them they are shuffled: every order is equally likely, so the order they
/// came in, which a value may have decided, has no effect on what follows (spec 3.7).
class CollectedRows {
 public:
  CollectedRows(const std::string& schema, std::vector<std::string> columns);

  void reserve(std::uint64_t rows);
  void add_cells(std::span<const sotto_cell> cells);
  void add_values(std::span<const double> values, const sotto_cell& label);
  std::size_t column_count() const noexcept { return encoder_.column_count(); }
  std::uint32_t values() const noexcept { return encoder_.values(); }

  /// The rows in a new random order, for as long as this lives and nothing is added. `poll` is asked on the way.
  sotto_rows shuffled(int (*poll)(void*), void* context);

 private:
  float* label_at(std::uint64_t row) noexcept;
  float* row_at(std::uint64_t row) noexcept;
  void prefetch(std::uint64_t row) noexcept;
  std::uint64_t add_place();
  static int read(void* self, std::uint64_t block, const float** bytes);
  static int all(void* self, float** bytes);
  static int ask(void* self);

  TableEncoder encoder_;
  std::size_t features_;
  std::uint32_t block_rows_;
  std::vector<float> blocks_;
  std::uint64_t rows_ = 0;
  std::string fingerprint_;
  std::string sum_;
  int (*poll_)(void*) = nullptr;
  void* poll_context_ = nullptr;
};

}  // namespace sotto::capi

struct sotto_collected {
  sotto::capi::CollectedRows rows;
};
