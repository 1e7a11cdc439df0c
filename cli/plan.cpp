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
    app.add_option("--classes", classes, "the label's classes: how many, or the list")->delimiter(',')->type_name("");
  }
  void run(const Output& output) const {
    const TrainRequest asked = request.request();
    Facts planned = facts;
    if (!classes.empty()) planned.classes = count_of(classes);
    const PlanInput input{planned, asked.problem, asked.budget};
    const PrivacyCard card = make_card(make_plan(asked.algorithm, input), asked.algorithm, input);
    output.print(output.json ? card_json(card) : card_text(card));
  }
  /// "10" is ten classes, "a,b,c" are three.
  static std::uint32_t count_of(const std::vector<std::string>& given) {
    const auto count = given.size() == 1 ? parse_value<std::uint32_t>(given.front(), "classes")
                                         : static_cast<std::uint32_t>(given.size());
    require(count >= 2 && count <= kMaxClasses, "classes", "must lie between 2 and 4096");
    return count;
  }

  RequestFlags request;
  Facts facts;
  std::vector<std::string> classes;
};

}  // namespace

void add_plan(CLI::App& program, Output& output) {
  CLI::App* verb =
      add_verb(program, output, "plan", "what a run would cost and how large its noise would be; reads no row");
  auto state = std::make_shared<PlanVerb>(*verb);
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
