#pragma once
#include <nlohmann/json.hpp>

#include "sotto/model/model.h"
#include "sotto/model/privacy_card.h"

/// JSON forms of cards and models; not part of the installed interface's stable surface.
namespace sotto {

using Json = nlohmann::ordered_json;

Json to_json(const PrivacyCard& card);
PrivacyCard card_from_json(const Json& json);
Json to_json(const Model& model);
Model model_from_json(const Json& json);

}  // namespace sotto
