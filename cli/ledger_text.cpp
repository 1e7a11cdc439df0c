#include "ledger_text.h"

#include <fmt/format.h>

#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto::cli {
namespace {

/// The delta a request is asked about when nobody names one: the budget's, or under `sum` what is left of it.
double usual_delta(const Filter& filter) {
  if (filter.kind() != FilterKind::sum) return filter.budget().delta;
  return static_cast<double>(filter.remaining().delta) * 1e-18 * (1 - 0x1p-50);
}

}  // namespace

Json cost_json(const Filter::Cost& cost) {
  return Json{{"loss", Filter::text_of({cost.loss, 0})},
              {"delta", static_cast<double>(cost.delta) * 1e-18},
              {"loss_units", cost.loss},
              {"delta_units", cost.delta}};
}

Json fits_json(const Filter& filter) {
  Json fits = Json::array();
  for (const Filter::Fit& fit : filter.what_fits()) {
    fits.push_back(Json{{"event", fit.event}, {"parameter", fit.parameter}, {"largest", fit.largest}});
  }
  const double delta = usual_delta(filter);
  fits.push_back(Json{
      {"event", "request"}, {"parameter", "epsilon"}, {"largest", largest_epsilon(filter, delta)}, {"delta", delta}});
  return fits;
}

std::string fits_text(const Filter& filter) {
  std::string text;
  for (const Filter::Fit& fit : filter.what_fits()) {
    text += fmt::format("  {:<15} one more {} release of {} up to {:.6g}\n", "would fit", fit.event, fit.parameter,
                        fit.largest);
  }
  const double delta = usual_delta(filter);
  return text + fmt::format("  {:<15} one more request of epsilon up to {:.6g} at delta {:.6g}\n", "would fit",
                            largest_epsilon(filter, delta), delta);
}

Json quote_json(const Quote& quote) {
  return Json{{"enforced", true},
              {"fits", quote.fits()},
              {"currency", quote.filter.currency()},
              {"cost", cost_json(quote.cost)},
              {"remaining", cost_json(quote.filter.remaining())},
              {"largest_epsilon", largest_epsilon(quote.filter, quote.input.budget.delta)},
              {"would_fit", fits_json(quote.filter)}};
}

std::string quote_text(const Quote& quote) {
  std::string text = fmt::format("  {:<15} {} of {}, {} left: {}\n", "would cost", Filter::text_of(quote.cost),
                                 quote.filter.currency(), Filter::text_of(quote.filter.remaining()),
                                 quote.fits() ? "it fits" : "IT DOES NOT FIT");
  text += fmt::format("  {:<15} epsilon up to {:.6g} at delta {}\n", "would fit",
                      largest_epsilon(quote.filter, quote.input.budget.delta), number_text(quote.input.budget.delta));
  text.pop_back();
  return text;
}

}  // namespace sotto::cli
