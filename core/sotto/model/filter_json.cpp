#include "sotto/model/filter_json.h"

#include <fmt/format.h>

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/ledger/price.h"

namespace sotto {
namespace {

/// The delta a request is asked about when nobody names one: the budget's, or under `sum` what is left of it.
double usual_delta(const Filter& filter) {
  return filter.kind() == FilterKind::sum ? filter.remaining_delta() : filter.budget().delta;
}

}  // namespace

Json to_json(const Filter::Cost& cost) {
  return Json{{"loss", Filter::text_of({cost.loss, 0})},
              {"delta", cost.delta_number()},
              {"loss_units", cost.loss},
              {"delta_units", cost.delta}};
}

Json would_fit_json(const Filter& filter) {
  Json fits = Json::array();
  for (const Filter::Fit& fit : what_fits(filter)) {
    fits.push_back(Json{{"event", fit.event}, {"parameter", fit.parameter}, {"largest", fit.largest}});
  }
  const double delta = usual_delta(filter);
  fits.push_back(Json{
      {"event", "request"}, {"parameter", "epsilon"}, {"largest", largest_epsilon(filter, delta)}, {"delta", delta}});
  return fits;
}

std::string would_fit_text(const Filter& filter) {
  std::string text;
  for (const Filter::Fit& fit : what_fits(filter)) {
    text += fmt::format("  {:<15} one more {} release of {} up to {}\n", "would fit", fit.event, fit.parameter,
                        down_text(fit.largest));
  }
  const double delta = usual_delta(filter);
  return text + fmt::format("  {:<15} one more request of epsilon up to {} at delta {}\n", "would fit",
                            down_text(largest_epsilon(filter, delta)), number_text(delta));
}

}  // namespace sotto
