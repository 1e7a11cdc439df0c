#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sotto/model/model.h"
#include "sotto/privacy/ledger/ledger.h"

/// The signature of a model file: its last member, in exactly one spelling,
///   "signature": {"algorithm": "ed25519", "key": <64 digits>, "value": <128 digits>}
/// indented by two. Signed are the bytes of the file without those 128 digits. A file is checked by its bytes, never by
/// what they parse to: whoever changes one of them, white space included, breaks it.
namespace sotto {

/// Signs a model as a release of this ledger: its card names the key, its text is the signed one.
void sign_model(Model& model, const Ledger& ledger);

/// The key a file names at its end; none if it does not end like a signed one.
std::optional<PublicKey> signing_key_of(std::string_view file);
/// Empty if `key` signed exactly these bytes; otherwise why not, in a sentence without its subject.
std::string signature_problem(std::string_view file, const PublicKey& key);

}  // namespace sotto
