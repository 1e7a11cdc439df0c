#include <nlohmann/json.hpp>

#include "capi/boundary.h"
#include "sotto/catalogue.h"
#include "sotto/data/schema.h"
#include "sotto/model/feature_names.h"
#include "sotto/model/model.h"
#include "sotto/model/prediction.h"

// What a database can say about requests and models in words and names.
namespace sotto::capi {
namespace {

constexpr const char* kSections[] = {"methods", "losses", "steps"};

std::string parameters_text(const Json& fields) {
  std::string text;
  for (const Json& each : fields) {
    const auto preset = each["default"].get<std::string>();
    text += "  " + each["name"].get<std::string>() + ": " + each["help"].get<std::string>() +
            (preset.empty() ? "" : " [" + preset + "]") + "\n";
  }
  return text;
}

std::string member_text(const Json& member) {
  const bool reference = member.contains("reference");
  return member["name"].get<std::string>() + ": " + member["summary"].get<std::string>() +
         (reference ? " " + member["reference"].get<std::string>() : "") + "\n" + parameters_text(member["parameters"]);
}

std::string names_of(const Json& members) {
  std::string text;
  for (const Json& each : members) text += (text.empty() ? "" : ", ") + each["name"].get<std::string>();
  return text;
}

/// What options a training has; or one method, loss or step schedule by its name; otherwise nothing.
std::string topic_text(const std::string& topic) {
  const Json all = catalogue();
  std::string text;
  if (topic == "train" || topic == "plan" || topic == "tune" || topic == "train_table") {
    text = "Options, as options => '{\"name\": value}', with their defaults:\n" + parameters_text(all["problem"]) +
           parameters_text(all["budget"]);
    for (const char* section : kSections) text += std::string(section) + ": " + names_of(all[section]) + "\n";
    return text + "Each has options of its own: SELECT sotto.help('dpgd')\n";
  }
  for (const char* section : kSections) {
    for (const Json& member : all[section]) {
      if (member["name"] == topic) text += member_text(member);
    }
  }
  return text;
}

Json coefficients_of(const Model& model) {
  const std::vector<std::string> features = feature_names(model);
  const std::vector<std::string> classes = class_texts(model);
  const std::size_t outputs = model.weights.size() / features.size();
  Json list = Json::array();
  for (std::size_t i = 0; i < outputs * features.size(); ++i) {
    const std::size_t output = i / features.size();
    list.push_back(Json{{"class", outputs == 1 ? classes.back() : classes.at(output)},
                        {"feature", features[i % features.size()]},
                        {"weight", model.weights[i]}});
  }
  return list;
}

}  // namespace
}  // namespace sotto::capi

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_help(const char* topic, sotto_text* text, sotto_error* error) {
  return guarded(error, [&] { *text = copy_text(topic_text(topic)); });
}

sotto_status sotto_model_coefficients(const char* model, size_t size, sotto_text* list, sotto_error* error) {
  return guarded(error, [&] {
    const Json json = coefficients_of(model_from_text(std::string(model, size), "the model"));
    *list = copy_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
}
