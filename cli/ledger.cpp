#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "check.h"
#include "data_flags.h"
#include "ledger_verb.h"
#include "sotto/base/out_file.h"
#include "sotto/base/rounded_text.h"
#include "sotto/base/time_text.h"
#include "sotto/charged_run.h"
#include "sotto/engines/file_rows.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/complete.h"
#include "sotto/files/fingerprint.h"
#include "sotto/files/load.h"
#include "sotto/files/reading.h"
#include "sotto/model/filter_json.h"
#include "sotto/privacy/ledger/asked_budget.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

Json terms_json(const LedgerTerms& terms) {
  const Budget& budget = terms.filter.budget;
  return Json{{"ledger", terms.id},
              {"guarantee", Json{{"epsilon", budget.epsilon}, {"delta", budget.delta}}},
              {"relation", enum_name(budget.relation)},
              {"unit", terms.unit},
              {"filter", enum_name(terms.filter.kind)},
              {"rdp_order", terms.filter.rdp_order},
              {"delta_policy", enum_name(terms.delta_policy())},
              {"rows", terms.rows},
              {"public_key", terms.public_key},
              {"reading", terms.reading},
              {"columns", terms.columns},
              {"blind", terms.blind}};
}

std::string terms_text(const LedgerTerms& terms) {
  const Budget& budget = terms.filter.budget;
  std::string text = fmt::format("Ledger {:.12}\n", terms.id);
  text += fmt::format("  {:<15} all releases together keep {}, {} ({})\n", "guarantee",
                      guarantee_text(budget.epsilon, budget.delta), enum_name(budget.relation), terms.unit);
  text +=
      fmt::format("  {:<15} {}: {}\n", "filter", enum_name(terms.filter.kind), filter_words(terms.filter.kind, budget));
  text += fmt::format("  {:<15} {} rows, known by their content\n", "data", terms.rows);
  text += fmt::format("  {:<15} {}\n", "read as",
                      terms.reading.empty() ? "block files and arrays; no text" : terms.reading);
  text += fmt::format("  {:<15} {}\n", "check",
                      terms.blind ? "blind: no request looks at the rows first"
                                  : "who makes a request is told what is strange about the rows");
  if (terms.columns.empty()) return text;
  return text + fmt::format("  {:<15} {}\n", "columns", fmt::join(terms.columns, ", "));
}

struct CreateVerb : LedgerVerb {
  explicit CreateVerb(CLI::App& app) : LedgerVerb(app), schema(app), check(app) {
    add_threads(app);
    const auto add = [&](const char* flag, auto& target, const char* help) {
      return app.add_option(flag, target, help)->type_name("");
    };
    add_number(app, "--budget-epsilon", asked.epsilon, "what all releases together may cost, above 0")->required();
    add_number(app, "--budget-delta", asked.delta,
               "the same for delta; 0 takes exact pure noise only (default: 1/(10 rows^1.1), down to a power of ten)");
    add("--data", data, "the data the budget belongs to, by content and not by name")->required()->type_name("FILE");
    add("--relation", relation, "which data sets are neighbours; ledgers are offered for replace_one")
        ->capture_default_str();
    add("--filter", asked.filter,
        "how releases add up: sum (the default), zcdp, rdp or gdp; 'sotto explain zcdp' says what it would allow")
        ->type_name(one_of(choices_of<FilterKind>()));
    add_number(app, "--rdp-order", asked.rdp_order,
               "the order of the rdp filter (default: the best for Gaussian noise)");
    add("--unit", terms.unit, "whose presence is hidden; only one row has a proof")->capture_default_str();
    app.add_flag(
        "--blind", terms.blind,
        "no request on this ledger ever looks at the rows first: for a holder who runs the requests of others");
    add("--anchor", anchor, "where the anchor is kept, best on another disk (default: beside the ledger)")
        ->type_name("FILE");
  }

  void run(const Output& output) {
    require(terms.unit == "one row", "unit", "got '" + terms.unit + "', must be 'one row'");
    asked.relation = enum_by_name<Relation>(relation, "relation");
    refuse_existing();
    opened_filter(asked, 1);  // refused before the file is read
    SqliteLedger::check_relation(asked.relation);
    require(!schema.bounds_from_data(), "schema", "bounds are no part of a ledger; declare them when training");
    const Schema declared = is_block_file(data) ? Schema{} : schema.schema(data);
    auto [counted, fingerprint] = is_block_file(data) ? counted_blocks() : count_rows(data, declared);
    if (!terms.blind && declares_rows(declared)) {
      check_rows(*text_rows(data, complete_for(data, checkable(declared))), check.hear(output),
                 RowSource::Opening::plain);
    }
    terms.rows = counted.rows;
    terms.filter = opened_filter(asked, terms.rows).state();
    terms.reading = std::move(counted.reading);
    terms.columns = std::move(counted.columns);
    SqliteLedger::create(path, terms, fingerprint, anchor);
    SqliteLedger made(path);
    const bool together = on_one_file_system(made.place().path, made.place().anchor);
    if (!output.json) {
      const std::string text =
          terms_text(made.terms()) + other_filters() + fmt::format("  {:<15} {}", "anchor", made.place().anchor);
      return output.print(text + (together ? fmt::format("\n  {:<15} {}", "remark", kTogether) : ""));
    }
    Json json = terms_json(made.terms());
    json["anchor"] = made.place().anchor;
    json["filters"] = filters_json(made.terms().filter.budget);
    if (together) json["remark"] = kTogether;
    output.print(json.dump(2));
  }

  /// No ledger is replaced. After a slip its holder may take one away from which nothing was spent.
  void refuse_existing() const {
    if (!std::filesystem::exists(path)) return;
    SqliteLedger there(path);
    const std::string what =
        there.entries().empty()
            ? "nothing was charged to it: to make it anew, remove it and its anchor " + there.place().anchor
            : "it was charged: its budget can be lowered by 'sotto ledger lower', and no new one is made";
    throw Error(ErrorKind::io, path + ": is a ledger already; " + what, "ledger");
  }
  /// Where nobody chose a filter, what the others would allow.
  std::string other_filters() const {
    if (!asked.filter.empty()) return {};
    std::string text;
    for (const Json& other : filters_json(terms.filter.budget)) {
      if (other["filter"] == enum_name(terms.filter.kind)) continue;
      text += fmt::format("  {:<15} {}: {}\n", text.empty() ? "or, by --filter" : "",
                          other["filter"].get<std::string>(), other["words"].get<std::string>());
    }
    return text;
  }
  static constexpr const char* kTogether =
      "ledger and anchor are on one file system: whoever restores both from a copy gets the budget back; "
      "--anchor keeps it elsewhere";
  static bool on_one_file_system(const std::string& one, const std::string& other) {
    struct stat first {
    }, second{};
    return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev;
  }

  /// Often the declarations come with the requests.
  bool declares_rows(const Schema& declared) const {
    if (is_block_file(data)) return false;
    const FileFormat format = format_of(data, declared);
    return format == FileFormat::csv ? !declared.label.column.empty()
                                     : format == FileFormat::idx || declared.features > 0;
  }
  Fingerprinted<CountedRows> counted_blocks() const {
    const BlockFile file(data);
    return {{file.facts().rows, "", {}}, fingerprint_of(file)};
  }

  SchemaFlags schema;
  CheckFlag check;
  LedgerTerms terms;
  AskedBudget asked;
  std::string data;
  std::string relation = "replace_one";
  std::string anchor;
};

struct ShowVerb : LedgerVerb {
  explicit ShowVerb(CLI::App& app) : LedgerVerb(app) {
    app.add_flag("--fingerprints", fingerprints, "also by what tag the ledger knows its data; not for release");
  }
  void run(const Output& output) const {
    SqliteLedger ledger(path);
    const Filter filter = ledger.filter();
    std::array<std::uint64_t, 3> states{};
    for (const LedgerEntry& entry : ledger.entries()) ++states.at(static_cast<std::size_t>(entry.state));
    if (output.json) return output.print(json_of(ledger, filter, states).dump(2));
    std::string text = terms_text(ledger.terms());
    text += fmt::format("  {:<15} {}\n  {:<15} [{}]\n", "left", budget_words(filter), "", currency_words(filter));
    text += fmt::format("  {:<15} {} released, {} reserved and spent without a release, {} voided before a read\n",
                        "entries", states[1], states[0], states[2]);
    if (fingerprints) {
      text +=
          fmt::format("  {:<15} {} (keyed by this ledger; {})\n", "data tag", ledger.terms().data_tag, kNotForRelease);
    }
    output.print(text + fmt::format("  {:<15} {}", "anchor", ledger.place().anchor));
  }
  Json json_of(SqliteLedger& ledger, const Filter& filter, const std::array<std::uint64_t, 3>& states) const {
    Json json = terms_json(ledger.terms());
    if (fingerprints) json["data_tag"] = Json{{"tag", ledger.terms().data_tag}, {"remark", kNotForRelease}};
    json["anchor"] = ledger.place().anchor;
    json["budget"] = budget_json(filter);
    json["currency"] = filter.currency();
    json["book_keeping"] = "spent and remaining are not guarantees; the guarantee is the budget";
    json["limit"] = filter.limit().loss_number();
    json["spent"] = filter.spent().loss_number();
    json["remaining"] = filter.remaining().loss_number();
    json["exact"] = Json{{"limit", to_json(filter.limit())},
                         {"spent", to_json(filter.spent())},
                         {"remaining", to_json(filter.remaining())}};
    json["would_fit"] = would_fit_json(filter);
    json["states"] = Json{{"reserved", states[0]}, {"released", states[1]}, {"voided", states[2]}};
    json["entries"] = entries_json(ledger.entries());
    return json;
  }
  static constexpr const char* kNotForRelease = "not for release";
  bool fingerprints = false;
};

struct MoveVerb : LedgerVerb {
  explicit MoveVerb(CLI::App& app) : LedgerVerb(app) {
    app.add_option("--anchor", anchor, "where the anchor is from now on (default: beside the ledger)")
        ->type_name("FILE");
    app.add_flag(
        "--former-is-gone", gone,
        "your word that no ledger is left where this one was and its anchor cannot be reached: two would spend");
  }
  void run(const Output& output) const {
    SqliteLedger::move(path, anchor, gone ? SqliteLedger::Former::gone : SqliteLedger::Former::told);
    SqliteLedger moved(path);
    const Json json{{"ledger", moved.place().path}, {"anchor", moved.place().anchor}};
    output.print(output.json ? json.dump(2)
                             : fmt::format("{} is the one valid copy from now on, its anchor is {}", moved.place().path,
                                           moved.place().anchor));
  }
  std::string anchor;
  bool gone = false;
};

}  // namespace

void add_ledger(CLI::App& program, Output& output) {
  CLI::App* ledger = program.add_subcommand("ledger", "one budget for all releases from a data set");
  ledger->require_subcommand(1);
  add<CreateVerb>(*ledger, output, "create", "open a budget for a data set; nothing refunds it");
  add<ShowVerb>(*ledger, output, "show", "the guarantee, what is spent of it and what would still fit");
  add_ledger_log(*ledger, output);
  add_ledger_lower(*ledger, output);
  add_ledger_checks(*ledger, output);
  add<MoveVerb>(*ledger, output, "move", "declare a moved ledger the one valid copy; other copies are refused then");
}

}  // namespace sotto::cli
