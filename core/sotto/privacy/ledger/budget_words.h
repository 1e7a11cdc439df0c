#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sotto/privacy/accountant/filter.h"

/// A budget in the units people asked in: how many percent of it are used, and which epsilon still fits. Numbers have at
/// most four digits; what is used is rounded up, what is left or fits is rounded down.
namespace sotto {

/// In percent, to two decimals. Of epsilon and delta under `sum`, of the filter's currency and of the delta it keeps for
/// noise otherwise: whichever is used more.
struct BudgetUse {
  double percent_used = 0;
  double percent_left = 100;
  double epsilon = 0;  ///< of one more model, at this delta; 0: none fits
  double delta = 0;    ///< the budget's; under `sum` what is left of it
};
BudgetUse budget_use(const Filter& filter);

/// "25 percent used; a model of epsilon 0.79 still fits": at this delta, where one is given.
std::string budget_words(const Filter& filter, std::optional<double> delta = {});
/// The second half of it, or "no model fits any more".
std::string fits_words(const Filter& filter, std::optional<double> delta = {});
/// How much of the whole budget a cost is, in percent to two decimals, up.
double percent_of(const Filter& filter, const Filter::Cost& cost);
/// The same in words: "12.5 percent of the budget".
std::string part_words(const Filter& filter, const Filter::Cost& cost);
/// The same of amounts as Filter::text_of wrote them.
std::string part_words(std::string_view cost, std::string_view limit);
/// "rho (zCDP): 0.00618 of 0.02435 used, 0.01817 left", to be put in brackets after the words.
std::string currency_words(const Filter& filter);
/// The same of a request that does not fit: what it costs, and what is left.
std::string cost_words(const Filter& filter, const Filter::Cost& cost);

/// How a filter of this kind adds up, and how many models of a tenth of the budget's epsilon and delta it takes: "rho
/// adds up: about 95 models of epsilon 0.1 with Gaussian noise, or 4 with pure noise".
std::string filter_words(FilterKind kind, const Budget& budget);
/// The number of those models. Gaussian noise, but for `sum` any.
double models_of_a_tenth(FilterKind kind, const Budget& budget);

}  // namespace sotto
