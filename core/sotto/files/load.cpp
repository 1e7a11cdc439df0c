#include "sotto/files/load.h"

#include <functional>

#include "sotto/base/error.h"
#include "sotto/files/complete.h"
#include "sotto/files/encoded_rows.h"
#include "sotto/files/read_rows.h"
#include "sotto/files/reading.h"

namespace sotto {
namespace {

/// Encodes the rows of a piece, then hands them over.
class EncodeWork final : public RowWork {
 public:
  using Receive = std::function<void(const EncodedRows& rows, const LoadReport& report, std::uint64_t lines_before)>;
  EncodeWork(RowEncoder encode, ReadMode mode, RowTally empty, const Receive& receive)
      : encode_(std::move(encode)), mode_(mode), empty_(std::move(empty)), receive_(receive) {
    if (mode_ != ReadMode::lenient) encode_.count_into(&report_.tally);
  }

  void begin() override {
    rows_.clear();
    report_ = LoadReport{};
    if (mode_ != ReadMode::lenient) report_.tally = empty_;
  }
  void take(const RawRow& raw) override {
    encode_.encode(raw, row_);
    if (mode_ == ReadMode::strict) report_.place(raw.line, row_);
    rows_.add(row_);
    ++report_.rows;
  }
  void deliver(std::uint64_t lines_before) override { receive_(rows_, report_, lines_before); }
  bool full() const override { return rows_.full(); }

 private:
  RowEncoder encode_;
  ReadMode mode_;
  RowTally empty_;
  const Receive& receive_;
  EncodedRow row_;
  EncodedRows rows_;
  LoadReport report_;
};

void encode_rows(RowReader& reader, const Encoder& encoder, LoadOptions options, const EncodeWork::Receive& receive) {
  const RowEncoder encode(encoder, reader);
  read_rows(reader, options.threads,
            [&] { return std::make_unique<EncodeWork>(encode, options.mode, encoder.empty_tally(), receive); });
}

LoadReport load_from(RowReader& reader, const Encoder& encoder, LoadOptions options, RowSink& sink) {
  LoadReport report;
  if (options.mode != ReadMode::lenient) report.tally = encoder.empty_tally();
  encode_rows(reader, encoder, options, [&](const EncodedRows& rows, const LoadReport& part, std::uint64_t before) {
    rows.send(sink);
    report.add(part, before);
  });
  return report;
}

class CountWork final : public RowWork {
 public:
  explicit CountWork(std::uint64_t& total) : total_(total) {}
  void begin() override { rows_ = 0; }
  void take(const RawRow&) override { ++rows_; }
  void deliver(std::uint64_t) override { total_ += rows_; }

 private:
  std::uint64_t& total_;
  std::uint64_t rows_ = 0;
};

}  // namespace

Fingerprinted<CountedRows> count_rows(const std::string& path, const Schema& schema, unsigned threads) {
  FingerprintTap tap;
  const auto reader = open_rows(path, schema, ReadMode::lenient, tap);
  CountedRows counted{0, reading_of(path, schema), {}};
  if (reader->shape() == RowShape::cells) {
    for (std::size_t i = 0; i < reader->columns().size(); ++i) {
      const bool named = schema.header != HeaderLine::absent;
      counted.columns.push_back(named ? reader->columns()[i] : std::to_string(i + 1));
    }
  }
  read_rows(*reader, threads, [&] { return std::make_unique<CountWork>(counted.rows); });
  return {std::move(counted), tap.finish()};
}

void LoadReport::place(std::uint64_t line, const EncodedRow& row) {
  for (const CellProblem& cell : row.problems) {
    if (first_problems.size() == kPlacesKept) break;
    first_problems.push_back({line, cell});
  }
}

void LoadReport::add(const LoadReport& later, std::uint64_t lines_before) {
  rows += later.rows;
  tally.add(later.tally);
  for (const Finding& finding : later.first_problems) {
    if (first_problems.size() == kPlacesKept) break;
    first_problems.push_back({finding.line + lines_before, finding.cell});
  }
}

LoadReport load(const std::string& path, const Encoder& encoder, LoadOptions options, RowSink& sink) {
  const auto reader = open_rows(path, encoder.schema(), options.mode);
  return load_from(*reader, encoder, options, sink);
}

Fingerprinted<LoadReport> load_fingerprinted(const std::string& path, const Encoder& encoder, LoadOptions options,
                                             RowSink& sink) {
  FingerprintTap tap;
  const auto reader = open_rows(path, encoder.schema(), options.mode, tap);
  LoadReport report = load_from(*reader, encoder, options, sink);
  return {std::move(report), tap.finish()};
}

Dataset read_dataset(const std::string& path, const Encoder& encoder, unsigned threads) {
  DatasetBuilder builder(encoder.facts(0));
  load(path, encoder, {ReadMode::lenient, threads}, builder);
  return builder.finish();
}

UsableRows read_usable(const std::string& path, const Encoder& encoder, unsigned threads) {
  const auto reader = open_rows(path, encoder.schema(), ReadMode::lenient);
  DatasetBuilder builder(encoder.facts(0));
  std::uint64_t used = 0, unusable = 0;
  encode_rows(*reader, encoder, {ReadMode::lenient, threads},
              [&](const EncodedRows& rows, const LoadReport&, std::uint64_t) {
                const std::uint64_t sent = rows.send_usable(builder);
                used += sent;
                unusable += rows.size() - sent;
              });
  if (used == 0) {
    throw Error(ErrorKind::invalid_data,
                path + ": no row can be used: each has a cell that is no number or a label that is not declared",
                "data");
  }
  return {builder.finish(), unusable};
}

Fingerprinted<Dataset> read_fingerprinted(const std::string& path, const Encoder& encoder, unsigned threads) {
  DatasetBuilder builder(encoder.facts(0));
  const Digest fingerprint = load_fingerprinted(path, encoder, {ReadMode::lenient, threads}, builder).fingerprint;
  return {builder.finish(), fingerprint};
}

CountedDataset read_counted(const std::string& path, const Encoder& encoder) {
  DatasetBuilder builder(encoder.facts(0));
  RowTally tally = load(path, encoder, ReadMode::counted, builder).tally;
  return {builder.finish(), std::move(tally)};
}

Fingerprinted<CountedDataset> read_counted_fingerprinted(const std::string& path, const Encoder& encoder) {
  DatasetBuilder builder(encoder.facts(0));
  auto [report, fingerprint] = load_fingerprinted(path, encoder, ReadMode::counted, builder);
  return {{builder.finish(), std::move(report.tally)}, fingerprint};
}

Dataset read_dataset(const std::string& path, const Schema& schema, unsigned threads) {
  return read_dataset(path, Encoder(schema.complete ? schema : complete_for(path, schema)), threads);
}

}  // namespace sotto
