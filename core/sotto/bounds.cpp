// The run of a plan to find bounds: what is read when, what is charged when. The mathematics is in
// methods/bounds_plan.cpp, data/bound_counts.cpp and privacy/discovery.cpp.
#include "sotto/bounds.h"

#include <algorithm>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/sha256.h"
#include "sotto/data/schema_json.h"
#include "sotto/engines/file_rows.h"
#include "sotto/files/column_counts.h"
#include "sotto/files/fingerprint.h"
#include "sotto/files/reading.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/rounded_sum.h"

namespace sotto {
namespace {

double found_size(const BoundCounts& sizes, const BoundsRequest& request, double epsilon, Curator& curator) {
  return sizes.grid()[curator.choose(sizes.above(request.tail), size_choice(epsilon))];
}

/// Rows are clipped to it, so it need not be larger than what training takes: rarely, chance chooses a larger size.
double found_norm(const BoundCounts& sizes, const BoundsRequest& request, double epsilon, Curator& curator) {
  constexpr double kMaxTrained = 1e6;
  return std::min(found_size(sizes, request, epsilon, curator), kMaxTrained);
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

/// What every reading is held to before something is drawn from it: the data the ledger is about, or, without one, the
/// data of the first reading.
class ReadingCheck {
 public:
  ReadingCheck() = default;
  explicit ReadingCheck(const Ledger& ledger) : ledger_(&ledger) {}
  void require_same(const FileReading& reading) {
    if (ledger_ == nullptr) {
      if (!first_) first_ = reading.fingerprint;
      refuse_if(reading.fingerprint != *first_, "it changed while it was read; nothing is released");
      return;
    }
    refuse_if(!ledger_->is_about(reading.fingerprint),
              "it changed after it was identified; nothing is released, what was reserved stays spent");
    const std::uint64_t rows = ledger_->terms().rows;
    refuse_if(reading.rows != rows,
              "read like this it has not the " + std::to_string(rows) +
                  " rows the ledger was made for; nothing is released, what was reserved stays spent");
  }

 private:
  static void refuse_if(bool refused, const std::string& why) {
    if (refused) throw Error(ErrorKind::invalid_data, "data: " + why, "data");
  }
  const Ledger* ledger_ = nullptr;
  std::optional<Digest> first_;
};

/// A plan, and the file it is run on.
struct BoundsRun {
  const std::string& path;
  const BoundsRequest& request;
  const BoundsPlan& plan;
  ReadingCheck check{};
};

Schema with_columns(BoundsRun& run, Curator& curator) {
  auto& [path, request, plan, check] = run;
  Schema schema = plan.schema;
  const double epsilon = plan.epsilon_each;
  ColumnCounts counts = count_columns(path, schema, plan.open);
  check.require_same(counts.reading);
  std::vector<BoundCounts> numbers;
  for (const BoundCounts& sizes : counts.sizes) {
    numbers.emplace_back(range_grid(found_size(sizes, request, epsilon, curator)));
  }
  if (!numbers.empty()) check.require_same(count_numbers(path, schema, plan.open, numbers));
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
  cost.epsilon = sum_up(cost.epsilon, before->epsilon);
  cost.delta = sum_up(cost.delta, before->delta);
  cost.events.insert(cost.events.begin(), before->events.begin(), before->events.end());
  return cost;
}

Schema run_plan(BoundsRun run, Curator& curator) {
  Schema schema = run.plan.open.empty() ? run.plan.schema : with_columns(run, curator);
  if (run.request.data_norm) {
    const NormCounts counts = count_norms(run.path, schema);
    run.check.require_same(counts.reading);
    const double found = found_norm(counts.norms, run.request, run.plan.epsilon_each, curator);
    // Of released numbers and declarations alone: no row is longer.
    schema.data_norm = std::min(found, counts.largest.value_or(found));
  }
  return schema;
}

/// Of the request as it is carried out: what was left to the name of the file is resolved.
std::string digest_of(const std::string& path, const BoundsRequest& request, const BoundsPlan& plan,
                      const LedgerTerms& terms) {
  Sha256 hash;
  hash.add_text("sotto bounds 2");
  hash.add_text(terms.data_tag);
  Schema read = plan.schema;
  if (read.format == FileFormat::csv) read.separator = std::string(1, separator_of(path, read));
  hash.add_text(to_json(read));
  hash.add_number(plan.open.size());
  for (const OpenColumn& column : plan.open) {
    hash.add_text(column.name);
    hash.add_number(column.text ? 1 : 0);
  }
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

std::string digest_of(const NormSource& rows, const BoundsRequest& request, const LedgerUse& use) {
  Sha256 hash;
  hash.add_text("sotto data norm 1");
  hash.add_text(use.ledger.terms().data_tag);
  hash.add_text(rows.encoding);
  hash.add_number(use.part ? 1 : 0);
  const auto add = [&](std::string_view name, const auto& value, std::string_view) {
    hash.add_text(name);
    hash.add_text(value_text(value));
  };
  for_each_field(request, add);
  for_each_field(request.budget, add);
  return hex_of(hash.finish());
}

void check_rows_of(const std::string& path, const BoundsPlan& plan, const HearCheck& hear) {
  if (hear) check_rows(*text_rows(path, checkable(plan.schema)), hear, RowSource::Opening::plain);
}

ReleaseRequest asked_of(const BoundsPlan& plan, const BoundsRequest& request, const std::string& digest) {
  return {{plan.charges, plan.epsilon, plan.delta, plan.distance}, digest, std::nullopt, request.leave};
}

void refuse_relation(const BoundsRequest& request, const LedgerTerms& terms) {
  refuse_ledger_if(request.budget.relation != terms.filter.budget.relation, "it is kept under another relation");
}

}  // namespace

Schema find_bounds(const std::string& path, const BoundsRequest& request, BitSource& bits) {
  const BoundsPlan plan = plan_bounds(path, request);
  check_rows_of(path, plan, request.check);
  Curator curator(bits);
  for (const Charge& charge : plan.charges) curator.charge(charge);
  Schema schema = run_plan({path, request, plan}, curator);
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
  return {found_norm(counts, request, plan.epsilon_each, curator), cost_of(plan, request, ""), curator.stamps(), false};
}

FoundNorm find_data_norm(const NormSource& rows, const BoundsRequest& request, BitSource& bits, const LedgerUse& use) {
  const std::string& id = use.ledger.terms().id;
  refuse_relation(request, use.ledger.terms());
  const BoundsPlan plan = plan_data_norm(request);
  const Charged<FoundNorm> norm{
      asked_of(plan, request, digest_of(rows, request, use)), [&] { return rows.fingerprint; },
      [](const std::string& text) {
        const Schema before = schema_from_json(text);
        return FoundNorm{before.data_norm.value(), before.bounds_cost.value(), {}, true};
      },
      [&](Paid& paid) {
        Schema found;
        found.data_norm = found_norm(rows.count(), request, plan.epsilon_each, paid.curator());
        found.bounds_cost = cost_of(plan, request, id);
        paid.release(to_json(found));
        return FoundNorm{*found.data_norm, *found.bounds_cost, {}, false};
      }};
  return run_charged({use, bits}, norm);
}

FoundSchema find_bounds(const std::string& path, const BoundsRequest& request, BitSource& bits, const LedgerUse& use) {
  const LedgerTerms& terms = use.ledger.terms();
  const std::optional<BoundsCost>& before = request.schema.bounds_cost;
  refuse_relation(request, terms);
  refuse_ledger_if(use.part, "bounds are found on all of its rows, not on a part");
  if (before) refuse_other_bounds(*before, use.ledger);
  refuse_ledger_if(request.schema.bounds_from_data, "it takes private requests only: bounds were taken from the rows");
  const std::vector<std::string> open = unconfirmed(request.schema);
  refuse_ledger_if(!open.empty(), "it takes private requests only: nobody has confirmed that what is declared about " +
                                      list_of(open) + " is public");
  require_reading(reading_of(path, request.schema), terms);
  const BoundsPlan plan = plan_bounds(path, request, &terms.columns);
  ReleaseRequest asked = asked_of(plan, request, digest_of(path, request, plan, terms));
  if (!terms.blind) asked.check = [&] { check_rows_of(path, plan, request.check); };
  const Charged<FoundSchema> schema{
      asked, [&] { return fingerprint_of(path, plan.schema); },
      [](const std::string& text) {
        return FoundSchema{schema_from_json(text), true};
      },
      [&](Paid& paid) {
        FoundSchema found{run_plan({path, request, plan, ReadingCheck(use.ledger)}, paid.curator()), false};
        found.schema.bounds_cost = cost_of(plan, request, terms.id);
        paid.release(to_json(found.schema));
        return found;
      }};
  return run_charged({use, bits}, schema);
}

}  // namespace sotto
