#include "sotto/model/signature.h"

#include "sotto/base/error.h"
#include "sotto/model/json.h"

namespace sotto {
namespace {

constexpr std::string_view kModelEnd = "\n}\n";  // of every model file
constexpr std::string_view kBeforeKey = ",\n  \"signature\": {\n    \"algorithm\": \"ed25519\",\n    \"key\": \"";
constexpr std::string_view kBeforeValue = "\",\n    \"value\": \"";
constexpr std::string_view kAfterValue = "\"\n  }\n}\n";
constexpr std::size_t kKeyDigits = 64;
constexpr std::size_t kValueDigits = 128;

/// The parts of a file that ends like a signed one.
struct SignedParts {
  PublicKey key;
  std::string_view value;
  std::string message;  ///< the file without the value
};

std::optional<SignedParts> signed_parts_of(std::string_view file) {
  const std::size_t tail = kBeforeKey.size() + kKeyDigits + kBeforeValue.size() + kValueDigits + kAfterValue.size();
  if (file.size() <= tail) return std::nullopt;
  std::string_view rest = file.substr(file.size() - tail);
  const auto take = [&rest](std::size_t count) {
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  };
  SignedParts parts;
  const bool begins = take(kBeforeKey.size()) == kBeforeKey;
  const bool has_key = digest_from_hex(take(kKeyDigits), parts.key.bytes);
  const bool goes_on = take(kBeforeValue.size()) == kBeforeValue;
  parts.value = take(kValueDigits);
  if (!begins || !has_key || !goes_on || rest != kAfterValue) return std::nullopt;
  parts.message = file.substr(0, file.size() - kAfterValue.size() - kValueDigits);
  parts.message += kAfterValue;
  return parts;
}

}  // namespace

void sign_model(Model& model, const Ledger& ledger) {
  const std::string key = hex_of(ledger.public_key());
  model.card.budget.signed_by = key;
  std::string text = plain_text(model);
  if (!text.ends_with(kModelEnd)) throw Error(ErrorKind::internal, "a text that is no model file cannot be signed");
  text.resize(text.size() - kModelEnd.size());
  text.append(kBeforeKey).append(key).append(kBeforeValue);
  const std::size_t place = text.size();
  text += kAfterValue;
  model.signed_text = text.insert(place, ledger.sign(text));
}

std::optional<PublicKey> signing_key_of(std::string_view file) {
  const std::optional<SignedParts> parts = signed_parts_of(file);
  return parts ? std::optional(parts->key) : std::nullopt;
}

std::string signature_problem(std::string_view file, const PublicKey& key) {
  const std::optional<SignedParts> parts = signed_parts_of(file);
  if (!parts) return "has no signature at its end: no ledger signed it, or it was edited";
  if (!(parts->key == key)) return "names another key than the one given: another ledger signed it, or it was edited";
  if (!is_signed(key, parts->message, parts->value)) {
    return "is not what the ledger signed: it was edited after its release";
  }
  return {};
}

}  // namespace sotto
