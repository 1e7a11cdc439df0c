#pragma once
#include <memory>

#include "sotto/data/raw_row.h"
#include "sotto/files/line_reader.h"

namespace sotto {

/// LIBSVM (svmlight) text: `label index:value ...`, indices from 1 and ascending, `#` begins a comment.
/// An index above the declared number of features is an error of structure.
class LibsvmReader final : public RowReader {
 public:
  LibsvmReader(std::unique_ptr<ByteSource> source, std::uint32_t features, ReadOptions options = {});

  RowShape shape() const noexcept override { return RowShape::sparse; }
  const std::vector<std::string>& columns() const noexcept override { return no_columns_; }
  std::uint32_t features() const noexcept override { return features_; }
  bool next(RawRow& row) override;

 private:
  std::string_view take_token() noexcept;
  void take_entry(std::string_view token);

  LineReader lines_;
  std::uint32_t features_;
  std::vector<std::string> no_columns_;
  std::string_view rest_;
  std::vector<std::uint32_t> indices_;
  std::vector<double> values_;
};

}  // namespace sotto
