#include "sotto/data/synth.h"

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "field_flags.h"
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

void add_synth(CLI::App& data, Output& output) {
  CLI::App* synth = data.add_subcommand("synth", "generate synthetic data");
  synth->require_subcommand(1);
  add<SynthVerb<SphereData>>(*synth, output, std::string(SphereData::kName), std::string(SphereData::kSummary));
  add<SynthVerb<LargeData>>(*synth, output, std::string(LargeData::kName), std::string(LargeData::kSummary));
}

}  // namespace sotto::cli
