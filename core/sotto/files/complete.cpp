#include "sotto/files/complete.h"

#include <set>
#include <string_view>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/files/byte_source.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/idx_reader.h"
#include "sotto/files/open_rows.h"
#include "sotto/files/reading.h"

namespace sotto {
namespace {

void complete_values(Schema& schema) {
  require(schema.columns.empty(), "columns", "are for delimited text; use range and data_norm for this format");
  require(schema.range || schema.data_norm, "data_norm",
          "no public bounds: declare data_norm to take numbers as they are and clip rows to that norm, or a range");
  mark_complete(schema);
}

}  // namespace

Schema complete_for(const std::string& path, const Schema& schema) {
  check_schema(schema);
  const auto reader = open_rows(path, schema, ReadMode::lenient);
  Schema complete = schema;
  complete.format = format_of(path, schema);
  if (reader->shape() == RowShape::cells) return complete_schema(std::move(complete), reader->columns());
  if (const auto* idx = dynamic_cast<const IdxReader*>(reader.get())) {
    complete.features = reader->features();
    if (idx->bytes() && !complete.range) complete.range = Range{0.0, 255.0};
  }
  complete_values(complete);
  return complete;
}

Schema complete_by(const std::string& path, const Schema& schema, const std::vector<std::string>& columns) {
  check_schema(schema);
  Schema complete = schema;
  complete.format = format_of(path, schema);
  if (complete.format == FileFormat::idx) return complete_for(path, schema);
  if (complete.format == FileFormat::libsvm) {
    require_features(schema);
    complete_values(complete);
    return complete;
  }
  if (schema.names.empty()) return complete_schema(std::move(complete), columns);
  const std::set<std::string_view> distinct(schema.names.begin(), schema.names.end());
  require(distinct.size() == columns.size() && schema.names.size() == columns.size(), "names",
          "got " + std::to_string(schema.names.size()) + ", must be " + std::to_string(columns.size()) +
              " different names, one a column");
  return complete_schema(std::move(complete), schema.names);
}

std::vector<std::string> named_columns(const std::string& path, const Schema& schema) {
  if (format_of(path, schema) != FileFormat::csv) return {};
  if (!schema.names.empty()) return schema.names;
  require(schema.header != HeaderLine::absent, "names",
          "must be declared: without a header the columns are known from a row only, and none is read");
  CsvLayout layout = layout_of(path, schema);
  layout.names_only = true;
  return CsvReader(open_bytes(path), std::move(layout)).columns();
}

}  // namespace sotto
