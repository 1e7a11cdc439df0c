// What: warnings from public facts, among them noise that is larger than what the rows can say.
// Formula: share = s sqrt(W) / (D m), with s the standard deviation of a coordinate, W weights, m rows and D what one
//   row adds: half of the l2_sensitivity under replace_one, all of it for sampled batches and under add_remove. Noise on
//   each of T sums over all rows: divided by sqrt(T). On each of T batches of P passes: times sqrt(T) / P.
// Conditions: none on a guarantee. All rows pulling one way have share 1; real rows pull a twentieth of that together.
// Reference: docs/auto.md has 500 rows of 21 features at epsilon 1 and delta 0, share 0.08, as mostly noise.
// Fails if wrong: Warnings.*
#include "sotto/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/methods/dp_agd.h"
#include "sotto/model/promise.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/privacy/ledger/default_delta.h"

namespace sotto {
namespace {

constexpr double kSignal = 0.05;  // of what all rows could add, pulling one way
constexpr double kLargeEpsilon = 10;
constexpr double kRowsForWeight = 100;
constexpr int kShown = 4;  // digits

std::optional<double> parameter(const PrivacyCard& card, std::string_view name) {
  const auto found = std::ranges::find(card.parameters, name, &std::pair<std::string, std::string>::first);
  if (found == card.parameters.end()) return std::nullopt;
  return parse_value<double>(found->second, name);
}

/// Public under replace_one, declared otherwise; 0 where neither says.
double public_rows(const PrivacyCard& card) {
  if (card.rows > 0) return static_cast<double>(card.rows);
  return parameter(card, "declared_rows").value_or(0);
}

/// Those that are trained: of projected rows fewer than are released.
double weights_of(const TrainRequest& request, const PrivacyCard& card) {
  Facts facts{.features = card.features, .classes = card.classes};
  if (const auto kept = parameter(card, "projected_features")) facts.features = static_cast<std::uint32_t>(*kept);
  return static_cast<double>(weight_count(request.problem.loss, facts));
}

double most_times(const PrivacyCard& card) {
  std::uint64_t times = 1;
  for (const PrivacyCard::Spent& event : card.events) times = std::max(times, event.times);
  return static_cast<double>(times);
}

/// What was asked for, of training and of the bounds that the card promises together with it.
Budget asked_in_all(const TrainRequest& request) {
  Budget asked = request.budget;
  if (!request.bounds_cost) return asked;
  asked.epsilon += request.bounds_cost->epsilon;
  asked.delta += request.bounds_cost->delta;
  return asked;
}

}  // namespace

double noise_share(const TrainRequest& request, const PrivacyCard& card) {
  const double rows = public_rows(card);
  if (card.noise.mechanism == "none" || card.l2_sensitivity <= 0 || rows <= 0) return 0;
  if (card.noise.added_to == describe(NoiseAt::choice) || card.method == DpAgd::kName) return 0;  // no fixed noise
  const bool batches = card.noise.added_to == describe(NoiseAt::each_batch);
  const bool sums = batches || card.noise.added_to == describe(NoiseAt::each_scan) ||
                    card.noise.added_to == describe(NoiseAt::each_step);
  const bool sampled = batches && parameter(card, "declared_rows").has_value();
  const double one_row = sampled || card.relation == enum_name(Relation::add_remove) ? 1 : 0.5;
  const double steps = sums ? most_times(card) : 1;
  const double scans = batches ? std::max(parameter(card, "passes").value_or(1), 1e-9) : steps;
  return card.noise.stddev * std::sqrt(weights_of(request, card)) / (one_row * card.l2_sensitivity * rows) *
         std::sqrt(steps) / scans;
}

std::vector<Warning> warnings_of(const TrainRequest& request, const PrivacyCard& card) {
  std::vector<Warning> found;
  const auto warn = [&](std::string code, std::string text) { found.push_back({std::move(code), std::move(text)}); };
  const double rows = public_rows(card);
  const double weights = weights_of(request, card);
  const bool noised = !card.events.empty();
  if (noise_share(request, card) > kSignal) {
    warn("noise_above_signal",
         "the noise is expected to be larger than what these rows can say; ask for more epsilon, use fewer columns, or "
         "allow a delta above 0");
  }
  if (noised && request.budget.epsilon > kLargeEpsilon) {
    warn("epsilon_large", fmt::format("epsilon {} is above {:g} and promises next to nothing; usual values are from "
                                      "0.1 to 3",
                                      up_text(request.budget.epsilon, kShown), kLargeEpsilon));
  }
  if (const std::string words = other_promise(card, asked_in_all(request)); !words.empty()) {
    warn("promise_lowered", words);
  }
  if (noised && rows > 0 && std::max(card.delta, request.budget.delta) > 1 / rows) {
    warn("delta_large",
         fmt::format("delta {} is above 1/rows, and a method that publishes a whole row could keep it; ask for at most "
                     "{}",
                     up_text(std::max(card.delta, request.budget.delta), kShown),
                     number_text(default_delta(static_cast<std::uint64_t>(rows)))));
  }
  if (request.norm_assumed) {
    const double usual = *request.norm_assumed;
    warn("norm_assumed",
         fmt::format(
             "data_norm was not declared, so rows longer than {:.4g} are scaled down to it; declare data_norm{}",
             card.data_norm, usual > card.data_norm ? fmt::format(", for these columns about {:g}", usual) : ""));
  }
  if (noised && rows > 0 && rows < kRowsForWeight * weights) {
    warn("few_rows",
         fmt::format("{:g} rows for {:g} weights are fewer than {:g} for each; use fewer columns or more rows", rows,
                     weights, kRowsForWeight));
  }
  return found;
}

Json to_json(const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const Warning& each : warnings) list.push_back(Json{{"code", each.code}, {"text", each.text}});
  return list;
}

}  // namespace sotto
