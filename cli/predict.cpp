#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>

#include "field_flags.h"
#include "prediction_line.h"
#include "sotto/base/out_file.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/row_encoder.h"
#include "sotto/files/open_rows.h"
#include "sotto/files/read_rows.h"
#include "sotto/files/schema_file.h"
#include "sotto/model/json.h"
#include "sotto/model/prediction.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

/// Where predictions go: a file, or standard output.
class Sheet {
 public:
  explicit Sheet(const std::string& path) {
    if (!path.empty()) file_.emplace(path);
  }
  void write(const std::string& text) {
    if (file_) return file_->write(text);
    failed_ = std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || failed_;
  }
  void finish() {
    if (file_) return file_->commit();
    failed_ = std::fflush(stdout) != 0 || failed_;
    if (failed_) throw Error(ErrorKind::io, "standard output cannot be written", "out");
  }

 private:
  std::optional<OutFile> file_;
  bool failed_ = false;
};

/// Encodes the rows of a piece, scores them and words their lines.
class PredictWork final : public RowWork {
 public:
  /// What every thread shares.
  struct Shared {
    const Model& model;
    const Encoder& encoder;
    const PredictionLine& line;
    const RowIntervals& intervals;
    Sheet& sheet;
    bool json;
  };
  PredictWork(RowEncoder encode, const Shared& shared)
      : encode_(std::move(encode)), shared_(shared), builder_(shared.encoder.facts(0)) {}

  void begin() override {
    builder_.finish();
    usable_.clear();
    text_.clear();
  }
  void take(const RawRow& raw) override {
    encode_.encode(raw, row_);
    row_.send(builder_);
    usable_.push_back(row_.usable);
    if (usable_.size() == kChunkRows) word();
  }
  void end() override { word(); }
  void deliver(std::uint64_t) override { shared_.sheet.write(text_); }
  bool full() const override { return text_.size() >= kMostText; }

 private:
  static constexpr std::size_t kChunkRows = 1024;
  static constexpr std::size_t kMostText = std::size_t{16} << 20;

  void word() {
    const auto& [model, encoder, line, intervals, sheet, json] = shared_;
    const Dataset rows = builder_.finish();
    scores(model, rows.view(), scores_);
    for (std::size_t i = 0; i < usable_.size(); ++i) {
      if (!usable_[i]) {
        text_ += json ? line.json_without() : line.csv_without();
        continue;
      }
      const std::span<const double> row_scores(scores_.data() + i * line.outputs(), line.outputs());
      const Interval margin = intervals.of(rows.view(), i, row_scores[0]);
      text_ += json ? line.json(row_scores, margin) : line.csv(row_scores, margin);
    }
    usable_.clear();
  }

  RowEncoder encode_;
  const Shared& shared_;
  DatasetBuilder builder_;
  EncodedRow row_;
  std::vector<bool> usable_;
  std::vector<double> scores_;
  std::string text_;
};

struct PredictVerb {
  std::string model;
  std::string data;
  std::string out;
  bool probabilities = false;
  double level = 0;
  unsigned threads = 0;

  void run(const Output& output) const {
    const Model loaded = load_model(model);
    const Encoder encoder(schema_for_other_rows(loaded.encoding));
    const auto reader = open_rows(data, encoder.schema(), ReadMode::lenient, LabelUse::ignored);
    const RowEncoder encode(encoder, *reader, LabelUse::ignored);
    const PredictionLine line(loaded, probabilities, level > 0);
    const RowIntervals intervals(loaded, level);
    if (out.empty() && isatty(STDOUT_FILENO) == 1) output.end_progress();
    Sheet sheet(out);
    if (!output.json) sheet.write(line.header());
    const PredictWork::Shared shared{loaded, encoder, line, intervals, sheet, output.json};
    read_rows(*reader, threads, [&] { return std::make_unique<PredictWork>(encode, shared); });
    sheet.finish();
  }
};

}  // namespace

void add_predict(CLI::App& program, Output& output) {
  CLI::App* verb =
      add_verb(program, output, "predict",
               "predict from raw columns; one line a row (with --json one object a line), without a prediction where a "
               "number is missing");
  auto state = std::make_shared<PredictVerb>();
  verb->add_option("--model", state->model, "the model")->required()->type_name("FILE");
  verb->add_option("--data", state->data, "rows in the columns the model was trained on; labels are not needed")
      ->required()
      ->type_name("FILE");
  verb->add_option("--out", state->out, "where the predictions are written; standard output if not given")
      ->type_name("FILE");
  verb->add_flag("--probabilities", state->probabilities,
                 "the probability of each class: sigmoid of the margin times the model's link (logistic, two classes), "
                 "share of exp(score) (softmax), "
                 "sigmoids divided by their sum (logistic, more classes)");
  add_number(*verb, "--intervals", state->level,
             "confidence intervals of margin and probability at this level, e.g. 0.95, for a model trained with "
             "--intervals")
      ->type_name("LEVEL");
  add_threads(*verb);
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
