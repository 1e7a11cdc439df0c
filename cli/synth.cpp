#include "sotto/data/synth.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>

#include "field_flags.h"
#include "sotto/base/out_file.h"
#include "sotto/data/encoder.h"
#include "sotto/data/people.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/block_file/append.h"
#include "sotto/files/complete.h"
#include "sotto/files/row_writer.h"
#include "sotto/model/json.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

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

/// A block file of unit rows, in the order in which they are drawn: independent draws need no shuffle, and one pass in the
/// memory of a block is enough. Its schema is that of the same rows as text.
class BlockSink final : public RowSink {
 public:
  BlockSink(std::string path, std::uint32_t features, std::uint32_t classes)
      : path_(std::move(path)), features_(features), classes_(classes) {}
  void add_dense(std::span<const float> row, float label) override {
    if (!file_) open(false);
    file_->add_dense(row, label);
  }
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override {
    if (!file_) open(true);
    file_->add_sparse(columns, values, label);
  }
  void finish() { file_->finish(); }

 private:
  void open(bool sparse) {
    Schema schema;
    schema.data_norm = 1;
    schema.intercept = 0;  // the rows are drawn as they are stored
    schema.storage = sparse ? Storage::sparse : Storage::dense;
    for (std::uint32_t k = 0; classes_ > 2 && k < classes_; ++k) schema.label.classes.push_back(std::to_string(k));
    std::vector<std::string> columns;
    if (sparse) {
      schema.format = FileFormat::libsvm;
      schema.features = features_;
    } else {
      schema.format = FileFormat::csv;
      schema.label.column = "y";
      for (std::uint32_t i = 1; i <= features_; ++i) columns.push_back("x" + std::to_string(i));
      columns.emplace_back("y");
    }
    const Encoder encoder(complete_by(path_, schema, columns));
    BlockFileHeader header;
    header.facts = encoder.facts(0);
    header.file_id = BitSource().next();
    header.metadata = to_json(encoder.schema());
    file_.emplace(path_, std::move(header));
  }

  std::string path_;
  std::uint32_t features_;
  std::uint32_t classes_;
  std::optional<BlockAppender> file_;
};

/// One generator of synthetic rows; its flags are its fields.
template <class Data>
struct SynthVerb {
  explicit SynthVerb(CLI::App& app) : fields(app, "Options") {
    fields.template add_struct<Data>();
    app.add_option("--out", out, "CSV file; LIBSVM if the name ends in .libsvm, a block file if it ends in .sotto")
        ->required()
        ->type_name("FILE");
    add_count(app, "--seed", seed, "draw the same rows again");
  }
  void run(const Output& output) const {
    Data data;
    std::set<std::string> used;
    apply_fields(data, fields.given(), used);
    BitSource bits = seed ? BitSource(ReproducibleSeed{*seed}) : BitSource();
    if (out.ends_with(".sotto")) {
      write(data, bits, output, BlockSink(out, data.features, classes_of(data)));
    } else if (out.ends_with(".libsvm")) {
      write(data, bits, output, LibsvmWriter(out));
    } else {
      write(data, bits, output, CsvWriter(out, data.features));
    }
    const Json json{{"out", out}, {"rows", data.rows}, {"features", data.features}, {"kind", Data::kName}};
    output.print(output.json ? json.dump(2)
                             : fmt::format("{} rows of {} features written to {}", data.rows, data.features, out));
  }
  template <class Writer>
  static void write(const Data& data, BitSource& bits, const Output& output, Writer&& writer) {
    CountedSink counted(writer, [&](std::uint64_t rows) {
      output.progress("drawing", static_cast<double>(rows) / static_cast<double>(data.rows));
    });
    draw(data, bits, counted);
    writer.finish();
  }
  static std::uint32_t classes_of(const Data& data) {
    if constexpr (requires { data.classes; }) return data.classes;
    return 2;
  }
  static void draw(const SphereData& data, BitSource& bits, RowSink& sink) { synth_sphere(data, bits, sink); }
  static void draw(const LargeData& data, BitSource& bits, RowSink& sink) { synth_large(data, bits, sink); }

  FieldFlags fields;
  std::string out;
  std::optional<std::uint64_t> seed;
};

/// A table as people keep them: text, in CSV alone.
struct PeopleVerb {
  explicit PeopleVerb(CLI::App& app) : fields(app, "Options") {
    fields.add_struct<PeopleData>();
    app.add_option("--out", out, "CSV file")->required()->type_name("FILE");
    add_count(app, "--seed", seed, "draw the same rows again");
  }
  void run(const Output& output) const {
    PeopleData data;
    std::set<std::string> used;
    apply_fields(data, fields.given(), used);
    BitSource bits = seed ? BitSource(ReproducibleSeed{*seed}) : BitSource();
    OutFile file(out);
    synth_people(data, bits, [&](std::string_view line) {
      file.write(line);
      file.write("\n");
    });
    file.commit();
    const Json json{{"out", out}, {"rows", data.rows}, {"kind", PeopleData::kName}};
    output.print(output.json ? json.dump(2) : fmt::format("{} rows written to {}", data.rows, out));
  }

  FieldFlags fields;
  std::string out;
  std::optional<std::uint64_t> seed;
};

}  // namespace

void add_synth(CLI::App& data, Output& output) {
  CLI::App* synth = data.add_subcommand("synth", "generate synthetic data");
  synth->require_subcommand(1);
  add<PeopleVerb>(*synth, output, std::string(PeopleData::kName), std::string(PeopleData::kSummary));
  add<SynthVerb<SphereData>>(*synth, output, std::string(SphereData::kName), std::string(SphereData::kSummary));
  add<SynthVerb<LargeData>>(*synth, output, std::string(LargeData::kName), std::string(LargeData::kSummary));
}

}  // namespace sotto::cli
