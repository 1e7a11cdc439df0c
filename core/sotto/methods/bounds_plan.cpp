// What: which draws find the open bounds of a schema, their calibration, and the run.
// Formula: choices by u of data/bound_counts.cpp, R = 1, with the public preference s i R/e for the i-th candidate
//   inwards, so that of two bounds that leave out as few rows the tighter is likelier. A range: its size (s = 1/16, 16
//   steps an octave, or e/8), then both bounds on an even grid of that size (s = 1/4, or e/4). The norm: a size. A text
//   column: Discovery. k draws of epsilon e each: e = epsilon/k, or the largest e with rho(e) <= rho(epsilon,
//   delta_rest), the larger one; delta = delta_rest (0 for the sum) + (1 + exp(epsilon)) tau, tau = text columns *
//   Discovery::distance.
// Conditions: number and epsilon of the draws are fixed by declarations and column names; candidates are public; rows
//   are read for the norm through the bounds released before (adaptive composition). A range that is found empty is
//   widened, a column without a value found is ignored: both after the noise.
// Reference: [McSherry07], [Cesar21], [Canonne20, Proposition 12]; data/bound_counts.cpp, privacy/discovery.cpp.
// Fails if wrong: Bounds.* (recomputed cost, games between neighbours, ledger)
#include "sotto/methods/bounds_plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/column_counts.h"
#include "sotto/files/complete.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/discovery.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

// Past all the rows a preference must not outweigh them: it adds up to 26 from 64 down to the least size and to 32 on a
// range, or, where epsilon is large, to what 52 and 32 rows weigh.
double size_preference(double epsilon) { return std::fmax(1.0 / 16, epsilon / 8); }
double range_preference(double epsilon) { return std::fmax(1.0 / 4, epsilon / 4); }
constexpr double kDown = 1 - 0x1p-40;

/// The schema with every column listed, and which of them are open.
void lay_out(const std::string& path, const BoundsRequest& request, const std::vector<std::string>* columns,
             BoundsPlan& plan) {
  Schema all = request.schema;
  all.data_norm = kMaxDataNorm;  // so that numbers without a range are no gap
  std::set<std::string> open_texts;
  for (Column& column : all.columns) {
    auto* category = std::get_if<CategoryColumn>(&column.kind);
    if (!request.columns || category == nullptr || !category->values.empty()) continue;
    category->values = {"to be found"};
    open_texts.insert(column.name);
  }
  plan.schema = columns != nullptr ? complete_by(path, all, *columns) : complete_for(path, all);
  plan.schema.data_norm = request.schema.data_norm;
  if (!request.columns || plan.schema.format != FileFormat::csv) return;
  for (std::size_t i = 0; i < plan.schema.columns.size(); ++i) {
    const Column& column = plan.schema.columns[i];
    const auto* numeric = std::get_if<NumericColumn>(&column.kind);
    const bool text = open_texts.contains(column.name);
    if (!text && (numeric == nullptr || numeric->range)) continue;
    plan.open.push_back({column.name, text});
    plan.into.push_back(i);
  }
}

struct Draws {
  std::uint64_t choices = 0;
  std::uint64_t discoveries = 0;
  std::uint64_t all() const noexcept { return choices + discoveries; }
};

std::vector<Charge> charges_of(const Draws& draws, double epsilon) {
  std::vector<Charge> charges;
  if (draws.choices > 0) charges.push_back({ExponentialEvent{epsilon}, draws.choices});
  if (draws.discoveries > 0) charges.push_back({DiscreteLaplaceEvent{epsilon}, draws.discoveries});
  return charges;
}

/// The largest epsilon of each draw at which all cost at most rho.
double epsilon_for(const Draws& draws, double rho, Relation relation) {
  double low = 0, high = 1e3;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (zcdp_rho_of(event_of(charges_of(draws, middle)), relation) <= rho ? low : high) = middle;
  }
  return low * kDown;
}

void calibrate_draws(const BoundsRequest& request, const Draws& draws, BoundsPlan& plan) {
  const Budget budget = request.budget.within_reach();
  require(draws.discoveries == 0 || budget.delta > 0, "delta",
          "must be above 0 to find the values of text columns; or declare them");
  const double for_texts = draws.discoveries > 0 ? budget.delta / 2 : 0;
  const double rest = budget.delta - for_texts;
  plan.epsilon = budget.epsilon;
  plan.epsilon_each = budget.epsilon / static_cast<double>(draws.all()) * kDown;
  if (rest > 0) {
    const double by_zcdp = epsilon_for(draws, zcdp_rho(budget.epsilon, rest), budget.relation);
    if (by_zcdp > plan.epsilon_each) {
      plan.epsilon_each = by_zcdp;
      plan.delta = rest;
    }
  }
  plan.charges = charges_of(draws, plan.epsilon_each);
  if (draws.discoveries == 0) return;
  const double price = (1 + std::exp(budget.epsilon)) * static_cast<double>(draws.discoveries);
  plan.allowed = for_texts / price * kDown;
  const Discovery law{plan.epsilon_each, budget.relation, plan.allowed, request.max_categories};
  law.check();
  plan.distance = law.distance() * static_cast<double>(draws.discoveries);
  plan.delta += law.distance() * price;
}

Choice choice_among(std::size_t candidates, double epsilon, double preference) {
  Choice choice{BoundCounts::kRange, epsilon, Aim::largest, Vector(candidates)};
  for (std::size_t i = 0; i < candidates; ++i) {
    choice.offsets[i] = static_cast<double>(candidates - 1 - i) * preference * choice.range / epsilon;
  }
  return choice;
}

void check_request(const BoundsRequest& request) {
  request.budget.within_reach().check();
  require(request.tail >= 0 && request.tail < 0.5, "tail", "must be at least 0 and below 0.5");
  require(request.max_categories > 0, "max_categories", "must be above 0");
  const std::optional<BoundsCost>& before = request.schema.bounds_cost;
  require(!before || before->relation == enum_name(request.budget.relation), "relation",
          "must be the one the other bounds of the schema were found under");
}

}  // namespace

Choice size_choice(double epsilon) { return choice_among(size_grid().size(), epsilon, size_preference(epsilon)); }
Choice upper_choice(double epsilon) { return choice_among(range_grid(1).size(), epsilon, range_preference(epsilon)); }
Choice lower_choice(double epsilon) {
  Choice choice = upper_choice(epsilon);
  std::ranges::reverse(choice.offsets);
  return choice;
}

BoundsPlan plan_bounds(const std::string& path, const BoundsRequest& request, const std::vector<std::string>* columns) {
  check_request(request);
  require(!is_block_file(path), "data", "a block file has its bounds already; find them in the file it is made from");
  BoundsPlan plan;
  lay_out(path, request, columns, plan);
  Draws draws;
  for (const OpenColumn& column : plan.open) column.text ? ++draws.discoveries : draws.choices += 3;
  if (request.data_norm) ++draws.choices;
  require(draws.all() > 0, "columns", "every bound is declared; there is nothing to find");
  calibrate_draws(request, draws, plan);
  return plan;
}

BoundsPlan plan_data_norm(const BoundsRequest& request) {
  check_request(request);
  BoundsPlan plan;
  calibrate_draws(request, {.choices = 1}, plan);
  return plan;
}

}  // namespace sotto
