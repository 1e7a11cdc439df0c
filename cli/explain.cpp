#include <fmt/format.h>

#include <memory>
#include <utility>

#include "explained.h"
#include "field_flags.h"
#include "sotto/catalogue.h"
#include "sotto/model/feature_names.h"
#include "sotto/model/json.h"
#include "sotto/model/model.h"
#include "sotto/model/promise.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

/// The parameters with their flags, which come after the name.
void add_flags(Json& fields) {
  for (Json& field : fields) {
    const Json declared = std::exchange(field, Json{{"name", field["name"]}});
    field["flag"] = flag_of(declared["name"].get<std::string>());
    field.update(declared);
  }
}

/// The catalogue as the command line spells it.
Json catalogue_with_flags() {
  Json all = catalogue();
  for (auto& [section, entries] : all.items()) {
    const bool has_members = !entries.empty() && entries.front().contains("parameters");
    if (!has_members) {
      add_flags(entries);
      continue;
    }
    for (Json& entry : entries) add_flags(entry["parameters"]);
  }
  return all;
}

std::string fields_text(const Json& fields) {
  std::string text;
  for (const Json& f : fields) {
    const std::string preset = f["default"].get<std::string>();
    text += fmt::format("    {:<18} {}{}\n", f["flag"].get<std::string>(), f["help"].get<std::string>(),
                        preset.empty() ? "" : " [" + preset + "]");
  }
  return text;
}

std::string catalogue_text(const Json& all) {
  std::string text;
  for (const char* section : {"methods", "losses", "steps"}) {
    text += fmt::format("{}\n", section);
    for (const Json& entry : all[section]) {
      text += fmt::format("  {}: {}", entry["name"].get<std::string>(), entry["summary"].get<std::string>());
      if (entry.contains("reference")) text += " " + entry["reference"].get<std::string>();
      text += "\n" + fields_text(entry["parameters"]);
    }
  }
  return text + "problem\n" + fields_text(all["problem"]) + "budget\n" + fields_text(all["budget"]);
}

Json coefficients(const Model& model, double level) {
  require(model.uncertainty.has_value(), "intervals",
          "the model has none; train with --intervals SHARE (method auto, objective or output)");
  const IntervalMaker maker(*model.uncertainty, level);
  const std::vector<std::string> names = feature_names(model);
  Json list = Json::array();
  for (std::uint32_t i = 0; i < model.weights.size(); ++i) {
    const Interval interval = maker.coefficient(i, model.weights[i]);
    list.push_back(Json{
        {"feature", names[i]}, {"weight", model.weights[i]}, {"lower", interval.lower}, {"upper", interval.upper}});
  }
  return list;
}

std::string coefficients_text(const Json& list, double level) {
  std::string text = fmt::format("Coefficients with intervals at level {:g}\n", level);
  for (const Json& one : list) {
    text += fmt::format("  {:<28} {:>12.6g}  [{:.6g}, {:.6g}]\n", one["feature"].get<std::string>(),
                        one["weight"].get<double>(), one["lower"].get<double>(), one["upper"].get<double>());
  }
  return text;
}

struct ExplainVerb {
  bool list = false;
  std::string word;
  std::string model;
  double level = 0;

  void run(const Output& output) const {
    const int asked = (list ? 1 : 0) + (word.empty() ? 0 : 1) + (model.empty() ? 0 : 1);
    require(asked <= 1, "explain", "give a word, --catalog or --model FILE, not several");
    if (asked == 0) return output.print(output.json ? explained_list_json().dump(2) : explained_list());
    if (!word.empty()) return output.print(output.json ? explained_json(word).dump(2) : explained(word));
    if (list) {
      const Json all = catalogue_with_flags();
      output.print(output.json ? all.dump(2) : catalogue_text(all));
      return;
    }
    const Model loaded = load_model(model);
    Json json = to_json(loaded.card);
    std::string text = promise_words(loaded.card) + "\n" + card_text(loaded.card);
    if (level > 0) {
      json["coefficients"] = coefficients(loaded, level);
      text += coefficients_text(json["coefficients"], level);
    }
    output.print(output.json ? json.dump(2) : text);
  }
};

}  // namespace

void add_explain(CLI::App& program, Output& output) {
  CLI::App* verb = add_verb(program, output, "explain", "what a method, flag or word means; or the card of a model");
  auto state = std::make_shared<ExplainVerb>();
  verb->add_option("word", state->word, "a method, loss, step rule, filter, event, flag or word of the glossary")
      ->type_name(one_of(explained_names()));
  verb->add_flag("--catalog", state->list, "list methods, losses, step schedules and their parameters");
  verb->add_option("--model", state->model, "print the privacy card of this model")->type_name("FILE");
  add_number(*verb, "--intervals", state->level,
             "with --model: every coefficient with its confidence interval at this level, e.g. 0.95, for a model "
             "trained with --intervals")
      ->type_name("LEVEL");
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
