#pragma once
#include <memory>
#include <optional>

#include "sotto/data/raw_row.h"
#include "sotto/files/byte_source.h"
#include "sotto/files/structure_errors.h"

namespace sotto {

/// One IDX file (the format of MNIST): a big-endian header with the type and the dimensions, then the items.
/// The first dimension counts items; an item is flattened.
class IdxFile {
 public:
  IdxFile(std::unique_ptr<ByteSource> source, ReadOptions options);
  std::uint64_t items() const noexcept { return items_; }
  std::uint32_t item_size() const noexcept { return item_size_; }
  /// True when the values are unsigned bytes: then 0 to 255 is a public range.
  bool bytes() const noexcept;
  /// False after the last item. A file that ends early or goes on too long is an error of structure.
  bool next(std::vector<double>& values);
  const StructureErrors& errors() const noexcept { return errors_; }

 private:
  void read_header();

  std::unique_ptr<ByteSource> source_;
  StructureErrors errors_;
  unsigned char type_ = 0;
  std::uint64_t items_ = 0;
  std::uint64_t items_read_ = 0;
  std::uint32_t item_size_ = 1;
  std::vector<char> raw_;
};

/// An IDX file of items beside one of labels.
class IdxReader final : public RowReader {
 public:
  /// Without `labels` (prediction) the label of every row is empty.
  IdxReader(std::unique_ptr<ByteSource> items, std::unique_ptr<ByteSource> labels, ReadOptions options = {});

  RowShape shape() const noexcept override { return RowShape::dense; }
  const std::vector<std::string>& columns() const noexcept override { return no_columns_; }
  std::uint32_t features() const noexcept override { return items_.item_size(); }
  bool next(RawRow& row) override;
  bool bytes() const noexcept { return items_.bytes(); }

 private:
  IdxFile items_;
  std::optional<IdxFile> labels_;
  std::vector<std::string> no_columns_;
  std::vector<double> values_;
  std::vector<double> label_value_;
  std::string label_;
  std::uint64_t row_ = 0;
};

}  // namespace sotto
