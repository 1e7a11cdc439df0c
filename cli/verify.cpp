#include <fmt/format.h>

#include "sotto/model/json.h"
#include "sotto/model/signature.h"
#include "verbs.h"
#include "whole_file.h"

namespace sotto::cli {
namespace {

/// Exit code 1 says that the file is not what the ledger signed, whatever it is.
struct VerifyModelVerb {
  explicit VerifyModelVerb(CLI::App& app) {
    app.add_option("--model", model, "the model file")->required()->type_name("FILE");
    app.add_option("--key", key, "the public key of the ledger, as 'sotto ledger key' writes it")
        ->required()
        ->type_name("FILE");
  }

  void run(Output& output) const {
    const PublicKey trusted = public_key_from(whole_file(key, "key"));
    const std::string text = whole_file(model, "model");
    const std::string problem = signature_problem(text, trusted);
    if (!problem.empty()) {
      output.exit_code = 1;
      const Json json{{"verified", false}, {"model", model}, {"key", hex_of(trusted)}, {"problem", problem}};
      return output.print(output.json ? json.dump(2) : fmt::format("NOT VERIFIED: {} {}", model, problem));
    }
    const PrivacyCard card = model_from_text(text, model).card;
    if (!output.json) {
      return output.print(
          fmt::format("verified: {} is byte for byte what ledger {:.12} released as entry {}, signed by key {:.16}",
                      model, card.budget.ledger, card.budget.entry, card.budget.signed_by));
    }
    output.print(Json{{"verified", true},
                      {"model", model},
                      {"key", hex_of(trusted)},
                      {"ledger", card.budget.ledger},
                      {"entry", card.budget.entry},
                      {"card", to_json(card)}}
                     .dump(2));
  }

  std::string model;
  std::string key;
};

}  // namespace

void add_verify(CLI::App& program, Output& output) {
  add<VerifyModelVerb>(program, output, "verify",
                       "check by a ledger's public key that a model file is what the ledger released");
}

}  // namespace sotto::cli
