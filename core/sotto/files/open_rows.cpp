#include "sotto/files/open_rows.h"

#include <functional>
#include <utility>

#include "sotto/files/byte_source.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/idx_reader.h"
#include "sotto/files/libsvm_reader.h"
#include "sotto/files/reading.h"
#include "sotto/files/table_source.h"

namespace sotto {
namespace {

/// Opens a file, or a file and its labels, in the order of the fingerprint.
using Opener = std::function<std::unique_ptr<ByteSource>(const std::string&)>;

std::unique_ptr<RowReader> open_by_format(const std::string& path, const Schema& schema, ReadOptions options,
                                          const std::pair<Opener, LabelUse>& how) {
  const auto& [open, labels] = how;
  switch (format_of(path, schema)) {
    case FileFormat::libsvm:
      require_features(schema);
      return std::make_unique<LibsvmReader>(open(path), schema.features, options);
    case FileFormat::idx: {
      auto items = open(path);
      std::unique_ptr<ByteSource> beside;
      if (labels == LabelUse::required) beside = open(labels_path(path, schema));
      return std::make_unique<IdxReader>(std::move(items), std::move(beside), options);
    }
    default: return std::make_unique<CsvReader>(open(path), layout_of(path, schema), options);
  }
}

}  // namespace

CsvLayout layout_of(const std::string& path, const Schema& schema) {
  if (is_table(path)) return {.separator = ',', .header = HeaderLine::present};
  return {separator_of(path, schema), schema.header, schema.names, schema.skip_lines};
}

std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode, LabelUse labels) {
  return open_by_format(path, schema, {.show_lines = mode == ReadMode::strict}, {open_bytes, labels});
}

std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode,
                                     FingerprintTap& tap) {
  const Opener open = [&tap](const std::string& file) { return tap.through(open_bytes(file)); };
  return open_by_format(path, schema, {.show_lines = mode == ReadMode::strict}, {open, LabelUse::required});
}

}  // namespace sotto
