#include "sotto/files/column_counts.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/data/encoder.h"
#include "sotto/data/number.h"
#include "sotto/files/load.h"
#include "sotto/files/open_rows.h"

namespace sotto {
namespace {

/// Adds the norm of each row.
class NormSink final : public RowSink {
 public:
  void add_dense(std::span<const float> row, float) override { add(row); }
  void add_sparse(std::span<const std::uint32_t>, std::span<const float> values, float) override { add(values); }
  BoundCounts counts{size_grid()};

 private:
  void add(std::span<const float> values) {
    double sum = 0;
    for (const float v : values) sum += static_cast<double>(v) * static_cast<double>(v);
    counts.add(std::sqrt(sum));
  }
};

/// Where a reader has the open columns.
std::vector<std::size_t> positions_of(std::span<const OpenColumn> open, const RowReader& reader) {
  const std::vector<std::string>& names = reader.columns();
  std::vector<std::size_t> positions;
  for (const OpenColumn& column : open) {
    const auto found = std::ranges::find(names, column.name);
    // The name is not shown: a file that changed meanwhile may have had another one from a row.
    if (found == names.end()) throw Error(ErrorKind::invalid_data, "data: a column of the plan is not there", "data");
    positions.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return positions;
}

}  // namespace

ColumnCounts count_columns(const std::string& path, const Schema& schema, std::span<const OpenColumn> open) {
  ColumnCounts counts;
  std::vector<std::map<std::string, std::uint64_t>> texts;
  for (const OpenColumn& column : open) {
    if (column.text) {
      texts.emplace_back();
    } else {
      counts.sizes.emplace_back(size_grid());
    }
  }
  FingerprintTap tap;
  const auto reader = open_rows(path, schema, ReadMode::lenient, tap);
  const std::vector<std::size_t> positions = positions_of(open, *reader);
  RawRow row;
  while (reader->next(row)) {
    ++counts.reading.rows;
    auto size = counts.sizes.begin();
    auto text = texts.begin();
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::string_view cell = row.cells[positions[i]];
      if (!open[i].text) {
        (size++)->add(std::fabs(parse_number(cell)));
      } else {
        if (may_be_category(cell)) ++(*text)[std::string(cell)];
        ++text;
      }
    }
  }
  counts.reading.fingerprint = tap.finish();
  for (auto& each : texts) counts.texts.emplace_back(std::move(each));
  return counts;
}

FileReading count_numbers(const std::string& path, const Schema& schema, std::span<const OpenColumn> open,
                          std::span<BoundCounts> counts) {
  FingerprintTap tap;
  const auto reader = open_rows(path, schema, ReadMode::lenient, tap);
  const std::vector<std::size_t> positions = positions_of(open, *reader);
  RawRow row;
  FileReading reading;
  while (reader->next(row)) {
    ++reading.rows;
    auto next = counts.begin();
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!open[i].text) (next++)->add(parse_number(row.cells[positions[i]]));
    }
  }
  reading.fingerprint = tap.finish();
  return reading;
}

NormCounts count_norms(const std::string& path, Schema complete) {
  complete.data_norm = kMaxDataNorm;
  const Encoder encoder(std::move(complete));
  NormSink norms;
  const Fingerprinted<LoadReport> report = load_fingerprinted(path, encoder, ReadMode::lenient, norms);
  return {std::move(norms.counts), {report.value.rows, report.fingerprint}, encoder.largest_norm()};
}

}  // namespace sotto
