#include <fmt/format.h>

#include <functional>
#include <memory>

#include "data_flags.h"
#include "sotto/data/block_file.h"
#include "sotto/data/inspect.h"
#include "sotto/data/load.h"
#include "sotto/data/pack.h"
#include "sotto/data/row_writer.h"
#include "sotto/data/synth.h"
#include "sotto/model/json.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

constexpr const char* kNotForRelease = "NOT FOR RELEASE: this describes private rows, for the holder of the file only";

Json report_json(const LoadReport& report, const Label& label) {
  Json json{{"rows", report.rows}};
  if (report.class_counts.size() == 2) {
    json["positive"] = report.class_counts[1];
    json["negative"] = report.class_counts[0];
  }
  json["classes"] = Json::object();
  const std::vector<std::string> texts = class_texts(label);
  for (std::size_t k = 0; k < report.class_counts.size(); ++k) json["classes"][texts[k]] = report.class_counts[k];
  json["zero_rows"] = report.zero_rows;
  json["problems"] = Json::object();
  for (const auto& [kind, count] : report.problem_counts) json["problems"][std::string(name_of(kind))] = count;
  json["first_problems"] = Json::array();
  for (const Finding& finding : report.first_problems) {
    json["first_problems"].push_back(
        Json{{"line", finding.line}, {"column", finding.cell.column}, {"problem", name_of(finding.cell.kind)}});
  }
  return json;
}

std::string report_text(const std::string& path, const LoadReport& report, const Label& label) {
  const std::vector<std::uint64_t>& counts = report.class_counts;
  std::string classes = counts.size() == 2 ? fmt::format("{} positive, {} negative, ", counts[1], counts[0]) : "";
  const std::vector<std::string> texts = class_texts(label);
  for (std::size_t k = 0; counts.size() > 2 && k < counts.size(); ++k) {
    classes += fmt::format("{} of class {}, ", counts[k], texts[k]);
  }
  std::string text =
      fmt::format("  {:<12} {} ({}{} become the zero row)\n", "rows", report.rows, classes, report.zero_rows);
  for (const auto& [kind, count] : report.problem_counts) {
    if (count > 0) text += fmt::format("  {:<12} {}: {}\n", "problem", name_of(kind), count);
  }
  for (const Finding& finding : report.first_problems) {
    text += fmt::format("    {}:{}:{}: {}\n", path, finding.line, finding.cell.column, name_of(finding.cell.kind));
  }
  return text;
}

struct PackVerb {
  explicit PackVerb(CLI::App& app) : schema(app) {
    app.add_option("--data", data, "file to pack")->required()->type_name("FILE");
    app.add_option("--out", out, "the block file")->required()->type_name("FILE");
    add_count(app, "--memory-mb", options.memory_mb, "memory of the external shuffle")->capture_default_str();
  }
  void run(const Output& output) const {
    const Encoder encoder(complete_for(data, schema.schema(data)));
    BitSource bits;
    const BlockFileSpec spec{encoder.features(),        encoder.data_norm(), encoder.sparse(),
                             to_json(encoder.schema()), encoder.classes(),   Digest{}};
    BlockFileWriter writer(out, spec, bits, options);
    const auto [report, fingerprint] = load_fingerprinted(data, encoder, ReadMode::strict, writer);
    writer.identify(fingerprint);
    const Facts facts = writer.finish([&](double fraction) { output.progress("writing", fraction); });
    if (output.json) {
      Json json{{"out", out}, {"rows", facts.rows}, {"features", facts.features}, {"sparse", facts.sparse}};
      json["check"] = report_json(report, encoder.schema().label);
      json["remark"] = kNotForRelease;
      output.print(json.dump(2));
      return;
    }
    output.print(fmt::format("Packed {} into {}: {} rows, {} features, {}\n{}  {:<12} {}", data, out, facts.rows,
                             facts.features, facts.sparse ? "sparse" : "dense",
                             report_text(data, report, encoder.schema().label), "remark", kNotForRelease));
  }
  SchemaFlags schema;
  std::string data;
  std::string out;
  PackOptions options;
};

struct InfoVerb {
  explicit InfoVerb(CLI::App& app) : schema(app) {
    app.add_option("--data", data, "file to look at: text or block file")->required()->type_name("FILE");
  }
  void run(const Output& output) const {
    if (is_block_file(data)) {
      output.print(block_file_info(output.json));
      return;
    }
    const Schema declared = schema.schema(data);
    const InspectReport report = inspect(data, declared);
    output.print(output.json ? as_json(report, declared.label).dump(2) : as_text(report, declared.label));
  }

  std::string block_file_info(bool as_json_text) const {
    const BlockFile file(data);
    load_rows(file);  // verifies every block
    const Facts& facts = file.facts();
    Json json{{"rows", facts.rows},
              {"features", facts.features},
              {"data_norm", facts.data_norm},
              {"sparse", facts.sparse},
              {"classes", facts.classes},
              {"block_rows", file.block_rows()},
              {"blocks", file.block_count()},
              {"bytes", file.file_bytes()},
              {"checksums", "all blocks verified"},
              {"schema", Json::parse(file.metadata())}};
    if (as_json_text) return json.dump(2);
    return fmt::format(
        "Block file {}\n  {} rows, {} features, {} classes, data_norm {:g}, {}\n  {} blocks of {} rows, {} bytes, all "
        "checksums right",
        data, facts.rows, facts.features, facts.classes, facts.data_norm, facts.sparse ? "sparse" : "dense",
        file.block_count(), file.block_rows(), file.file_bytes());
  }

  static Json column_json(const ColumnProfile& column) {
    return Json{{"name", column.name},
                {"numbers", column.numbers},
                {"empty", column.empty},
                {"others", column.others},
                {"min", column.min},
                {"max", column.max},
                {"distinct", column.too_many_distinct ? Json(nullptr) : Json(column.distinct.size())}};
  }
  static Json as_json(const InspectReport& report, const Label& label) {
    Json json{{"rows", report.profile.rows}, {"features", report.profile.features}, {"undeclared", report.undeclared}};
    json["columns"] = Json::array();
    for (const ColumnProfile& column : report.profile.columns) json["columns"].push_back(column_json(column));
    json["label"] = column_json(report.profile.label);
    json["check"] = report_json(report.checked, label);
    json["remark"] = kNotForRelease;
    return json;
  }
  std::string as_text(const InspectReport& report, const Label& label) const {
    std::string text = fmt::format("{}: {} rows\n", data, report.profile.rows);
    for (const ColumnProfile& c : report.profile.columns) {
      text += fmt::format("  {:<24} {} numbers from {:g} to {:g}, {} empty, {} others, {} distinct\n", c.name,
                          c.numbers, c.min, c.max, c.empty, c.others,
                          c.too_many_distinct ? "many" : std::to_string(c.distinct.size()));
    }
    if (!report.undeclared.empty()) text += fmt::format("  {:<12} {}\n", "undeclared", report.undeclared);
    if (report.undeclared.empty()) text += report_text(data, report.checked, label);
    return text + fmt::format("  {:<12} {}", "remark", kNotForRelease);
  }
  SchemaFlags schema;
  std::string data;
};

/// Tells how many rows have passed through, now and then.
class CountedSink final : public RowSink {
 public:
  using Tell = std::function<void(std::uint64_t rows)>;
  CountedSink(RowSink& to, Tell tell) : to_(to), tell_(std::move(tell)) {}
  void add_dense(std::span<const float> row, float label) override {
    to_.add_dense(row, label);
    count();
  }
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override {
    to_.add_sparse(columns, values, label);
    count();
  }

 private:
  void count() {
    constexpr std::uint64_t kRowsAReport = 1024;
    if (++rows_ % kRowsAReport == 0) tell_(rows_);
  }
  RowSink& to_;
  Tell tell_;
  std::uint64_t rows_ = 0;
};

/// One generator of synthetic rows; its flags are its fields.
template <class Data>
struct SynthVerb {
  explicit SynthVerb(CLI::App& app) : fields(app, "Options") {
    fields.template add_struct<Data>();
    app.add_option("--out", out, "CSV file, or LIBSVM if the name ends in .libsvm")->required()->type_name("FILE");
    add_count(app, "--seed", seed, "draw the same rows again");
  }
  void run(const Output& output) const {
    Data data;
    std::set<std::string> used;
    apply_fields(data, fields.given(), used);
    BitSource bits = seed ? BitSource(ReproducibleSeed{*seed}) : BitSource();
    const bool libsvm = out.ends_with(".libsvm");
    std::unique_ptr<RowWriter> writer;
    if (libsvm) {
      writer = std::make_unique<LibsvmWriter>(out);
    } else {
      writer = std::make_unique<CsvWriter>(out, data.features);
    }
    CountedSink counted(*writer, [&](std::uint64_t rows) {
      output.progress("drawing", static_cast<double>(rows) / static_cast<double>(data.rows));
    });
    draw(data, bits, counted);
    writer->finish();
    const Json json{{"out", out}, {"rows", data.rows}, {"features", data.features}, {"kind", Data::kName}};
    output.print(output.json ? json.dump(2)
                             : fmt::format("{} rows of {} features written to {}", data.rows, data.features, out));
  }
  static void draw(const SphereData& data, BitSource& bits, RowSink& sink) { synth_sphere(data, bits, sink); }
  static void draw(const LargeData& data, BitSource& bits, RowSink& sink) { synth_large(data, bits, sink); }

  FieldFlags fields;
  std::string out;
  std::optional<std::uint64_t> seed;
};

}  // namespace

void add_data(CLI::App& program, Output& output) {
  CLI::App* data = program.add_subcommand("data", "fetch, make, pack and look at data files");
  data->require_subcommand(1);
  add<PackVerb>(*data, output, "pack",
                "pack a file into a shuffled, checksummed block file; reports problems strictly");
  add<InfoVerb>(*data, output, "info", "what a file holds and what must be declared; not for release");
  add_bounds(*data, output);
  add_get(*data, output);
  CLI::App* synth = data->add_subcommand("synth", "generate synthetic data");
  synth->require_subcommand(1);
  add<SynthVerb<SphereData>>(*synth, output, std::string(SphereData::kName), std::string(SphereData::kSummary));
  add<SynthVerb<LargeData>>(*synth, output, std::string(LargeData::kName), std::string(LargeData::kSummary));
}

}  // namespace sotto::cli
