#include <fmt/format.h>

#include <memory>

#include "personal.h"
#include "request.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/quote_json.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

struct PlanVerb {
  explicit PlanVerb(CLI::App& app) : request(app), personal(app) {
    add_count(app, "--rows", facts.rows, "number of rows, public under replace_one; with a ledger it says");
    add_count(app, "--features", facts.features, "number of features after encoding, the intercept included")
        ->required();
    norm = add_number(app, "--data-norm", facts.data_norm, "public bound on a row's L2 norm")->capture_default_str();
    app.add_option("--classes", classes, "the label's classes: how many, or the list")->delimiter(',')->type_name("");
    app.add_option("--ledger", ledger, "say what the run would cost this ledger and whether it fits; charges nothing")
        ->type_name("FILE");
  }
  void run(const Output& output) const {
    TrainRequest asked = request.request();
    asked.personal = personal.read();
    if (norm->count() == 0) asked.norm_assumed = facts.data_norm;
    if (!ledger.empty()) return run_with_ledger(asked, output);
    require(facts.rows > 0, "rows", "say how many rows there are");
    const PrivacyCard card = card_of(asked, planned());
    output.print(output.json ? planned_json(asked, card).dump(2) : card_text(card));
    output.warn(warnings_of(asked, card));
  }
  void run_with_ledger(const TrainRequest& asked, const Output& output) const {
    SqliteLedger open(ledger);
    Facts known = planned();
    known.rows = open.terms().rows;
    require(facts.rows == 0 || facts.rows == known.rows, "rows",
            "the ledger was made for " + std::to_string(known.rows) + " rows");
    const Quote quoted = quote(asked, known, open);
    output.print(output.json ? to_json(quoted).dump(2) : quote_text(quoted));
    output.warn(warnings_of(asked, card_of(quoted)));
  }
  Facts planned() const {
    Facts all = facts;
    if (!classes.empty()) all.classes = count_of(classes);
    return all;
  }
  /// "10" is ten classes, "a,b,c" are three.
  static std::uint32_t count_of(const std::vector<std::string>& given) {
    const auto count = given.size() == 1 ? parse_value<std::uint32_t>(given.front(), "classes")
                                         : static_cast<std::uint32_t>(given.size());
    require(count >= 2 && count <= kMaxClasses, "classes", "must lie between 2 and 4096");
    return count;
  }

  RequestFlags request;
  PersonalFile personal;
  Facts facts;
  CLI::Option* norm = nullptr;
  std::string ledger;
  std::vector<std::string> classes;
};

}  // namespace

void add_plan(CLI::App& program, Output& output) {
  add<PlanVerb>(program, output, "plan", "what a run would cost and how large its noise would be; reads no row");
}

}  // namespace sotto::cli
