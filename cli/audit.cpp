#include "sotto/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "request.h"
#include "sotto/audit/museum.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const audit::Finding& f) {
  return {{"check", f.check}, {"subject", f.subject}, {"quantity", f.quantity}, {"claim", f.claim},
          {"found", f.found}, {"holds", f.holds()},   {"evidence", f.evidence}};
}

std::string table_of(const std::vector<audit::Finding>& findings) {
  std::string text = fmt::format("{:<10} {:<34} {:<22} {:>10} {:>10}  {:<7} {}\n", "check", "subject", "quantity",
                                 "claim", "found", "verdict", "evidence");
  for (const audit::Finding& f : findings) {
    text += fmt::format("{:<10} {:<34} {:<22} {:>10.4g} {:>10.4g}  {:<7} {}\n", f.check, f.subject, f.quantity, f.claim,
                        f.found, f.holds() ? "holds" : "FALLEN", f.evidence);
  }
  const auto fallen = std::count_if(findings.begin(), findings.end(), [](const auto& f) { return !f.holds(); });
  return text + fmt::format("{} claims, {} fallen", findings.size(), fallen);
}

struct AuditVerb {
  explicit AuditVerb(CLI::App& app) {
    app.add_flag("--all", all, "every layer over every method of the product");
    app.add_flag("--museum", museum, "wrong methods of the literature, each with the evidence that breaks it");
    app.add_flag("--quick", options.quick, "fewer settings and games: a few minutes at most");
    app.add_option("--games", options.games, "games on each neighbour")->type_name("");
    app.add_option("--check", options.check, "this check alone: " + list_of_checks())->type_name("");
    app.add_option("--seed", options.seed, "of everything drawn; 0 takes bits from the operating system")
        ->type_name("")
        ->capture_default_str();
  }
  static std::string list_of_checks() {
    return join_names(std::vector<std::string_view>(audit::checks().begin(), audit::checks().end()));
  }

  void run(Output& output) {
    if (museum) return run_museum(output);
    Progress progress("auditing");
    options.progress = [&](double fraction) { progress.update(fraction); };
    print(audit::audit_all(options), output);
  }

  static void print(const std::vector<audit::Finding>& findings, Output& output) {
    const auto fallen = std::count_if(findings.begin(), findings.end(), [](const auto& f) { return !f.holds(); });
    if (fallen > 0) output.exit_code = 1;
    if (!output.json) return output.print(table_of(findings));
    Json json{{"claims", findings.size()}, {"fallen", fallen}, {"false_alarm", audit::kFalseAlarm}};
    json["findings"] = Json::array();
    for (const audit::Finding& f : findings) json["findings"].push_back(to_json(f));
    output.print(json.dump(2));
  }

  void run_museum(Output& output) const {
    const audit::GameRules rules = options.rules();
    Json json = Json::array();
    std::string text;
    for (const audit::Exhibit& exhibit : audit::museum()) {
      if (!options.check.empty() && options.check != exhibit.name) continue;
      const audit::Exhibited shown = exhibit.show(rules);
      if (!shown.caught() || !shown.control_holds()) output.exit_code = 1;
      json.push_back({{"exhibit", exhibit.name},
                      {"claim", shown.claim},
                      {"lower_bound", shown.lower_bound},
                      {"caught", shown.caught()},
                      {"delta", shown.delta},
                      {"what", exhibit.what},
                      {"reference", exhibit.reference},
                      {"evidence", shown.evidence},
                      {"control",
                       {{"method", shown.control},
                        {"claim", shown.control_claim},
                        {"lower_bound", shown.control_bound},
                        {"flagged", !shown.control_holds()}}}});
      text += fmt::format(
          "{} ({})\n  {}\n  claims epsilon {:.4g} at delta {:.3g}, has at least {:.4g}: {}\n  {}\n"
          "  {}: at least {:.4g} of {:.4g}, {}\n",
          exhibit.name, exhibit.reference, exhibit.what, shown.claim, shown.delta, shown.lower_bound,
          shown.caught() ? "caught" : "NOT CAUGHT", shown.evidence, shown.control, shown.control_bound,
          shown.control_claim, shown.control_holds() ? "holds" : "FLAGGED");
    }
    output.print(output.json ? json.dump(2) : text);
  }

  audit::AuditOptions options;
  bool all = false, museum = false;
};

}  // namespace

void add_audit(CLI::App& program, Output& output) {
  CLI::App* verb = add_verb(program, output, "audit", "try to break the promises of this program; reads no row");
  auto state = std::make_shared<AuditVerb>(*verb);
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
