#include <fmt/format.h>

#include "bounds_flags.h"
#include "sotto/base/out_file.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/inspect.h"
#include "sotto/model/json.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

constexpr const char* kSuggested = "NOT FOR RELEASE before it is confirmed: suggestions from private rows";
constexpr const char* kConfirmed = "confirmed by its holder: everything in it is declared to be public";

std::string draft_words(const NumericColumn& column) {
  std::string text = column.range ? fmt::format("{:g} to {:g}", column.range->min, column.range->max) : "as they are";
  if (column.scale == NumericScale::log1p) text += ", logarithmic";
  return text;
}
std::string draft_words(const CategoryColumn& column) { return fmt::format("{} values", column.values.size()); }
std::string draft_words(const IgnoredColumn&) { return "left out"; }
std::string draft_words(const ColumnKind& kind) {
  return std::visit([](const auto& each) { return draft_words(each); }, kind);
}

struct SchemaVerb {
  explicit SchemaVerb(CLI::App& app) : schema(app), bounds(app, "Private"), budget(app, "Private") {
    app.add_option("data", data, "the file to write a schema for: CSV or TSV (also .gz)")
        ->required()
        ->type_name("FILE");
    app.add_option("--out", out, "where the schema is written, for --schema")->required()->type_name("FILE");
    app.add_flag("--confirm", confirmed, "your word that all of it is public: known without looking at these rows");
    const auto in_private = [](CLI::Option* option) { return option->group("Private"); };
    in_private(app.add_flag("--private", privately,
                            "find ranges and values privately; kinds and classes are those of --schema, or flags"));
    in_private(app.add_option("--ledger", ledger, "with --private: charge this ledger")->type_name("FILE"));
    bounds.add_struct<BoundsRequest>();
    budget.add_struct<Budget>();
  }

  void run(const Output& output) const {
    require(!privately || !confirmed, "confirm", "what is found privately needs no confirmation");
    require(privately || (ledger.empty() && budget.given().empty() && bounds.given().empty()), "private",
            "must be said for epsilon, delta, ledger and the like to have a meaning");
    require(!schema.bounds_from_data(), "assume_bounds_from_data", "is what this verb does; leave it out");
    if (privately) return run_private(output);
    SchemaDraft draft = draft_for(data, schema.declared());
    if (confirmed) confirm(draft.schema);
    write_file(out, to_json(draft.schema) + "\n");
    output.print(output.json ? json_of(draft).dump(2) : text_of(draft));
  }

  Json json_of(const SchemaDraft& draft) const {
    Json json{{"out", out}, {"unconfirmed", unconfirmed(draft.schema)}, {"why", Json::object()}};
    for (const DraftedColumn& each : draft.columns) json["why"][each.column.name] = each.why;
    json["remark"] = confirmed ? kConfirmed : kSuggested;
    json["schema"] = Json::parse(to_json(draft.schema));
    return json;
  }
  std::string text_of(const SchemaDraft& draft) const {
    std::string text = fmt::format("Schema of {}\n", data);
    for (const auto& [column, why] : draft.columns) {
      text +=
          fmt::format("  {:<18} {:<9} {:<24} {}\n", column.name, name_of(column.kind), draft_words(column.kind), why);
    }
    const Label& label = draft.schema.label;
    text += fmt::format("  {:<18} {:<9} {}\n", label.column, "label",
                        fmt::join(class_texts(label), label.classes.empty() ? " (negative), " : ", "));
    text += fmt::format("  {:<18} {:<9} longer rows are scaled down to it\n", "data_norm",
                        fmt::format("{:g}", draft.schema.data_norm.value_or(1)));
    text += fmt::format("  {:<18} {}\n  {:<18} {}\n", "remark", confirmed ? kConfirmed : kSuggested, "written", out);
    if (confirmed)
      return text +
             fmt::format("  {:<18} sotto train --data {} --schema {} --epsilon 1 --out m.json", "next", data, out);
    return text + fmt::format(
                      "  {:<18} edit {}: replace what nobody may learn from these rows by what is known without\n"
                      "  {:<18} them, then sotto data schema {} --schema {} --confirm --out {}",
                      "next", out, "", data, out, out);
  }

  /// The draft without what was suggested: kinds and classes are the holder's word from here on.
  BoundsRequest private_request() const {
    BoundsRequest asked;
    asked.schema = schema.declared();
    asked.data_norm = schema.private_norm();
    require(asked.schema.label.is_public, "label",
            "confirm its classes first: they are not found privately. Declare classes, or set public to true");
    forget_suggestions(asked.schema);
    std::set<std::string> used;
    apply_fields(asked, bounds.given(), used);
    apply_fields(asked.budget, budget.given(), used);
    return asked;
  }
  void run_private(const Output& output) const {
    const BoundsRequest asked = private_request();
    BitSource bits;
    std::optional<SqliteLedger> book;
    if (!ledger.empty()) book.emplace(ledger);
    const FoundSchema found =
        book ? find_bounds(data, asked, bits, {*book}) : FoundSchema{find_bounds(data, asked, bits), false};
    write_file(out, to_json(found.schema) + "\n");
    print_found(output, {data, out}, found);
    const std::vector<std::string> kinds = unconfirmed(schema.declared());
    if (kinds.empty()) return;
    output.remark("--private is your word that these are public: the kind of " + list_of(kinds) +
                  ", and whether its numbers may be missing");
  }

  SchemaFlags schema;
  FieldFlags bounds;
  FieldFlags budget;
  std::string data;
  std::string out;
  std::string ledger;
  bool confirmed = false;
  bool privately = false;
};

}  // namespace

void add_draft(CLI::App& data, Output& output) {
  add<SchemaVerb>(data, output, "schema", "write a first schema for a file, to be edited and confirmed; or --private");
}

}  // namespace sotto::cli
