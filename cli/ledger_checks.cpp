#include <fmt/format.h>

#include <optional>

#include "ledger_verb.h"
#include "sotto/base/out_file.h"
#include "sotto/model/json.h"
#include "sotto/privacy/ledger/released.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "verbs.h"
#include "whole_file.h"

namespace sotto::cli {
namespace {

struct VerifyVerb : LedgerVerb {
  explicit VerifyVerb(CLI::App& app) : LedgerVerb(app) {
    app.add_option("--model", model, "also whether this file is byte for byte what the ledger released")
        ->type_name("FILE");
  }
  void run(Output& output) const {
    SqliteLedger ledger(path);
    const LedgerCheck check = ledger.verify();
    Json json{{"verified", true}, {"records", check.records}, {"models", check.models}, {"anchored", check.anchored}};
    std::string text = fmt::format("{}: {} records and {} models verified; chain, totals, limits and anchor agree",
                                   path, check.records, check.models);
    if (!model.empty()) {
      const std::optional<LedgerEntry> entry = entry_of(ledger, whole_file(model, "model"));
      json["verified"] = entry.has_value();
      json["entry"] = entry ? Json(entry->number) : Json();
      if (!entry) json["problem"] = model + " " + kNotReleased;
      text += entry ? fmt::format("\n{} is byte for byte what it released as entry {}", model, entry->number)
                    : fmt::format("\nNOT VERIFIED: {} {}", model, kNotReleased);
      output.exit_code = entry ? 0 : 1;
    }
    output.print(output.json ? json.dump(2) : text);
  }
  std::string model;
};

struct KeyVerb : LedgerVerb {
  explicit KeyVerb(CLI::App& app) : LedgerVerb(app) {
    app.add_option("--out", out, "write the key here (PEM) instead of to standard output")->type_name("FILE");
  }
  void run(const Output& output) const {
    const SqliteLedger ledger(path);
    const PublicKey key = ledger.public_key();
    const std::string pem = pem_of(key);
    if (!out.empty()) write_file(out, pem);
    const Json json{{"ledger", ledger.terms().id}, {"algorithm", "ed25519"}, {"public_key", hex_of(key)}, {"pem", pem}};
    if (output.json) return output.print(json.dump(2));
    output.print(out.empty() ? pem.substr(0, pem.find_last_not_of('\n') + 1)
                             : fmt::format("the public key {:.16} of ledger {:.12} is in {}", hex_of(key),
                                           ledger.terms().id, out));
  }
  std::string out;
};

}  // namespace

void add_ledger_checks(CLI::App& ledger, Output& output) {
  add<VerifyVerb>(ledger, output, "verify", "recompute hashes, totals, limits and models, compare with the anchor");
  add<KeyVerb>(ledger, output, "key", "the public key by which anyone can check what this ledger released");
}

}  // namespace sotto::cli
