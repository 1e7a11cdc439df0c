#include "sotto/model/json.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/base/whole_number.h"
#include "sotto/model/card_check.h"
#include "sotto/model/prediction.h"

namespace sotto {
namespace {

/// A file may ask for anything; what it holds must fit together before it is used.
void check_weights(const Model& model) {
  const auto known = names<Loss>();
  if (std::ranges::find(known, model.loss) == known.end()) {
    throw Error(ErrorKind::unsupported, "the model file has loss " + model.loss + ", which this version does not know");
  }
  if (model.card.classes < 2 || model.card.classes > kMaxClasses) {
    throw Error(ErrorKind::invalid_data, "the model file states an impossible number of classes");
  }
  const std::uint64_t expected = std::uint64_t{model.card.features} * outputs_of(model);
  if (model.weights.size() == expected) return;
  throw Error(ErrorKind::invalid_data, "the model file has " + std::to_string(model.weights.size()) +
                                           " weights but its card says " + std::to_string(expected));
}

Vector lower_triangle(const Vector& matrix, std::size_t order) {
  Vector lower;
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t k = 0; k <= i; ++k) lower.push_back(matrix[i * order + k]);
  }
  return lower;
}

Vector full_matrix(const Vector& lower, std::size_t order) {
  if (lower.size() != order * (order + 1) / 2) {
    throw Error(ErrorKind::invalid_data, "the model file has an uncertainty of another size than its weights");
  }
  Vector matrix(order * order);
  std::size_t at = 0;
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t k = 0; k <= i; ++k) matrix[i * order + k] = matrix[k * order + i] = lower[at++];
  }
  return matrix;
}

WeightUncertainty uncertainty_from(const Json& json, const Model& model) {
  const std::size_t order = model.weights.size();
  WeightUncertainty uncertainty;
  uncertainty.features = static_cast<std::uint32_t>(order);
  uncertainty.sampling = full_matrix(json.at("sampling").get<Vector>(), order);
  uncertainty.noise = full_matrix(json.at("noise").get<Vector>(), order);
  uncertainty.laplace_dimension = whole_number<std::uint32_t>(json.at("laplace_dimension"));
  for (std::size_t i = 0; i < order; ++i) {
    const std::size_t at = i * order + i;
    if (uncertainty.sampling[at] >= 0 && uncertainty.noise[at] >= 0) continue;
    throw Error(ErrorKind::invalid_data, "the model file has a negative variance");
  }
  return uncertainty;
}

Link link_from(const Json& json) {
  const Link link{json.at("scale").get<double>()};
  if (link.scale > 0 && link.scale <= 1) return link;
  throw Error(ErrorKind::invalid_data, "the model file has a link whose scale is not above 0 and at most 1");
}

Json to_json(const PrivacyCard::LedgerUse& use) {
  const Json key = use.signed_by.empty() ? Json() : Json(use.signed_by);
  if (!use.enforced) return Json{{"enforced", false}, {"remark", "no budget was enforced"}, {"signed_by", key}};
  return Json{{"enforced", true},         {"ledger", use.ledger},   {"entry", use.entry}, {"filter", use.filter},
              {"currency", use.currency}, {"epsilon", use.epsilon}, {"delta", use.delta}, {"cost", use.cost},
              {"spent_after", use.spent}, {"limit", use.limit},     {"signed_by", key}};
}

PrivacyCard::LedgerUse ledger_use_from(const Json& json) {
  PrivacyCard::LedgerUse use;
  use.enforced = json.at("enforced").get<bool>();
  if (!use.enforced) return use;
  use.ledger = json.at("ledger").get<std::string>();
  use.entry = whole_number<std::uint64_t>(json.at("entry"));
  use.filter = json.at("filter").get<std::string>();
  use.currency = json.at("currency").get<std::string>();
  use.epsilon = json.at("epsilon").get<double>();
  use.delta = json.at("delta").get<double>();
  use.cost = json.at("cost").get<std::string>();
  use.spent = json.at("spent_after").get<std::string>();
  use.limit = json.at("limit").get<std::string>();
  // Absent before ledgers signed.
  if (json.contains("signed_by") && !json.at("signed_by").is_null())
    use.signed_by = json.at("signed_by").get<std::string>();
  return use;
}

}  // namespace

Json to_json(const PrivacyCard& card) {
  Json json;
  json["method"] = card.method;
  json["private"] = card.is_private;
  json["not_private_because"] = card.not_private_because;
  json["relation"] = card.relation;
  json["unit"] = card.unit;
  json["released"] = card.released;
  if (card.is_private) {
    json["guarantee"] = Json{{"epsilon", card.epsilon}, {"delta", card.delta}};
  } else {
    json["guarantee"] = Json{{"epsilon", nullptr}, {"delta", nullptr}};
    json["claimed"] = Json{{"epsilon", card.epsilon}, {"delta", card.delta}};
  }
  json["l2_sensitivity"] = card.l2_sensitivity;
  json["noise"] = Json{{"mechanism", card.noise.mechanism},
                       {"added_to", card.noise.added_to},
                       {"path", "safe"},  // format 1 had another one, which was not private
                       {"scale", card.noise.scale},
                       {"stddev", card.noise.stddev},
                       {"grid", card.noise.grid},
                       {"delta_num", card.noise.delta_num ? Json(*card.noise.delta_num) : Json()}};
  json["events"] = Json::array();
  for (const auto& e : card.events) {
    json["events"].push_back(Json{
        {"event", e.event}, {"parameter", e.parameter}, {"value", e.value}, {"times", e.times}, {"parts", e.parts}});
  }
  if (!card.personal.empty()) json["personal_epsilons"] = Json::array();
  for (const auto& p : card.personal) {
    json["personal_epsilons"].push_back(
        Json{{"epsilon", p.epsilon}, {"delta", p.delta}, {"positions", p.positions}, {"weight", p.weight}});
  }
  json["theorem"] = card.theorem;
  json["remarks"] = card.remarks;
  json["parameters"] = Json::object();
  for (const auto& [name, value] : card.parameters) json["parameters"][name] = value;
  json["facts"] =
      Json{{"rows", card.rows}, {"features", card.features}, {"data_norm", card.data_norm}, {"classes", card.classes}};
  json["budget"] = to_json(card.budget);
  json["version"] = card.version;
  return json;
}

PrivacyCard card_from_json(const Json& json) {
  PrivacyCard card;
  card.method = json.at("method").get<std::string>();
  card.is_private = json.at("private").get<bool>();
  card.not_private_because = json.at("not_private_because").get<std::vector<std::string>>();
  card.relation = json.at("relation").get<std::string>();
  card.unit = json.at("unit").get<std::string>();
  card.released = json.at("released").get<std::string>();
  const Json& promise = json.at(card.is_private ? "guarantee" : "claimed");
  card.epsilon = promise.at("epsilon").get<double>();
  card.delta = promise.at("delta").get<double>();
  card.l2_sensitivity = json.at("l2_sensitivity").get<double>();
  const Json& noise = json.at("noise");
  if (noise.at("path").get<std::string>() != "safe") {
    card.is_private = false;
    card.not_private_because.emplace_back("its noise was of float grade: the low bits of the weights tell the rows");
  }
  card.noise = {noise.at("mechanism").get<std::string>(), noise.at("added_to").get<std::string>(),
                noise.at("scale").get<double>(),          noise.at("stddev").get<double>(),
                noise.at("grid").get<double>(),           {}};
  if (!noise.at("delta_num").is_null()) card.noise.delta_num = noise.at("delta_num").get<double>();
  for (const Json& e : json.at("events")) {
    card.events.push_back({e.at("event").get<std::string>(), e.at("parameter").get<std::string>(),
                           e.at("value").get<double>(), whole_number<std::uint64_t>(e.at("times")),
                           whole_number<std::uint64_t>(e.at("parts"))});
  }
  for (const Json& p : json.value("personal_epsilons", Json::array())) {
    card.personal.push_back({p.at("epsilon").get<double>(), p.at("delta").get<double>(),
                             whole_number<std::uint64_t>(p.at("positions")), p.at("weight").get<double>()});
  }
  card.theorem = json.at("theorem").get<std::string>();
  card.remarks = json.at("remarks").get<std::vector<std::string>>();
  for (const auto& [name, value] : json.at("parameters").items()) {
    card.parameters.emplace_back(name, value.get<std::string>());
  }
  card.rows = whole_number<std::uint64_t>(json.at("facts").at("rows"));
  card.features = whole_number<std::uint32_t>(json.at("facts").at("features"));
  card.data_norm = json.at("facts").at("data_norm").get<double>();
  card.classes = json.at("facts").value("classes", std::uint32_t{2});  // absent before there were more than two
  if (json.contains("budget")) card.budget = ledger_use_from(json.at("budget"));  // absent before there were ledgers
  card.version = json.at("version").get<std::string>();
  check_card(card);
  return card;
}

Json to_json(const Model& model) {
  Json json;
  json["sotto_model"] = Model::kFormat;
  json["loss"] = model.loss;
  json["weights"] = model.weights;
  if (model.link != Link{}) json["link"] = Json{{"scale", model.link.scale}};
  json["encoding"] = Json::parse(model.encoding);
  json["card"] = to_json(model.card);
  if (model.uncertainty) {
    json["uncertainty"] = Json{{"sampling", lower_triangle(model.uncertainty->sampling, model.uncertainty->features)},
                               {"noise", lower_triangle(model.uncertainty->noise, model.uncertainty->features)},
                               {"laplace_dimension", model.uncertainty->laplace_dimension}};
  }
  return json;
}

Model model_from_json(const Json& json) {
  const auto format = whole_number<std::uint32_t>(json.at("sotto_model"));
  if (format < 1 || format > static_cast<std::uint32_t>(Model::kFormat)) {
    throw Error(ErrorKind::unsupported, "the model file has format " + std::to_string(format) +
                                            ", this version reads formats 1 to " + std::to_string(Model::kFormat));
  }
  Model model;
  model.loss = json.at("loss").get<std::string>();
  model.weights = json.at("weights").get<Vector>();
  model.encoding = json.at("encoding").dump();
  model.card = card_from_json(json.at("card"));
  check_weights(model);
  if (json.contains("link")) model.link = link_from(json.at("link"));  // absent: the sigmoid of the margin
  if (json.contains("uncertainty")) model.uncertainty = uncertainty_from(json.at("uncertainty"), model);
  return model;
}

namespace {

/// Two classes by the usual names; more as a table, a line an actual class and a column a predicted one.
Json confusion_json(const Evaluation& e, const std::vector<std::string>& texts) {
  if (e.classes == 2) {
    return Json{{"true_positive", e.count(1, 1)},
                {"false_positive", e.count(0, 1)},
                {"true_negative", e.count(0, 0)},
                {"false_negative", e.count(1, 0)}};
  }
  Json counts = Json::array();
  for (std::uint32_t actual = 0; actual < e.classes; ++actual) {
    counts.push_back(Json::array());
    for (std::uint32_t predicted = 0; predicted < e.classes; ++predicted) {
      counts.back().push_back(e.count(actual, predicted));
    }
  }
  return Json{{"classes", texts}, {"counts", counts}};
}

}  // namespace

Json to_json(const Evaluation& evaluation, const std::vector<std::string>& texts) {
  return Json{{"rows", evaluation.rows},         {"unusable", evaluation.unusable},
              {"accuracy", evaluation.accuracy}, {"loss", evaluation.loss},
              {"auc", evaluation.auc},           {"confusion", confusion_json(evaluation, texts)}};
}

}  // namespace sotto
