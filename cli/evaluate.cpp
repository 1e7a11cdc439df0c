#include <fmt/format.h>

#include <memory>

#include "sotto/data/load.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

constexpr const char* kWarning =
    "computed from the rows without noise: NOT PRIVATE, not for release if the rows are private";

struct EvaluateVerb {
  std::string model;
  std::string data;
  bool is_public = false;

  void run(const Output& output) const {
    const Model loaded = load_model(model);
    const Encoder encoder(schema_from_json(loaded.encoding));
    const Dataset rows = read_dataset(data, encoder);
    const Evaluation result = evaluate(loaded, rows.view());
    output.print(output.json ? as_json(result).dump(2) : as_text(result));
  }

  Json as_json(const Evaluation& e) const {
    Json json{{"rows", e.rows}, {"accuracy", e.accuracy}, {"loss", e.loss}, {"auc", e.auc}};
    json["confusion"] = Json{{"true_positive", e.true_positive},
                             {"false_positive", e.false_positive},
                             {"true_negative", e.true_negative},
                             {"false_negative", e.false_negative}};
    json["private"] = is_public;
    json["remark"] = is_public ? "the rows were declared public" : kWarning;
    return json;
  }

  std::string as_text(const Evaluation& e) const {
    std::string text = fmt::format("Evaluation of {} on {}\n", model, data);
    text += fmt::format("  {:<10} {}\n  {:<10} {:.6f}\n  {:<10} {:.6f}\n  {:<10} {:.6f}\n", "rows", e.rows, "accuracy",
                        e.accuracy, "loss", e.loss, "auc", e.auc);
    text += fmt::format("  {:<10} predicted +1: {} right, {} wrong; predicted -1: {} right, {} wrong\n", "confusion",
                        e.true_positive, e.false_positive, e.true_negative, e.false_negative);
    return text + fmt::format("  {:<10} {}", "remark", is_public ? "the rows were declared public" : kWarning);
  }
};

}  // namespace

void add_evaluate(CLI::App& program, Output& output) {
  CLI::App* verb =
      add_verb(program, output, "evaluate", "accuracy, loss, AUC and confusion of a model on labelled rows");
  auto state = std::make_shared<EvaluateVerb>();
  verb->add_option("--model", state->model, "the model")->required()->type_name("FILE");
  verb->add_option("--data", state->data, "rows with labels, in the columns the model was trained on")
      ->required()
      ->type_name("FILE");
  verb->add_flag("--public-data", state->is_public, "the rows are public, so the figures may be released");
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
