#pragma once
#include <string>

#include "sotto/base/out_file.h"
#include "sotto/data/row_sink.h"

namespace sotto {

/// Writes rows as text as they come, in digits that read back as the same float32. finish() must be called: the
/// file appears then (base/out_file.h).
class RowWriter : public RowSink {
 public:
  void finish();

 protected:
  explicit RowWriter(const std::string& path);
  void put(std::string_view text) { line_ += text; }
  void put(float value);
  void put(std::uint32_t value);
  void end_line();

 private:
  OutFile file_;
  std::string line_;
};

/// Columns x1 ... xd and y, the label: -1 or 1, or the number of the class.
class CsvWriter final : public RowWriter {
 public:
  CsvWriter(const std::string& path, std::uint32_t features);
  void add_dense(std::span<const float> row, float label) override;
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override;

 private:
  std::uint32_t features_;
};

/// `label index:value ...` with indices from 1; zero entries are left out.
class LibsvmWriter final : public RowWriter {
 public:
  explicit LibsvmWriter(const std::string& path) : RowWriter(path) {}
  void add_dense(std::span<const float> row, float label) override;
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override;

 private:
  void put_entry(std::uint32_t column, float value);
};

}  // namespace sotto
