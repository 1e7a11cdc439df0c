#include "ledger_text.h"

#include <fmt/format.h>

#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto::cli {

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
  return fits;
}

std::string fits_text(const Filter& filter) {
  std::string text;
  for (const Filter::Fit& fit : filter.what_fits()) {
    text += fmt::format("  {:<15} one more {} release of {} up to {:.6g}\n", "would fit", fit.event, fit.parameter,
                        fit.largest);
  }
  return text;
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
