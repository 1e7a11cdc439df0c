#include "sotto/files/row_writer.h"

#include <array>
#include <charconv>

#include "sotto/base/error.h"

namespace sotto {
namespace {

/// Labels are whole numbers: -1 and 1, or 0 to classes - 1.
std::string label_text(float label) { return std::to_string(static_cast<int>(label)); }

}  // namespace

RowWriter::RowWriter(const std::string& path) : file_(path) {}

void RowWriter::put(float value) {
  std::array<char, 32> text{};
  line_.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

void RowWriter::put(std::uint32_t value) {
  std::array<char, 16> text{};
  line_.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

void RowWriter::end_line() {
  line_ += '\n';
  file_.write(line_);
  line_.clear();
}

void RowWriter::finish() { file_.commit(); }

CsvWriter::CsvWriter(const std::string& path, std::uint32_t features) : RowWriter(path), features_(features) {
  for (std::uint32_t i = 1; i <= features; ++i) {
    put("x");
    put(i);
    put(",");
  }
  put("y");
  end_line();
}

void CsvWriter::add_dense(std::span<const float> row, float label) {
  require(row.size() == features_, "features", "a row has another number of features than the header");
  for (const float value : row) {
    put(value);
    put(",");
  }
  put(label_text(label));
  end_line();
}

void CsvWriter::add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) {
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < features_; ++i) {
    const bool here = next < columns.size() && columns[next] == i;
    put(here ? values[next++] : 0.0F);
    put(",");
  }
  require(next == columns.size(), "columns", "must ascend and be below the number of features");
  put(label_text(label));
  end_line();
}

void LibsvmWriter::put_entry(std::uint32_t column, float value) {
  if (value == 0.0F) return;
  put(" ");
  put(column + 1);
  put(":");
  put(value);
}

void LibsvmWriter::add_dense(std::span<const float> row, float label) {
  put(label_text(label));
  for (std::uint32_t i = 0; i < row.size(); ++i) put_entry(i, row[i]);
  end_line();
}

void LibsvmWriter::add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) {
  put(label_text(label));
  for (std::size_t i = 0; i < columns.size(); ++i) put_entry(columns[i], values[i]);
  end_line();
}

}  // namespace sotto
