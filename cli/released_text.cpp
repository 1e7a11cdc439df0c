#include "released_text.h"

#include <fmt/format.h>

#include "sotto/model/promise.h"
#include "sotto/quote_json.h"

namespace sotto::cli {
namespace {

constexpr const char* kStored = "this request was answered before; the same model again, nothing was charged";

/// What else is public about a model than its card: the map its rows went through, and its key.
std::string projection_line(const Model& model) {
  const auto encoding = Json::parse(model.encoding, nullptr, false);
  if (!encoding.is_object() || !encoding.contains("projection")) return "";
  const Json& projection = encoding.at("projection");
  if (!projection.contains("key")) return "";
  return fmt::format("  {:<15} {} to {} dimensions, public key {}\n", "projection",
                     projection.at("kind").get<std::string>(), projection.at("dimensions").dump(),
                     projection.at("key").dump());
}

}  // namespace

void print_released(const Output& output, const TrainRequest& asked, const Released& released,
                    const ReleasePlaces& places) {
  if (output.json) {
    Json json = planned_json(asked, released.model.card);
    if (places.ledger) json["stored"] = released.stored;
    if (!places.out.empty()) json["model"] = places.out;
    return output.print(json.dump(2));
  }
  std::string text = promise_words(released.model.card) + "\n\n" + card_text(released.model.card);
  text += projection_line(released.model);
  if (released.stored) text += fmt::format("  {:<15} {}\n", "stored", kStored);
  output.print(text + (places.out.empty() ? "" : fmt::format("  {:<15} {}", "model", places.out)));
  output.warn(warnings_of(asked, released.model.card));
}

}  // namespace sotto::cli
