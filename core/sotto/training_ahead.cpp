#include "sotto/training_ahead.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sotto/base/error.h"
#include "sotto/data/encoder.h"
#include "sotto/files/column_counts.h"

namespace sotto {
namespace {

bool is_within(const Filter::Cost& cost, const Filter::Cost& most) {
  return cost.loss <= most.loss && cost.delta <= most.delta;
}

/// The features if so many values are found of each open text column; none: the column is left out.
std::uint32_t features_with(const BoundsPlan& plan, std::uint32_t values_each) {
  Schema schema = plan.schema;
  if (!schema.data_norm) schema.data_norm = TrainingAhead::kSureNorm;
  for (std::size_t i = 0; i < plan.open.size(); ++i) {
    if (!plan.open[i].text) continue;
    ColumnKind& kind = schema.columns[plan.into[i]].kind;
    if (values_each == 0) {
      kind = IgnoredColumn{};
      continue;
    }
    CategoryColumn category;
    for (std::uint32_t k = 0; k < values_each; ++k) category.values.push_back("value " + std::to_string(k));
    kind = category;
  }
  return Encoder(schema).features();
}

}  // namespace

Filter::Cost TrainingAhead::cost(const Facts& facts) const {
  if (ledger_ != nullptr) return quote(request_, facts, *ledger_).cost;
  plan_of(request_, facts);
  return {};
}

void TrainingAhead::require(const std::vector<Facts>& possible) {
  for (const Facts& facts : possible) {
    const Filter::Cost here = cost(facts);
    most_ = {std::max(most_.loss, here.loss), std::max(most_.delta, here.delta)};
  }
}

bool TrainingAhead::takes(const Facts& facts) const {
  try {
    return is_within(cost(facts), most_);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::invalid_argument || error.kind() == ErrorKind::unsupported) return false;
    throw;
  }
}

double TrainingAhead::norm_for(double found, Facts facts, double constant) const {
  constexpr int kHalvings = 16;
  const auto takes_norm = [&](double norm) {
    facts.data_norm = constant == 0 ? norm : std::hypot(norm, constant);
    return takes(facts);
  };
  if (takes_norm(found)) return found;
  double taken = kSureNorm, refused = found;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(taken) * std::sqrt(refused);
    (takes_norm(middle) ? taken : refused) = middle;
  }
  return taken;
}

std::vector<Facts> possible_facts(const BoundsPlan& plan, const BoundsRequest& request, std::uint64_t rows) {
  Facts facts{rows, 1, request.data_norm ? TrainingAhead::kSureNorm : row_norm_bound(request.schema), false,
              class_count(request.schema.label)};
  const bool texts = std::ranges::any_of(plan.open, [](const OpenColumn& column) { return column.text; });
  std::vector<Facts> possible;
  const auto add = [&](std::uint32_t features) {
    facts.features = std::max<std::uint32_t>(1, features);
    if (possible.empty() || possible.back().features != facts.features) possible.push_back(facts);
  };
  add(features_with(plan, 0));
  if (!texts) return possible;
  for (std::uint32_t values = 1; values < request.max_categories; values *= 2) add(features_with(plan, values));
  add(features_with(plan, request.max_categories));
  return possible;
}

}  // namespace sotto
