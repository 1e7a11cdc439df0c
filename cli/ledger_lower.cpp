#include <fmt/format.h>

#include <optional>

#include "field_flags.h"
#include "ledger_verb.h"
#include "sotto/base/rounded_text.h"
#include "sotto/model/filter_json.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

/// What a ledger promises now, and what is left of it.
void print_budget(SqliteLedger& ledger, const Output& output) {
  const Filter filter = ledger.filter();
  const Budget& budget = filter.budget();
  if (output.json) return output.print(Json{{"ledger", ledger.terms().id}, {"budget", budget_json(filter)}}.dump(2));
  output.print(
      fmt::format("Ledger {:.12}\n  {:<15} all releases together keep {}, from now on\n  {:<15} {}\n  {:<15} {}",
                  ledger.terms().id, "guarantee", guarantee_text(budget.epsilon, budget.delta), "filter",
                  filter_words(filter.kind(), budget), "left", budget_words(filter)));
}

struct LowerVerb : LedgerVerb {
  explicit LowerVerb(CLI::App& app) : LedgerVerb(app) {
    add_number(app, "--budget-epsilon", epsilon, "what all releases together keep from now on; less than before")
        ->required();
    add_number(app, "--budget-delta", delta, "the same for delta; it stays if it is not said");
  }
  void run(const Output& output) const {
    SqliteLedger ledger(path);
    ledger.lower(epsilon, delta);
    print_budget(ledger, output);
  }
  double epsilon = 0;
  std::optional<double> delta;
};

}  // namespace

void add_ledger_lower(CLI::App& ledger, Output& output) {
  add<LowerVerb>(ledger, output, "lower", "lower the budget of a ledger; it is never raised");
}

}  // namespace sotto::cli
