#include "ledger_text.h"

#include <fmt/format.h>

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto::cli {
namespace {

/// The delta a request is asked about when nobody names one: the budget's, or under `sum` what is left of it.
double usual_delta(const Filter& filter) {
  return filter.kind() == FilterKind::sum ? filter.remaining_delta() : filter.budget().delta;
}

}  // namespace

Json cost_json(const Filter::Cost& cost) {
  return Json{{"loss", Filter::text_of({cost.loss, 0})},
              {"delta", cost.delta_number()},
              {"loss_units", cost.loss},
              {"delta_units", cost.delta}};
}

Json fits_json(const Filter& filter) {
  Json fits = Json::array();
  for (const Filter::Fit& fit : what_fits(filter)) {
    fits.push_back(Json{{"event", fit.event}, {"parameter", fit.parameter}, {"largest", fit.largest}});
  }
  const double delta = usual_delta(filter);
  fits.push_back(Json{
      {"event", "request"}, {"parameter", "epsilon"}, {"largest", largest_epsilon(filter, delta)}, {"delta", delta}});
  return fits;
}

std::string fits_text(const Filter& filter) {
  std::string text;
  for (const Filter::Fit& fit : what_fits(filter)) {
    text += fmt::format("  {:<15} one more {} release of {} up to {}\n", "would fit", fit.event, fit.parameter,
                        down_text(fit.largest));
  }
  const double delta = usual_delta(filter);
  return text + fmt::format("  {:<15} one more request of epsilon up to {} at delta {}\n", "would fit",
                            down_text(largest_epsilon(filter, delta)), number_text(delta));
}

Json quote_json(const Quote& quote) {
  return Json{{"enforced", true},
              {"fits", quote.fits()},
              {"currency", quote.filter.currency()},
              {"cost", cost_json(quote.cost)},
              {"smallest_price", cost_json(smallest_price(quote.filter))},
              {"remaining", cost_json(quote.filter.remaining())},
              {"largest_epsilon", largest_epsilon(quote.filter, quote.input.budget.delta)},
              {"would_fit", fits_json(quote.filter)}};
}

std::string quote_text(const Quote& quote) {
  std::string text = fmt::format("  {:<15} {} of {}, {} left: {}\n", "would cost", Filter::text_of(quote.cost),
                                 quote.filter.currency(), Filter::text_of(quote.filter.remaining()),
                                 quote.fits() ? "it fits" : "IT DOES NOT FIT");
  if (quote.at_smallest_price()) {
    text +=
        fmt::format("  {:<15} that is the smallest price of a release on this ledger; its noise would cost less\n", "");
  }
  text += fmt::format("  {:<15} epsilon up to {} at delta {}\n", "would fit",
                      down_text(largest_epsilon(quote.filter, quote.input.budget.delta)),
                      number_text(quote.input.budget.delta));
  text.pop_back();
  return text;
}

}  // namespace sotto::cli
