#include "sotto/model/feature_names.h"

#include <optional>

#include "sotto/data/encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/model/json.h"

namespace sotto {

std::vector<std::string> feature_names(const Model& model) {
  std::vector<std::string> names;
  std::optional<Encoder> encoder;
  if (Json::parse(model.encoding).contains("columns")) encoder.emplace(schema_from_json(model.encoding));
  for (std::uint32_t i = 0; i < model.card.features; ++i) {
    names.push_back(encoder ? encoder->feature_name(i) : "feature_" + std::to_string(i + 1));
  }
  return names;
}

}  // namespace sotto
