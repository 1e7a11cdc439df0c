#include "sotto/quote_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/model/filter_json.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/share.h"
#include "sotto/warnings.h"

namespace sotto {
namespace {

/// The filter as it stands for the caller, who may have only a share of it.
Filter open_to_caller(const Quote& quoted) {
  if (!quoted.share) return quoted.filter;
  Filter::State state = quoted.filter.state();
  const Filter::Cost left = quoted.share->remaining();
  state.spent.loss = std::max(state.spent.loss, state.limit.loss - std::min(left.loss, state.limit.loss));
  state.spent.delta = std::max(state.spent.delta, state.limit.delta - std::min(left.delta, state.limit.delta));
  return Filter::reopen(state);
}

Json asked_budget_json(const Quote& quoted) {
  const Filter open = open_to_caller(quoted);
  Json json = budget_json(open);
  json.update(Json{{"enforced", true},
                   {"fits", quoted.fits()},
                   {"cost", to_json(quoted.cost)},
                   {"smallest_price", to_json(smallest_price(quoted.filter))},
                   {"remaining", to_json(quoted.filter.remaining())},
                   {"largest_epsilon", largest_epsilon(open, quoted.input.budget.delta)},
                   {"would_fit", would_fit_json(open)}});
  if (!quoted.share) return json;
  json["own_share"] = Json{{"analyst", quoted.share->analyst},
                           {"share", quoted.share->millionths / static_cast<double>(kWholeBudget)},
                           {"limit", to_json(quoted.share->limit)},
                           {"remaining", to_json(quoted.share->remaining())}};
  return json;
}

}  // namespace

Json planned_json(const TrainRequest& request, const PrivacyCard& card) {
  Json json = to_json(card);
  json["warnings"] = to_json(warnings_of(request, card));
  return json;
}

Json to_json(const Quote& quoted) {
  Json json = planned_json(quoted.request, card_of(quoted));
  json["budget"] = asked_budget_json(quoted);
  return json;
}

std::string quote_text(const Quote& quoted) {
  std::string text = card_text(card_of(quoted));
  text += fmt::format("  {:<15} {}: {} ({})\n", "would cost", part_words(quoted.filter, quoted.cost),
                      quoted.fits() ? "it fits" : "IT DOES NOT FIT", cost_words(quoted.filter, quoted.cost));
  if (quoted.at_smallest_price()) {
    text +=
        fmt::format("  {:<15} that is the smallest price of a release on this ledger; its noise would cost less\n", "");
  }
  if (quoted.share) {
    text += fmt::format("  {:<15} {} may spend {}, has spent {}\n", "own share", quoted.share->analyst,
                        part_words(quoted.filter, quoted.share->limit), part_words(quoted.filter, quoted.share->spent));
  }
  return text + fmt::format("  {:<15} {}", "budget", budget_words(open_to_caller(quoted), quoted.input.budget.delta));
}

}  // namespace sotto
