#include "sotto/model/model.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include "sotto/base/error.h"
#include "sotto/base/out_file.h"
#include "sotto/base/shallow_json.h"
#include "sotto/model/json.h"
#include "sotto/model/signature.h"

namespace sotto {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(ErrorKind::io, path + ": " + what, "path");
}

Json parsed(const std::string& text) { return parse_shallow(text, "model file", ErrorKind::invalid_data); }

/// A signature that is there must be one of these bytes by the key the card names; one that the card names must be
/// there. Whether that key is the ledger's is for whoever has it (signature_problem).
void check_signature(const std::string& text, const Json& json, const Model& model, const std::string& name) {
  const std::string& stated = model.card.budget.signed_by;
  if (stated.empty() && !json.contains("signature")) return;
  const std::optional<PublicKey> key = signing_key_of(text);
  if (key && hex_of(*key) == stated && signature_problem(text, *key).empty()) return;
  throw Error(ErrorKind::invalid_data, name + ": was edited after a ledger signed it; its bytes are not those", "path");
}

bool is_as_signed(const Model& model) {
  return !model.signed_text.empty() && to_json(model_from_json(parsed(model.signed_text))) == to_json(model);
}

}  // namespace

std::string plain_text(const Model& model) {
  for (const double weight : model.weights) {
    if (!std::isfinite(weight)) {
      throw Error(ErrorKind::invalid_argument,
                  "weights: not all are finite numbers, so they cannot be stored; the steps "
                  "may be too large",
                  "weights");
    }
  }
  try {
    return to_json(model).dump(2) + "\n";
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::invalid_argument, "encoding: must be JSON text in UTF-8", "encoding");
  }
}

std::string model_text(const Model& model) {
  std::string text = plain_text(model);
  if (model.card.budget.signed_by.empty()) return text;
  if (is_as_signed(model)) return model.signed_text;
  Model changed = model;
  changed.card.budget.signed_by.clear();
  return plain_text(changed);
}

void save_model(const Model& model, const std::string& path) { write_file(path, model_text(model), "path"); }

Model load_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return model_from_text(text.str(), path);
}

Model model_from_text(const std::string& text, const std::string& name) {
  try {
    const Json json = parsed(text);
    Model model = model_from_json(json);
    check_signature(text, json, model, name);
    if (!model.card.budget.signed_by.empty()) model.signed_text = text;
    return model;
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::invalid_data, name + ": is not a sotto model file", "path");
  }
}

}  // namespace sotto
