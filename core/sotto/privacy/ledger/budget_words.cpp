#include "sotto/privacy/ledger/budget_words.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto {
namespace {

constexpr int kShownDigits = 4;
constexpr double kModels = 10;  // a tenth of the budget each

/// In hundredths of a percent, up. An amount is below 2^63, so the product needs more than 64 bits.
double hundredths_up(std::uint64_t part, std::uint64_t whole) {
  if (part == 0) return 0;
  if (whole == 0) return 10'000;
  __extension__ using Wide = unsigned __int128;
  return static_cast<double>(static_cast<std::uint64_t>((Wide{part} * 10'000 + whole - 1) / whole));
}

double percent(std::uint64_t part, std::uint64_t whole) { return hundredths_up(part, whole) / 100; }

std::string part_text(double most) {
  return most > 1000 ? "more than 10 times the budget" : up_text(most, kShownDigits) + " percent of the budget";
}

/// Units of a loss that Filter::text_of wrote, "0.25" or "0.25, delta 1e-9". Of other text, 0.
std::uint64_t loss_units(std::string_view text) {
  constexpr int kPlaces = 12;
  std::uint64_t units = 0;
  int places = -1;  // none before the point
  for (const char c : text.substr(0, text.find(','))) {
    if (c == '.') {
      places = 0;
    } else if (c < '0' || c > '9' || places == kPlaces) {
      return 0;
    } else {
      units = units * 10 + static_cast<std::uint64_t>(c - '0');
      if (places >= 0) ++places;
    }
  }
  for (int i = std::max(places, 0); i < kPlaces; ++i) units *= 10;
  return units;
}

std::string loss_of(const Filter& filter, const Filter::Cost& cost, bool up) {
  const auto text = [up](double value, int digits) { return up ? up_text(value, digits) : down_text(value, digits); };
  const std::string loss = text(cost.loss_number(), kShownDigits);
  if (filter.kind() != FilterKind::sum || filter.limit().delta == 0) return loss;
  return loss + " and " + text(cost.delta_number(), kDeltaDigits);
}

/// The delta a model is asked about when nobody names one: the budget's, or under `sum` what is left of it.
double usual_delta(const Filter& filter) {
  return filter.kind() == FilterKind::sum ? filter.remaining_delta() : filter.budget().delta;
}

}  // namespace

BudgetUse budget_use(const Filter& filter) {
  BudgetUse use;
  use.percent_used = percent_of(filter, filter.spent());
  use.percent_left = std::max(0.0, (10'000 - use.percent_used * 100) / 100);
  use.delta = usual_delta(filter);
  use.epsilon = largest_epsilon(filter, use.delta);
  return use;
}

std::string fits_words(const Filter& filter, std::optional<double> delta) {
  const bool sum = filter.kind() == FilterKind::sum;
  const double at = delta.value_or(usual_delta(filter));
  const double largest = largest_epsilon(filter, at);
  const std::string at_delta = " at delta " + down_text(at, kDeltaDigits);
  if (largest <= 0) {
    return filter.fits(smallest_price(filter)) && at > 0 ? "no model" + at_delta + " fits" : "no model fits any more";
  }
  // Under `sum` deltas are added, and what is left of them is told only to whoever asks for one.
  const bool told = !sum || (delta && at > 0);
  return "a model of epsilon " + down_text(largest, kShownDigits) + (told ? at_delta : "") + " still fits" +
         (sum && filter.remaining().delta == 0 ? ", with noise on whole numbers" : "");
}

std::string budget_words(const Filter& filter, std::optional<double> delta) {
  const double loss = percent(filter.spent().loss, filter.limit().loss);
  const double of_delta = percent(filter.spent().delta, filter.limit().delta);
  std::string used = up_text(loss, kShownDigits) + " percent used";
  if (of_delta > loss) {
    const std::string what = filter.kind() == FilterKind::sum ? "delta" : "the delta kept for noise";
    used = up_text(loss, kShownDigits) + " percent and " + up_text(of_delta, kShownDigits) + " percent of " + what +
           " used";
  }
  return used + "; " + fits_words(filter, delta);
}

double percent_of(const Filter& filter, const Filter::Cost& cost) {
  return std::max(percent(cost.loss, filter.limit().loss), percent(cost.delta, filter.limit().delta));
}

std::string part_words(const Filter& filter, const Filter::Cost& cost) { return part_text(percent_of(filter, cost)); }

std::string part_words(std::string_view cost, std::string_view limit) {
  return part_text(percent(loss_units(cost), loss_units(limit)));
}

std::string currency_words(const Filter& filter) {
  return filter.currency() + ": " + loss_of(filter, filter.spent(), true) + " of " +
         loss_of(filter, filter.limit(), false) + " used, " + loss_of(filter, filter.remaining(), false) + " left";
}

std::string cost_words(const Filter& filter, const Filter::Cost& cost) {
  return filter.currency() + ": it costs " + loss_of(filter, cost, true) + ", of " +
         loss_of(filter, filter.limit(), false) + " there is " + loss_of(filter, filter.remaining(), false) + " left";
}

namespace {

/// How many equal costs a filter takes.
double times(const Filter& filter, const Event& event) {
  try {
    const Filter::Cost cost = charged_cost(filter, event, 0);
    double most = std::floor(static_cast<double>(filter.limit().loss) / static_cast<double>(cost.loss));
    if (cost.delta > 0) {
      most = std::min(most, std::floor(static_cast<double>(filter.limit().delta) / static_cast<double>(cost.delta)));
    }
    return most;
  } catch (const Error&) {
    return 0;  // it has no price there
  }
}

std::string adds_up(FilterKind kind) {
  switch (kind) {
    case FilterKind::sum: return "epsilon and delta add up, so that a model costs what it asks for";
    case FilterKind::zcdp: return "rho of zero-concentrated privacy adds up";
    case FilterKind::rdp: return "the Renyi divergence of one order adds up";
    case FilterKind::gdp: return "mu^2 of Gaussian privacy adds up";
  }
  return "";
}

std::string about(double models) { return models <= kModels ? down_text(models, 2) : "about " + down_text(models, 2); }

}  // namespace

double models_of_a_tenth(FilterKind kind, const Budget& budget) {
  if (kind == FilterKind::sum) return kModels;
  const double epsilon = budget.epsilon / kModels, delta = budget.delta / kModels;
  return times(Filter::open(kind, budget), GaussianEvent{gaussian_mu(epsilon, delta)});
}

std::string filter_words(FilterKind kind, const Budget& budget) {
  const std::string models = " models of epsilon " + up_text(budget.epsilon / kModels, kShownDigits);
  std::string words = adds_up(kind) + ": " + about(models_of_a_tenth(kind, budget)) + models;
  if (kind == FilterKind::sum) return words;
  const double pure = times(Filter::open(kind, budget), PureEvent{budget.epsilon / kModels});
  return words + " with Gaussian noise, " + (pure > 0 ? about(pure) : "none") + " with pure noise";
}

}  // namespace sotto
