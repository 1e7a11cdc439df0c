#pragma once
#include <memory>
#include <vector>

#include "sotto/files/text_reader.h"

namespace sotto {

/// Rows of LIBSVM text.
class LibsvmParser final : public PieceParser {
 public:
  LibsvmParser(std::uint32_t features, StructureErrors errors) : PieceParser(std::move(errors)), features_(features) {}
  std::unique_ptr<PieceParser> copy() const override { return std::make_unique<LibsvmParser>(features_, errors()); }
  Step next(RawRow& row) override;

 private:
  std::string_view take_token() noexcept;
  void take_entry(std::string_view token);

  std::uint32_t features_;
  std::string_view rest_;
  std::vector<std::uint32_t> indices_;
  std::vector<double> values_;
};

/// LIBSVM (svmlight) text: `label index:value ...`, indices from 1 and ascending, `#` begins a comment.
/// An index above the declared number of features is an error of structure.
class LibsvmReader final : public TextReader {
 public:
  LibsvmReader(std::unique_ptr<ByteSource> source, std::uint32_t features, ReadOptions options = {});

  RowShape shape() const noexcept override { return RowShape::sparse; }
  const std::vector<std::string>& columns() const noexcept override { return no_columns_; }
  std::uint32_t features() const noexcept override { return features_; }

 private:
  LibsvmReader(std::unique_ptr<PieceParser> parser, std::unique_ptr<ByteSource> source, std::uint32_t features);

  std::uint32_t features_;
  std::vector<std::string> no_columns_;
};

}  // namespace sotto
