#include "sotto/bounds.h"

#include <fmt/format.h>

#include <memory>

#include "bounds_flags.h"
#include "sotto/base/out_file.h"
#include "sotto/base/rounded_text.h"
#include "sotto/data/schema_json.h"
#include "sotto/model/json.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/privacy/rounded_sum.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

constexpr const char* kBoundsStored = "this request was answered before; the same bounds again, nothing was charged";

std::string found_words(const NumericColumn& column) {
  return column.range ? fmt::format("{:g} to {:g}", column.range->min, column.range->max) : "numbers as they are";
}
std::string found_words(const CategoryColumn& column) { return fmt::format("{}", fmt::join(column.values, ", ")); }
std::string found_words(const IgnoredColumn&) { return "ignored"; }

Json as_json(const BoundsPlaces& places, const FoundSchema& found) {
  Json json = Json::parse(to_json(found.schema));
  return Json{{"out", places.out},
              {"private", !found.schema.bounds_from_data},
              {"cost", json.at("bounds_cost")},
              {"stored", found.stored},
              {"schema", json}};
}
std::string as_text(const BoundsPlaces& places, const FoundSchema& found) {
  const BoundsCost& cost = *found.schema.bounds_cost;
  std::string text = fmt::format("Bounds of {}\n", places.data);
  for (const Column& column : found.schema.columns) {
    text += fmt::format("  {:<24} {}\n", column.name,
                        std::visit([](const auto& k) { return found_words(k); }, column.kind));
  }
  if (found.schema.data_norm) text += fmt::format("  {:<24} {:g}\n", "data_norm", *found.schema.data_norm);
  text += fmt::format("  {:<15} {}, {}; a model's card adds its training\n",
                      found.schema.bounds_from_data ? "NOT PRIVATE" : "cost", guarantee_text(cost.epsilon, cost.delta),
                      cost.relation);
  for (const BoundsCost::Spent& spent : cost.events) {
    text += fmt::format("  {:<15} {} epsilon {}, {}\n", "event", spent.event, up_text(spent.epsilon),
                        times_text(spent.times));
  }
  text += fmt::format("  {:<15} {}\n", "budget",
                      cost.ledger.empty() ? "no budget was enforced" : "ledger " + cost.ledger.substr(0, 12));
  if (found.stored) text += fmt::format("  {:<15} {}\n", "stored", kBoundsStored);
  return text + fmt::format("  {:<15} {}", "schema", places.out);
}

struct BoundsVerb {
  explicit BoundsVerb(CLI::App& app) : schema(app), fields(app, "Bounds"), budget(app, "Budget") {
    add_threads(app);
    app.add_option("--data", data, "file whose bounds are to be found: CSV, TSV, LIBSVM, IDX (also .gz)")
        ->required()
        ->type_name("FILE");
    app.add_option("--out", out, "where the schema is written, for --schema")->required()->type_name("FILE");
    app.add_option("--ledger", ledger, "charge this ledger before a row is read; refused if it does not fit")
        ->type_name("FILE");
    app.add_flag("--again", again, "with a ledger: draw and charge again although the same request was answered");
    add_count(app, "--noise-seed", noise_seed, "repeat the noise, for tests: the schema is NOT PRIVATE");
    fields.add_struct<BoundsRequest>();
    budget.add_struct<Budget>();
  }

  void run(const Output& output) const {
    require(!ledger.empty() || !again, "again", "is for finding bounds with a ledger");
    require(!schema.bounds_from_data(), "assume_bounds_from_data", "bounds are either taken from the rows or found");
    BoundsRequest asked;
    asked.schema = schema.declared();
    asked.data_norm = schema.private_norm();
    std::set<std::string> used;
    apply_fields(asked, fields.given(), used);
    apply_fields(asked.budget, budget.given(), used);
    BitSource bits = noise_seed ? BitSource(ReproducibleSeed{*noise_seed}) : BitSource();
    const FoundSchema found = find(asked, bits);
    write_file(out, to_json(found.schema) + "\n");
    print_found(output, {data, out}, found);
  }

  FoundSchema find(const BoundsRequest& asked, BitSource& bits) const {
    if (ledger.empty()) return {find_bounds(data, asked, bits), false};
    SqliteLedger open(ledger);
    return find_bounds(data, asked, bits, {open, again});
  }

  SchemaFlags schema;
  FieldFlags fields;
  FieldFlags budget;
  std::string data;
  std::string out;
  std::string ledger;
  bool again = false;
  std::optional<std::uint64_t> noise_seed;
};

}  // namespace

void print_found(const Output& output, const BoundsPlaces& places, const FoundSchema& found) {
  output.print(output.json ? as_json(places, found).dump(2) : as_text(places, found));
}

TrainBoundsFlags::TrainBoundsFlags(CLI::App& app, const SchemaFlags& schema) : schema_(schema), fields_(app, "Bounds") {
  app.add_flag("--private-bounds", columns_,
               "find undeclared ranges and values of --text columns in the rows, for a share of the budget")
      ->group("Bounds");
  add_number(app, "--private-share", share_, "share of epsilon and delta for bounds, also for --data-norm private")
      ->group("Bounds")
      ->capture_default_str();
  fields_.add_struct<BoundsRequest>();
}

BoundsRequest TrainBoundsFlags::share_of(Budget& budget) const {
  require(share_ > 0 && share_ < 1, "private_share", "must lie between 0 and 1");
  budget = budget.within_reach();
  budget.check();
  require(!schema_.bounds_from_data(), "private_bounds", "bounds are either taken from the rows or found");
  BoundsRequest request;
  request.schema = schema_.declared();
  request.columns = columns_;
  request.data_norm = schema_.private_norm();
  std::set<std::string> used;
  apply_fields(request, fields_.given(), used);
  request.budget = budget;
  const Split epsilons = split(budget.epsilon, share_, Filter::kLossUnits),
              deltas = split(budget.delta, share_, Filter::kDeltaUnits);
  request.budget.epsilon = epsilons.share;
  request.budget.delta = deltas.share;
  budget.epsilon = epsilons.rest;
  budget.delta = deltas.rest;
  return request;
}

void add_bounds(CLI::App& data, Output& output) {
  add<BoundsVerb>(data, output, "bounds",
                  "find ranges, values of text columns and the data norm privately; writes a schema");
}

}  // namespace sotto::cli
