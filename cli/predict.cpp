#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "sotto/data/dataset.h"
#include "sotto/data/load.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

/// Where predictions go: a file, or standard output.
class Sheet {
 public:
  explicit Sheet(const std::string& path) : file_(path.empty() ? stdout : std::fopen(path.c_str(), "w")), path_(path) {
    if (file_ == nullptr) throw Error(ErrorKind::io, path + ": cannot be created", "out");
  }
  ~Sheet() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  }
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;
  void write(const std::string& text) {
    failed_ = std::fwrite(text.data(), 1, text.size(), file_) != text.size() || failed_;
  }
  void finish() {
    failed_ = std::fflush(file_) != 0 || failed_;
    if (failed_) throw Error(ErrorKind::io, path_ + ": cannot be written", "out");
  }

 private:
  std::FILE* file_;
  std::string path_;
  bool failed_ = false;
};

struct PredictVerb {
  std::string model;
  std::string data;
  std::string out;
  static constexpr std::size_t kChunkRows = 1024;

  void run(const Output& output) const {
    const Model loaded = load_model(model);
    const Encoder encoder(schema_from_json(loaded.encoding));
    const auto reader = open_rows(data, encoder.schema(), ReadMode::lenient, LabelUse::ignored);
    RowEncoder encode(encoder, *reader, LabelUse::ignored);
    Sheet sheet(out);
    const bool logistic = loaded.loss == "logistic";
    if (!output.json) sheet.write(logistic ? "prediction,margin,probability\n" : "prediction,margin\n");
    const auto write_chunk = [&](const Dataset& rows) {
      std::vector<double> values;
      margins(loaded, rows.view(), values);
      for (const double margin : values) sheet.write(line(margin, logistic, output.json));
    };
    RawRow raw;
    EncodedRow row;
    DatasetBuilder builder(encoder.facts(kChunkRows));
    std::size_t held = 0;
    while (reader->next(raw)) {
      encode.encode(raw, row);
      row.send(builder);
      if (++held < kChunkRows) continue;
      write_chunk(builder.finish());
      held = 0;
    }
    if (held > 0) write_chunk(builder.finish());
    sheet.finish();
  }

  static std::string line(double margin, bool logistic, bool json) {
    const int prediction = margin > 0 ? 1 : -1;
    const double probability = 1 / (1 + std::exp(-margin));
    if (json) {
      Json object{{"prediction", prediction}, {"margin", margin}};
      if (logistic) object["probability"] = probability;
      return object.dump() + "\n";
    }
    return logistic ? fmt::format("{},{},{}\n", prediction, margin, probability)
                    : fmt::format("{},{}\n", prediction, margin);
  }
};

}  // namespace

void add_predict(CLI::App& program, Output& output) {
  CLI::App* verb =
      add_verb(program, output, "predict", "predict from raw columns; one line a row (with --json one object a line)");
  auto state = std::make_shared<PredictVerb>();
  verb->add_option("--model", state->model, "the model")->required()->type_name("FILE");
  verb->add_option("--data", state->data, "rows in the columns the model was trained on; labels are not needed")
      ->required()
      ->type_name("FILE");
  verb->add_option("--out", state->out, "where the predictions are written; standard output if not given")
      ->type_name("FILE");
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
