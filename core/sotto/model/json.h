#pragma once
#include <nlohmann/json.hpp>

#include "sotto/model/evaluation.h"
#include "sotto/model/model.h"
#include "sotto/model/privacy_card.h"

/// JSON forms of cards and models; not part of the installed interface's stable surface.
namespace sotto {

using Json = nlohmann::ordered_json;

Json to_json(const PrivacyCard& card);
PrivacyCard card_from_json(const Json& json);
Json to_json(const Model& model);
Model model_from_json(const Json& json);
/// The content of a model file without a signature. Throws as model_text() does.
std::string plain_text(const Model& model);
/// The figures, with the names every front end prints; `texts` are the class_texts() of the model.
Json to_json(const Evaluation& evaluation, const std::vector<std::string>& texts);

}  // namespace sotto
