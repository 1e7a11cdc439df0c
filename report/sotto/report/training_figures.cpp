#include "sotto/report/training_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/methods/plan.h"
#include "sotto/model/feature_names.h"
#include "sotto/model/prediction.h"
#include "sotto/report/curves.h"
#include "sotto/report/html.h"

namespace sotto::report {
namespace {

constexpr std::size_t kMaxWeights = 16;

bool on_weights(const TrainingReport& report) { return report.model.card.noise.added_to == describe(NoiseAt::release); }

std::string weight_name(const TrainingReport& report, const std::vector<std::string>& names, std::size_t at) {
  const std::string& feature = names[at % names.size()];
  if (report.model.weights.size() == names.size()) return feature;
  return class_texts(report.model)[at / names.size()] + ": " + feature;
}

/// One standard deviation of the privacy noise on a weight; 0 where it is not known.
double noise_on(const TrainingReport& report, std::size_t weight) {
  if (report.model.uncertainty) {
    const auto& uncertainty = *report.model.uncertainty;
    return std::sqrt(uncertainty.noise[weight * uncertainty.features + weight]);
  }
  return on_weights(report) ? report.model.card.noise.stddev : 0;
}

/// The largest weights, in the order of their size.
Chart weights_chart(const TrainingReport& report) {
  const Vector& weights = report.model.weights;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::fabs(weights[a]) > std::fabs(weights[b]); });
  order.resize(std::min(order.size(), kMaxWeights));
  const std::vector<std::string> names = feature_names(report.model);
  const bool all = order.size() == weights.size();
  Chart chart{all ? "Released weights" : fmt::format("The {} largest of {} weights", order.size(), weights.size()),
              {"feature"},
              {"weight"}};
  Series series{"weight, with one standard deviation of the noise", report.model.card.is_private, Mark::points};
  for (std::size_t i = 0; i < order.size(); ++i) {
    chart.x.names.push_back(weight_name(report, names, order[i]));
    series.points.push_back({static_cast<double>(i + 1), weights[order[i]], noise_on(report, order[i])});
  }
  chart.series = {series};
  chart.alt = chart.title + ", each with the standard deviation of the privacy noise on it.";
  return chart;
}

double typical_weight(const Vector& weights) {
  double squares = 0;
  for (const double w : weights) squares += w * w;
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, weights.size())));
}

Chart budgets_chart(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  Chart chart{"What other budgets would add", {"epsilon", Scale::log}, {"standard deviation", Scale::log}};
  Series noise{"noise on " + card.noise.added_to};
  for (const BudgetNoise& b : report.budgets) noise.points.push_back({b.epsilon, b.stddev});
  chart.series = {noise, {"this model", card.is_private, Mark::points, {{card.epsilon, card.noise.stddev}}}};
  if (on_weights(report)) {
    chart.series.push_back({"root mean square of the released weights",
                            card.is_private,
                            Mark::level,
                            {{card.epsilon, typical_weight(report.model.weights)}}});
  }
  chart.alt = "Standard deviation of the noise against epsilon, for the same method and parameters.";
  return chart;
}

}  // namespace

Figure trade_off_figure(const TrainingReport& report) {
  Figure figure{"trade-off", "What an attacker can know"};
  if (report.promised.empty()) return figure;
  const PrivacyCard& card = report.model.card;
  Chart chart = trade_off_chart("");
  const std::string words = fmt::format("{} (ε {}, δ {})", card.is_private ? "promised" : "claimed",
                                        short_number_up(card.epsilon), delta_text(card.delta));
  chart.series.push_back(trade_off_series(words, report.promised));
  if (!report.mechanism.empty()) {
    chart.series.push_back(trade_off_series("by the law of its noise", report.mechanism));
  }
  for (std::size_t i = 1; i < chart.series.size(); ++i) chart.series[i].is_private = card.is_private;
  figure.panels = {chart};
  figure.caption =
      "Someone who knows every row but one looks at the release and decides between two candidates for that row. "
      "Whoever "
      "raises a false alarm with probability alpha misses with probability f(alpha) at least: no test gets below the "
      "curve. The nearer it is to the diagonal, the less there is to learn.";
  return figure;
}

Figure noise_figure(const TrainingReport& report) {
  const bool known = noise_on(report, 0) > 0;
  Figure figure{"noise", known ? "Noise against signal" : "Noise at other budgets"};
  if (known) figure.panels = {weights_chart(report)};
  if (report.budgets.size() > 1) figure.panels.push_back(budgets_chart(report));
  if (known) figure.caption = "A weight within two standard deviations of zero may be noise alone. ";
  figure.caption += report.budgets.size() > 1
                        ? "Other budgets are planned from public facts; no row is read."
                        : "Other budgets are not shown: the plan of this model cannot be made again from its card.";
  return figure;
}

Figure accuracy_figure(const TrainingReport& report) {
  Figure figure{"accuracy", "Accuracy against epsilon"};
  if (!report.held_out || !(report.model.card.epsilon > 0)) return figure;
  const HeldOut& found = *report.held_out;
  if (found.smaller.empty() && found.released.empty()) return figure;  // a single dot says what the table says
  Chart chart{"", {"epsilon", Scale::log}, {"accuracy on held-out rows"}};
  const auto add = [&](const std::string& name, Mark mark, const std::vector<AccuracyAt>& points) {
    if (points.empty()) return;
    Series series{name, report.model.card.is_private, mark};
    for (const AccuracyAt& p : points) series.points.push_back({p.epsilon, p.mean, p.sd, p.draws > 1 ? p.draws : 0});
    chart.series.push_back(series);
  };
  const AccuracyAt here{report.model.card.epsilon, found.evaluation.accuracy};
  std::vector<AccuracyAt> smaller = found.smaller;
  if (!smaller.empty()) smaller.push_back(here);
  add("the same method with a smaller budget", Mark::line, smaller);
  add("this model", Mark::points, {here});
  add("other models of the ledger", Mark::points, found.released);
  chart.alt = "Accuracy on held-out rows against epsilon.";
  figure.panels = {chart};
  figure.caption =
      "Smaller budgets are simulated by more noise on the released weights, which costs nothing; larger ones would "
      "need "
      "a new training. Bars are one standard deviation over draws of the noise.";
  if (found.smaller.empty()) figure.caption = "Other budgets would need a new training, which this page does not do.";
  return figure;
}

Figure convergence_figure(const TrainingReport& report) {
  Figure figure{"convergence", "Convergence"};
  if (!report.held_out || report.held_out->convergence.after.empty()) return figure;
  const HeldOut& held = *report.held_out;
  const Convergence& found = held.convergence;
  Chart chart{"", {"passes", Scale::log}, {"objective on held-out rows"}};
  const bool is_private = report.model.card.is_private;
  Series again{"the same method, trained on these rows", is_private, Mark::line};
  for (const ObjectiveAfter& p : found.after) again.points.push_back({p.passes, p.mean, p.sd, p.draws});
  const double first = found.after.front().passes;
  chart.series = {again, {"this model", is_private, Mark::level, {{first, found.model}}}};
  if (found.least) chart.series.push_back({"least, without privacy", false, Mark::level, {{first, *found.least}}});
  chart.alt = "Objective on held-out rows against the number of passes.";
  figure.panels = {chart};
  figure.caption = fmt::format(
      "A model keeps no record of its steps, and one made from its rows would be a release of its own. So its method "
      "is "
      "trained again on {} held-out rows at the same budget, for other numbers of passes: fewer rows need more noise. "
      "Bars are one standard deviation over draws of the noise.",
      short_number(static_cast<double>(found.rows)));
  return figure;
}

}  // namespace sotto::report
