#include "sotto/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "data_flags.h"
#include "request.h"
#include "sotto/audit/museum.h"
#include "sotto/base/out_file.h"
#include "sotto/base/rounded_text.h"
#include "sotto/engines/file_rows.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/complete.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const audit::Finding& f) {
  return {{"check", f.check},           {"subject", f.subject}, {"quantity", f.quantity},
          {"claim", f.claim},           {"found", f.found},     {"holds", f.holds()},
          {"has_power", f.has_power()}, {"tested", f.made},     {"evidence", f.evidence}};
}

/// A test that could not have fallen says nothing, and neither does one that was not made.
const char* verdict(const audit::Finding& f) {
  return !f.made ? "untested" : !f.holds() ? "FALLEN" : f.has_power() ? "holds" : "mute";
}

struct Counts {
  explicit Counts(const std::vector<audit::Finding>& findings) {
    for (const audit::Finding& f : findings) {
      ++(f.made ? claims : untested);
      fallen += !f.holds();
    }
  }
  int claims = 0, untested = 0, fallen = 0;
};

std::string table_of(const std::vector<audit::Finding>& findings) {
  std::string text = fmt::format("{:<10} {:<44} {:<26} {:>10} {:>10}  {:<8} {}\n", "check", "subject", "quantity",
                                 "claim", "found", "verdict", "evidence");
  for (const audit::Finding& f : findings) {
    text += fmt::format("{:<10} {:<44} {:<26} {:>10.4g} {:>10.4g}  {:<8} {}\n", f.check, f.subject, f.quantity, f.claim,
                        f.found, verdict(f), f.evidence);
  }
  const Counts counts(findings);
  return text +
         fmt::format("{} claims, {} fallen; {} not tested, see why", counts.claims, counts.fallen, counts.untested);
}

struct AuditVerb {
  explicit AuditVerb(CLI::App& app) : request(app), schema(app), given(app) {
    add_threads(app);
    app.add_flag("--all", all, "every layer over every method of the product, or over --method alone");
    app.add_flag("--museum", museum, "wrong methods of the literature, each with the evidence that breaks it");
    app.add_flag("--quick", options.quick, "fewer settings and games: a few minutes at most");
    add_count(app, "--games", options.games, "games on each neighbour")->check(CLI::Range(1, 1000000000));
    app.add_option("--check", options.check, "this check alone: " + list_of_checks())
        ->type_name(one_of({audit::checks().begin(), audit::checks().end()}));
    add_count(app, "--seed", options.seed, "of everything drawn; 0 takes bits from the operating system")
        ->capture_default_str();
    app.add_option("--data", data, "a file whose schema and facts the planned training has; its rows are not read")
        ->type_name("FILE");
    add_count(app, "--rows", facts.rows, "rows of the planned training; a block file says how many it has")
        ->capture_default_str();
    app.add_option("--svg", svg, "draw the trade-off curve promised and the one found")->type_name("FILE");
  }
  static std::string list_of_checks() {
    return join_names(std::vector<std::string_view>(audit::checks().begin(), audit::checks().end()));
  }

  void run(Output& output) {
    require(!museum || !all, "museum", "has rules of its own; run it apart from --all");
    if (museum) return run_museum(output);
    options.progress = [&output](double fraction) { output.progress("auditing", fraction); };
    const auto* method = given.get_option("--method");
    if (all) {
      if (method->count() > 0) options.method = name_of(make_by_name<Method>(method->as<std::string>(), "method"));
      return print(audit::audit_all(options), output);
    }
    require(method->count() > 0 || !data.empty(), "method",
            "say what to audit: --method (with its budget), --data, --all or --museum");
    require(options.check.empty(), "check", "chooses among those of --all or --museum");
    const audit::RequestAudit audited = audit::audit_request(request.request(), planned(), options);
    if (!svg.empty()) write_file(svg, audited.svg, "svg");
    print(audited.findings, output);
  }

  /// What is public about the file: its schema, and the number of rows that a block file states or that was given.
  Facts planned() const {
    if (data.empty()) return stated();
    const bool told = given.get_option("--rows")->count() > 0;
    if (!is_block_file(data)) {
      require(told, "rows", "must be given: a text file does not say how many rows it has, and none is read");
      require(!schema.bounds_from_data(), "assume_bounds_from_data",
              "would read rows, and an audit reads none; declare the bounds");
      const Schema declared = schema.schema(data);
      return text_rows(data, complete_by(data, declared, named_columns(data, declared)))->facts(facts.rows);
    }
    require(!schema.given(), "schema", "a block file carries its own declarations; give none here");
    const Facts known = BlockFile(data).facts();
    require(!told || facts.rows == known.rows, "rows",
            "got " + std::to_string(facts.rows) + ", the file says " + std::to_string(known.rows));
    return known;
  }

  /// Without a file: the flags of the same names, which a file would take as declarations.
  Facts stated() const {
    Facts all_stated = facts;
    const auto* features = given.get_option("--features");
    if (features->count() > 0)
      all_stated.features = parse_value<std::uint32_t>(features->as<std::string>(), "features");
    const auto* norm = given.get_option("--data-norm");
    if (norm->count() > 0) all_stated.data_norm = parse_number(norm->as<std::string>(), "data_norm");
    return all_stated;
  }

  static void print(const std::vector<audit::Finding>& findings, Output& output) {
    require(!findings.empty(), "method",
            "nothing was audited: no private method of that name, or none that the check treats");
    const Counts counts(findings);
    if (counts.fallen > 0) output.exit_code = 1;
    if (!output.json) return output.print(table_of(findings));
    Json json{{"claims", counts.claims},
              {"fallen", counts.fallen},
              {"untested", counts.untested},
              {"false_alarm", audit::kFalseAlarm}};
    json["findings"] = Json::array();
    for (const audit::Finding& f : findings) json["findings"].push_back(to_json(f));
    output.print(json.dump(2));
  }

  void run_museum(Output& output) const {
    const audit::GameRules rules = options.rules();
    double visited = 0;
    Json json = Json::array();
    std::string text;
    for (const audit::Exhibit& exhibit : audit::museum()) {
      if (!options.check.empty() && options.check != exhibit.name) continue;
      const audit::Exhibited shown = exhibit.show(rules);
      output.progress("auditing", ++visited / static_cast<double>(audit::museum().size()));
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
          "{} ({})\n  {}\n  claims epsilon {} at delta {}, has at least {}: {}\n  {}\n  {}: at least {} of {}, {}\n",
          exhibit.name, exhibit.reference, exhibit.what, up_text(shown.claim, 4), up_text(shown.delta, 3),
          down_text(shown.lower_bound, 4), shown.caught() ? "caught" : "NOT CAUGHT", shown.evidence, shown.control,
          down_text(shown.control_bound, 4), up_text(shown.control_claim, 4),
          shown.control_holds() ? "holds" : "FLAGGED");
    }
    require(!json.empty(), "check", "no exhibit has that name");
    output.print(output.json ? json.dump(2) : text);
  }

  RequestFlags request;
  SchemaFlags schema;
  CLI::App& given;
  audit::AuditOptions options;
  Facts facts{200, 10, 1.0, false};
  std::string data, svg;
  bool all = false, museum = false;
};

}  // namespace

void add_audit(CLI::App& program, Output& output) {
  add<AuditVerb>(program, output, "audit", "try to break the promises of this program; reads no row");
}

}  // namespace sotto::cli
