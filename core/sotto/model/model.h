#pragma once
#include <optional>
#include <string>

#include "sotto/linalg/vector.h"
#include "sotto/losses/link.h"
#include "sotto/model/intervals.h"
#include "sotto/model/privacy_card.h"

namespace sotto {

/// Released weights, the public encoding of raw columns they belong to, and their privacy card. A Model is never
/// built from a Sensitive: weights reach it through a release.
struct Model {
  static constexpr int kFormat = 1;  ///< of the file; later versions read every earlier one

  Vector weights;  ///< one vector per output (losses/loss.h), one after the other
  std::string loss = "logistic";
  Link link;                    ///< from margins to log odds; for models of one output that give probabilities
  std::string encoding = "{}";  ///< JSON text of the schema rows were encoded with
  PrivacyCard card;
  std::optional<WeightUncertainty> uncertainty;  ///< from which intervals follow, where the run released it
  std::string signed_text{};                     ///< the bytes that a ledger signed (signature.h); empty if none did
};

/// The content of a model file. For a model that a ledger signed these are the signed bytes, as long as nothing was
/// changed; a changed model is not signed. Throws Error{invalid_argument} for weights that are not finite or an
/// encoding that is not JSON.
std::string model_text(const Model& model);
/// Throws Error{invalid_data} if the text is not that of a model, or has a signature that does not match its bytes.
Model model_from_text(const std::string& text, const std::string& name);

/// Throws Error{invalid_argument} for weights that are not finite or an encoding that is not JSON, Error{io} like
/// write_file.
void save_model(const Model& model, const std::string& path);
/// Throws Error{io} if it cannot be read and Error{invalid_data} if it is not a model.
Model load_model(const std::string& path);

}  // namespace sotto
