#include <fmt/format.h>

#include <memory>

#include "check.h"
#include "data_flags.h"
#include "personal.h"
#include "sotto/base/free_memory.h"
#include "sotto/data/encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/pack.h"
#include "sotto/files/complete.h"
#include "sotto/files/inspect.h"
#include "sotto/files/load.h"
#include "sotto/files/open_rows.h"
#include "sotto/model/json.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

constexpr const char* kNotForRelease = "NOT FOR RELEASE: this describes private rows, for the holder of the file only";

Json report_json(const LoadReport& report, const RowCheck& check) {
  Json json = Json::parse(check_json(check));
  if (check.classes.size() == 2) {
    json["positive"] = check.tally.classes[1];
    json["negative"] = check.tally.classes[0];
  }
  json["first_problems"] = Json::array();
  for (const Finding& finding : report.first_problems) {
    json["first_problems"].push_back(
        Json{{"line", finding.line}, {"column", finding.cell.column}, {"problem", name_of(finding.cell.kind)}});
  }
  return json;
}

std::string report_text(const std::string& path, const LoadReport& report, const RowCheck& check) {
  std::string text = check_text(check) + "\n";
  if (!report.first_problems.empty()) text += "first places\n";
  for (const Finding& finding : report.first_problems) {
    text += fmt::format("  {}:{}:{}: {}\n", path, finding.line, finding.cell.column, name_of(finding.cell.kind));
  }
  return text;
}

struct PackVerb {
  explicit PackVerb(CLI::App& app) : schema(app), personal(app), check(app) {
    add_threads(app);
    app.add_option("--data", data, "file to pack")->required()->type_name("FILE");
    app.add_option("--out", out, "the block file")->required()->type_name("FILE");
    add_count(app, "--memory-mb", options.memory_mb, "memory of the external shuffle; 0: automatic")
        ->capture_default_str();
  }
  void run(const Output& output) const {
    const Encoder encoder(complete_for(data, schema.schema(data)));
    BitSource bits;
    const BlockFileSpec spec{encoder.features(),        encoder.data_norm(), encoder.sparse(),
                             to_json(encoder.schema()), encoder.classes(),   Digest{}};
    BlockFileWriter writer(out, spec, bits, options);
    std::optional<PersonalEpsilons> epsilons = personal.read(data, encoder.schema(), {});
    const std::string beside = epsilons ? out + ".epsilons" : "";
    if (epsilons) {
      check_epsilons_place(beside);
      writer.mark(epsilons->level_of);
    }
    const auto [report, fingerprint] = load_fingerprinted(data, encoder, ReadMode::strict, writer);
    const RowCheck found = check_of(encoder, report.tally);
    if (check.wanted()) require_packed(output, report, found);
    writer.identify(fingerprint);
    const Facts facts = writer.finish([&](double fraction) { output.progress("writing", fraction); });
    if (epsilons) {
      epsilons->level_of = writer.marks();
      write_epsilons(beside, writer.file_id(), *epsilons);
    }
    if (output.json) {
      Json json{{"out", out}, {"rows", facts.rows}, {"features", facts.features}, {"sparse", facts.sparse}};
      json["check"] = report_json(report, found);
      json["remark"] = kNotForRelease;
      if (epsilons) json["personal_epsilons"] = beside;
      output.print(json.dump(2));
      return;
    }
    output.print(fmt::format("Packed {} into {}: {} rows, {} features, {}\n{}{}  {:<12} {}", data, out, facts.rows,
                             facts.features, facts.sparse ? "sparse" : "dense", report_text(data, report, found),
                             epsilons ? fmt::format("  {:<12} {}, in the order of its rows\n", "epsilons", beside) : "",
                             "remark", kNotForRelease));
  }
  /// What was found is told although nothing is packed.
  void require_packed(const Output& output, const LoadReport& report, const RowCheck& found) const {
    try {
      require_sound(found);
    } catch (const Error&) {
      if (output.json) output.check(found);
      if (!output.json) output.remark(report_text(data, report, found));
      throw;
    }
  }
  SchemaFlags schema;
  PersonalFlags personal;
  CheckFlag check;
  std::string data;
  std::string out;
  PackOptions options;
};

/// Where the bounds come from, as a word and as a sentence.
std::pair<const char*, const char*> words_about_bounds(const Schema& schema) {
  if (schema.bounds_from_data) {
    return {"assumed_from_data", "bounds were taken from the rows: a model trained on this file is NOT PRIVATE"};
  }
  if (schema.bounds_cost) return {"found_privately", "bounds were found privately; a model's card counts their cost"};
  return {"declared", "bounds were declared"};
}

/// Does nothing with rows but tell how many have passed.
class RowCounter final : public RowConsumer {
 public:
  RowCounter(std::uint64_t all, const Output& output) : all_(all), output_(output) {}
  void consume(const RowBlock& block) noexcept override {
    rows_ += block.rows;
    output_.progress("reading", static_cast<double>(rows_) / static_cast<double>(all_));
  }

 private:
  std::uint64_t all_;
  std::uint64_t rows_ = 0;
  const Output& output_;
};

struct InfoVerb {
  explicit InfoVerb(CLI::App& app) : schema(app) {
    add_threads(app);
    app.add_option("--data", data, "file to look at: text or block file")->required()->type_name("FILE");
  }
  void run(const Output& output) const {
    if (is_block_file(data)) {
      output.print(block_file_info(output));
      return;
    }
    const Schema declared = schema.schema(data);
    const InspectReport report = inspect(data, declared);
    output.print(output.json ? as_json(report).dump(2) : as_text(report));
  }

  /// Reads every block, which verifies its checksum, and keeps none.
  std::string block_file_info(const Output& output) const {
    OutOfCoreEngine engine(data, {.memory_mb = kMinMemoryMb, .map_file = false});
    const BlockFile& file = engine.file();
    const Facts& facts = file.facts();
    RowCounter counter(facts.rows, output);
    engine.scan({.kind = ScanOrder::Kind::stored, .block_rows = file.block_rows()}, 0, counter);
    const auto [bounds, bounds_words] = words_about_bounds(schema_from_json(file.metadata()));
    Json json{{"rows", facts.rows},
              {"features", facts.features},
              {"data_norm", facts.data_norm},
              {"sparse", facts.sparse},
              {"classes", facts.classes},
              {"block_rows", file.block_rows()},
              {"blocks", file.block_count()},
              {"bytes", file.file_bytes()},
              {"checksums", "all blocks verified"},
              {"bounds", bounds},
              {"schema", Json::parse(file.metadata())}};
    if (output.json) return json.dump(2);
    return fmt::format(
        "Block file {}\n  {} rows, {} features, {} classes, data_norm {:g}, {}\n  {} blocks of {} rows, {} bytes, all "
        "checksums right\n  {}",
        data, facts.rows, facts.features, facts.classes, facts.data_norm, facts.sparse ? "sparse" : "dense",
        file.block_count(), file.block_rows(), file.file_bytes(), bounds_words);
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
  static Json as_json(const InspectReport& report) {
    Json json{{"rows", report.profile.rows}, {"features", report.profile.features}, {"undeclared", report.undeclared}};
    json["columns"] = Json::array();
    for (const ColumnProfile& column : report.profile.columns) json["columns"].push_back(column_json(column));
    json["label"] = column_json(report.profile.label);
    if (report.check) json["check"] = report_json(report.checked, *report.check);
    json["remark"] = kNotForRelease;
    return json;
  }
  std::string as_text(const InspectReport& report) const {
    std::string text = fmt::format("{}: {} rows\n", data, report.profile.rows);
    for (const ColumnProfile& c : report.profile.columns) {
      text += fmt::format("  {:<24} {} numbers from {:g} to {:g}, {} empty, {} others, {} distinct\n", c.name,
                          c.numbers, c.min, c.max, c.empty, c.others,
                          c.too_many_distinct ? "many" : std::to_string(c.distinct.size()));
    }
    if (!report.undeclared.empty()) text += fmt::format("  {:<12} {}\n", "undeclared", report.undeclared);
    if (report.check) text += report_text(data, report.checked, *report.check);
    return text + fmt::format("  {:<12} {}", "remark", kNotForRelease);
  }
  SchemaFlags schema;
  std::string data;
};

}  // namespace

void add_data(CLI::App& program, Output& output) {
  CLI::App* data = program.add_subcommand("data", "fetch, make, pack and look at data files");
  data->require_subcommand(1);
  add<PackVerb>(*data, output, "pack",
                "pack a file into a shuffled, checksummed block file; reports problems strictly");
  add<InfoVerb>(*data, output, "info", "what a file holds and what must be declared; not for release");
  add_draft(*data, output);
  add_bounds(*data, output);
  add_get(*data, output);
  add_synth(*data, output);
}

}  // namespace sotto::cli
