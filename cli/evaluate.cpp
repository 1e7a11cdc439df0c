#include <fmt/format.h>

#include <memory>

#include "sotto/data/encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/block_file/load.h"
#include "sotto/files/load.h"
#include "sotto/files/schema_file.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "sotto/model/prediction.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

constexpr const char* kWarning =
    "computed from the rows without noise: NOT PRIVATE, not for release if the rows are private";

struct EvaluateVerb {
  std::string model;
  std::string data;
  std::string labels_file;
  bool is_public = false;

  void run(const Output& output) const {
    const Model loaded = load_model(model);
    const UsableRows read = is_block_file(data) ? packed_rows(loaded) : text_rows(loaded);
    Evaluation result = evaluate(loaded, read.rows.view());
    result.unusable = read.unusable;
    const std::vector<std::string> texts = class_texts(loaded);
    output.print(output.json ? as_json(result, texts).dump(2) : as_text(result, texts));
  }

  UsableRows text_rows(const Model& loaded) const {
    return read_usable(data, Encoder(schema_for_other_rows(loaded.encoding, labels_file)));
  }
  /// Rows that were encoded already must be encoded as the model's were.
  UsableRows packed_rows(const Model& loaded) const {
    require(labels_file.empty(), "labels_file", "a block file has its own labels; give none here");
    const BlockFile file(data);
    if (schema_from_json(file.metadata()) != schema_from_json(loaded.encoding)) {
      throw Error(ErrorKind::invalid_data, data + ": was packed by other declarations than the model's", "data");
    }
    return {load_rows(file), 0};
  }

  Json as_json(const Evaluation& e, const std::vector<std::string>& texts) const {
    Json json = to_json(e, texts);
    json["private"] = is_public;
    json["remark"] = is_public ? "the rows were declared public" : kWarning;
    return json;
  }

  static std::string confusion_text(const Evaluation& e, const std::vector<std::string>& texts) {
    if (e.classes == 2) {
      return fmt::format("  {:<10} predicted {}: {} right, {} wrong; predicted {}: {} right, {} wrong\n", "confusion",
                         texts[1], e.count(1, 1), e.count(0, 1), texts[0], e.count(0, 0), e.count(1, 0));
    }
    std::string text =
        fmt::format("  {:<10} a line an actual class, a column a predicted one\n  {:<10}", "confusion", "");
    for (const std::string& name : texts) text += fmt::format(" {:>8}", name);
    for (std::uint32_t actual = 0; actual < e.classes; ++actual) {
      text += fmt::format("\n  {:>10}", texts[actual]);
      for (std::uint32_t p = 0; p < e.classes; ++p) text += fmt::format(" {:>8}", e.count(actual, p));
    }
    return text + "\n";
  }

  std::string as_text(const Evaluation& e, const std::vector<std::string>& texts) const {
    std::string text = fmt::format("Evaluation of {} on {}\n", model, data);
    text += fmt::format("  {:<10} {}\n", "rows", e.rows);
    if (e.unusable > 0) {
      text += fmt::format("  {:<10} {} rows more have a cell that is no number or an undeclared label: left out\n",
                          "unusable", e.unusable);
    }
    text += fmt::format("  {:<10} {:.6f}\n  {:<10} {:.6f}\n  {:<10} {:.6f}\n", "accuracy", e.accuracy, "loss", e.loss,
                        "auc", e.auc);
    return text + confusion_text(e, texts) +
           fmt::format("  {:<10} {}", "remark", is_public ? "the rows were declared public" : kWarning);
  }
};

}  // namespace

void add_evaluate(CLI::App& program, Output& output) {
  CLI::App* verb =
      add_verb(program, output, "evaluate",
               "accuracy, loss, AUC and confusion of a model on labelled rows; unusable ones are left out");
  auto state = std::make_shared<EvaluateVerb>();
  verb->add_option("--model", state->model, "the model")->required()->type_name("FILE");
  verb->add_option("--data", state->data,
                   "rows with labels, in the columns the model was trained on, or a block file packed alike")
      ->required()
      ->type_name("FILE");
  verb->add_option("--labels-file", state->labels_file, kLabelsFileHelp)->type_name("FILE");
  verb->add_flag("--public-data", state->is_public, "the rows are public, so the figures may be released");
  add_threads(*verb);
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
