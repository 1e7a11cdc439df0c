#include <memory>

#include "request.h"
#include "sotto/model/privacy_card.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

struct PlanVerb {
  explicit PlanVerb(CLI::App& app) : request(app) {
    app.add_option("--rows", facts.rows, "number of rows, public under replace_one")->required()->type_name("");
    app.add_option("--features", facts.features, "number of features after encoding, the intercept included")
        ->required()
        ->type_name("");
    app.add_option("--data-norm", facts.data_norm, "public bound on a row's L2 norm")
        ->type_name("")
        ->capture_default_str();
  }
  void run(const Output& output) const {
    const TrainRequest asked = request.request();
    const PlanInput input{facts, asked.problem, asked.budget};
    const PrivacyCard card = make_card(make_plan(asked.algorithm, input), asked.algorithm, input);
    output.print(output.json ? card_json(card) : card_text(card));
  }
  RequestFlags request;
  Facts facts;
};

}  // namespace

void add_plan(CLI::App& program, Output& output) {
  CLI::App* verb =
      add_verb(program, output, "plan", "what a run would cost and how large its noise would be; reads no row");
  auto state = std::make_shared<PlanVerb>(*verb);
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
