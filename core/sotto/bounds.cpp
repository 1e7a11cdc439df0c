// The run of a plan to find bounds: what is read when, what is charged when. The mathematics is in
// algorithms/bounds_plan.cpp, data/bound_counts.cpp and privacy/discovery.cpp.
#include "sotto/bounds.h"

#include <algorithm>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/sha256.h"
#include "sotto/data/fingerprint.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto {
namespace {

double found_size(const BoundCounts& sizes, const BoundsRequest& request, double epsilon, Curator& curator) {
  return sizes.grid()[curator.choose(sizes.above(request.tail), size_choice(epsilon))];
}

Range found_range(const BoundCounts& counts, const BoundsRequest& request, double epsilon, Curator& curator) {
  const std::vector<double>& grid = counts.grid();
  const std::size_t low = curator.choose(counts.below(request.tail), lower_choice(epsilon));
  const std::size_t high = curator.choose(counts.above(request.tail), upper_choice(epsilon));
  const std::size_t least = std::min(low, grid.size() - 2);
  return {grid[least], grid[std::max(high, least + 1)]};
}

ColumnKind found_category(Sensitive<TextCounts>&& counts, const Discovery& law, Curator& curator) {
  std::vector<std::string> values = curator.discover(std::move(counts), law);
  if (values.empty()) return IgnoredColumn{};
  return CategoryColumn{std::move(values)};
}

Schema with_columns(const std::string& path, const BoundsRequest& request, const BoundsPlan& plan, Curator& curator) {
  Schema schema = plan.schema;
  const double epsilon = plan.epsilon_each;
  ColumnCounts counts = count_columns(path, schema, plan.open);
  std::vector<BoundCounts> numbers;
  for (const BoundCounts& sizes : counts.sizes) {
    numbers.emplace_back(range_grid(found_size(sizes, request, epsilon, curator)));
  }
  if (!numbers.empty()) count_numbers(path, schema, plan.open, numbers);
  const Discovery law{epsilon, request.budget.relation, plan.allowed, request.max_categories};
  auto number = numbers.begin();
  auto text = counts.texts.begin();
  for (std::size_t i = 0; i < plan.open.size(); ++i) {
    ColumnKind& kind = schema.columns[plan.into[i]].kind;
    if (plan.open[i].text) {
      kind = found_category(std::move(*text++), law, curator);
    } else {
      std::get<NumericColumn>(kind).range = found_range(*number++, request, epsilon, curator);
    }
  }
  return schema;
}

BoundsCost cost_of(const BoundsPlan& plan, const BoundsRequest& request, const std::string& ledger) {
  BoundsCost cost{std::string(enum_name(request.budget.relation)), plan.epsilon, plan.delta, {}, ledger};
  for (const Charge& charge : plan.charges) {
    const EventSummary event = summary(charge.event);
    cost.events.push_back({std::string(event.name), event.value, charge.times});
  }
  const std::optional<BoundsCost>& before = request.schema.bounds_cost;
  if (!before) return cost;
  cost.epsilon += before->epsilon;
  cost.delta += before->delta;
  cost.events.insert(cost.events.begin(), before->events.begin(), before->events.end());
  return cost;
}

Schema run_plan(const std::string& path, const BoundsRequest& request, const BoundsPlan& plan, Curator& curator) {
  Schema schema = plan.open.empty() ? plan.schema : with_columns(path, request, plan, curator);
  if (request.data_norm) {
    schema.data_norm = found_size(count_norms(path, schema), request, plan.epsilon_each, curator);
  }
  return schema;
}

std::string digest_of(const BoundsRequest& request, const LedgerTerms& terms) {
  Sha256 hash;
  hash.add_text("sotto bounds 1");
  hash.add_text(terms.data_tag);
  hash.add_text(to_json(request.schema));
  hash.add_number(request.columns ? 1 : 0);
  hash.add_number(request.data_norm ? 1 : 0);
  const auto add = [&](std::string_view name, const auto& value, std::string_view) {
    hash.add_text(name);
    hash.add_text(value_text(value));
  };
  for_each_field(request, add);
  for_each_field(request.budget, add);
  return hex_of(hash.finish());
}

void require_same_data(const std::string& path, const Schema& schema, const Ledger& ledger) {
  if (ledger.is_about(fingerprint_of(path, schema))) return;
  throw Error(ErrorKind::invalid_data, "data: this is not the data the ledger was made for", "data");
}

}  // namespace

Schema find_bounds(const std::string& path, const BoundsRequest& request, BitSource& bits) {
  const BoundsPlan plan = plan_bounds(path, request);
  Curator curator(bits);
  for (const Charge& charge : plan.charges) curator.charge(charge);
  Schema schema = run_plan(path, request, plan, curator);
  schema.bounds_cost = cost_of(plan, request, "");
  schema.bounds_from_data = schema.bounds_from_data || !curator.stamps().empty();
  return schema;
}

FoundNorm find_data_norm(const BoundCounts& counts, const Budget& budget, double tail, BitSource& bits) {
  BoundsRequest request;
  request.budget = budget;
  request.tail = tail;
  const BoundsPlan plan = plan_data_norm(request);
  Curator curator(bits);
  for (const Charge& charge : plan.charges) curator.charge(charge);
  return {found_size(counts, request, plan.epsilon_each, curator), cost_of(plan, request, ""), curator.stamps()};
}

FoundSchema find_bounds(const std::string& path, const BoundsRequest& request, BitSource& bits, const LedgerUse& use) {
  Ledger& ledger = use.ledger;
  const LedgerTerms& terms = ledger.terms();
  const std::optional<BoundsCost>& before = request.schema.bounds_cost;
  refuse_ledger_if(request.budget.relation != terms.filter.budget.relation, "it is kept under another relation");
  refuse_ledger_if(before && before->ledger != terms.id, "other bounds of the schema were found without charging it");
  refuse_ledger_if(request.schema.bounds_from_data, "it takes private requests only: bounds were taken from the rows");
  const BoundsPlan plan = plan_bounds(path, request);
  const std::string digest = digest_of(request, terms);
  const std::optional<std::string> stored = use.again ? std::nullopt : ledger.stored(digest);
  const PlannedCost cost{plan.charges, plan.epsilon, plan.delta, plan.distance};
  if (!stored) {
    const Filter filter = ledger.filter();
    const Filter::Cost asked = cost_in(filter, cost);
    const Filter::Cost whole{asked.loss + request.leave.loss, asked.delta + request.leave.delta};
    if (!filter.fits(whole)) refuse_spending(filter, whole);
  }
  require_same_data(path, plan.schema, ledger);
  if (stored) return {schema_from_json(*stored), true};
  Curator curator(bits);
  Reservation reservation = curator.charge(cost, ledger, digest);
  reservation.begin_reading();
  FoundSchema found{run_plan(path, request, plan, curator), false};
  require_same_data(path, plan.schema, ledger);  // it may have been replaced meanwhile
  found.schema.bounds_cost = cost_of(plan, request, terms.id);
  ledger.release(std::move(reservation), to_json(found.schema));
  return found;
}

}  // namespace sotto
