#include <fmt/format.h>

#include <memory>

#include "ledger_text.h"
#include "request.h"
#include "sotto/model/json.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

struct PlanVerb {
  explicit PlanVerb(CLI::App& app) : request(app) {
    app.add_option("--rows", facts.rows, "number of rows, public under replace_one; with a ledger it says")
        ->type_name("");
    app.add_option("--features", facts.features, "number of features after encoding, the intercept included")
        ->required()
        ->type_name("");
    app.add_option("--data-norm", facts.data_norm, "public bound on a row's L2 norm")
        ->type_name("")
        ->capture_default_str();
    app.add_option("--ledger", ledger, "say what the run would cost this ledger and whether it fits; charges nothing")
        ->type_name("FILE");
  }
  void run(const Output& output) const {
    const TrainRequest asked = request.request();
    if (!ledger.empty()) return run_with_ledger(asked, output);
    require(facts.rows > 0, "rows", "say how many rows there are");
    const PlanInput input{facts, asked.problem, asked.budget};
    const PrivacyCard card = make_card(make_plan(asked.algorithm, input), asked.algorithm, input);
    output.print(output.json ? card_json(card) : card_text(card));
  }
  void run_with_ledger(const TrainRequest& asked, const Output& output) const {
    SqliteLedger open(ledger);
    Facts known = facts;
    known.rows = open.terms().rows;
    require(facts.rows == 0 || facts.rows == known.rows, "rows",
            "the ledger was made for " + std::to_string(known.rows) + " rows");
    const Quote quoted = quote(asked, known, open);
    const PrivacyCard card = make_card(quoted.plan, asked.algorithm, quoted.input);
    Json json = to_json(card);
    json["budget"] = quote_json(quoted);
    output.print(output.json ? json.dump(2) : card_text(card) + quote_text(quoted));
  }
  RequestFlags request;
  Facts facts;
  std::string ledger;
};

}  // namespace

void add_plan(CLI::App& program, Output& output) {
  CLI::App* verb =
      add_verb(program, output, "plan", "what a run would cost and how large its noise would be; reads no row");
  auto state = std::make_shared<PlanVerb>(*verb);
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
