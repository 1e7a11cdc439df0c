#include "sotto/model/privacy_card.h"

#include <fmt/format.h>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/base/version.h"
#include "sotto/model/json.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/rounded_sum.h"

namespace sotto {
namespace {

PrivacyCard::Noise noise_of(const Statement& plan) {
  PrivacyCard::Noise noise;
  if (!plan.noise) return noise;
  std::visit(
      [&](const auto& m) {
        noise.mechanism = m.kName;
        noise.scale = m.scale();
        noise.stddev = m.stddev();
        noise.grid = m.grid.step;
      },
      plan.noise->mechanism);
  noise.added_to = describe(plan.noise_at);
  noise.delta_num = plan.noise->delta_num;
  return noise;
}

}  // namespace

PrivacyCard make_card(const Plan& plan) {
  PrivacyCard card;
  card.method = plan.method;
  card.is_private = plan.not_private.empty();
  card.not_private_because = plan.not_private;
  card.relation = enum_name(plan.guarantee.relation);
  card.unit = plan.guarantee.unit;
  card.released = plan.guarantee.released;
  card.epsilon = plan.guarantee.epsilon;
  card.delta = plan.guarantee.delta;
  card.l2_sensitivity = plan.l2_sensitivity;
  card.noise = noise_of(plan);
  for (const Charge& charge : plan.charges) {
    const EventSummary event = summary(charge.event);
    PrivacyCard::Spent spent{std::string(event.name), std::string(event.parameter), event.value};
    spent.times = charge.times;
    spent.parts = charge.parts;
    card.events.push_back(spent);
  }
  for (const PersonalClass& one : plan.personal) {
    card.personal.push_back({one.epsilon, one.delta, one.positions, double{one.weight}});
  }
  card.theorem = plan.theorem;
  card.remarks = plan.remarks;
  card.parameters = plan.parameters;
  card.rows = plan.work.rows.facts.rows;
  card.features = plan.work.rows.facts.features;
  card.classes = plan.work.rows.facts.classes;
  card.data_norm = plan.work.rows.facts.data_norm;
  card.version = kVersion;
  return card;
}

void add_bounds_cost(PrivacyCard& card, const BoundsCost& cost) {
  if (card.relation != cost.relation) {
    throw Error(
        ErrorKind::invalid_argument,
        "relation: the bounds were found under " + cost.relation + ", which cannot be added to " + card.relation,
        "relation");
  }
  card.remarks.push_back(
      fmt::format("bounds of the data were found in its rows for {}; training alone costs {}; the guarantee is that "
                  "of both",
                  guarantee_text(cost.epsilon, cost.delta), guarantee_text(card.epsilon, card.delta)));
  // Basic composition: what was spent on training may have been decided after the bounds were seen.
  card.epsilon = sum_up(card.epsilon, cost.epsilon);
  card.delta = sum_up(card.delta, cost.delta);
  for (PrivacyCard::Personal& one : card.personal) {
    one.epsilon = sum_up(one.epsilon, cost.epsilon);
    one.delta = sum_up(one.delta, cost.delta);
  }
  std::vector<PrivacyCard::Spent> events;
  for (const BoundsCost::Spent& spent : cost.events) {
    events.push_back({spent.event, "epsilon", spent.epsilon, spent.times, 1});
  }
  card.events.insert(card.events.begin(), events.begin(), events.end());
  card.theorem += "; with the bounds: basic composition [Rogers16]";
}

namespace {

std::string budget_text(const PrivacyCard::LedgerUse& use) {
  if (!use.enforced) return "no budget was enforced";
  return fmt::format("ledger {:.12}, entry {}: at most {} for all its releases together", use.ledger, use.entry,
                     guarantee_text(use.epsilon, use.delta));
}

/// Amounts are exact decimals, of a currency that few people know: percent come first.
std::string spent_text(const PrivacyCard::LedgerUse& use) {
  return fmt::format("{} by this run, {} in all ({}: {} and {} of {})", part_words(use.cost, use.limit),
                     part_words(use.spent, use.limit), use.currency, use.cost, use.spent, use.limit);
}

std::string signed_text(const PrivacyCard::LedgerUse& use) {
  if (!use.enforced) return "no: without a ledger nobody vouches for this file";
  if (use.signed_by.empty()) return "no signature in this file; the ledger knows what it released by its bytes";
  return fmt::format("by the ledger's key {:.16}, which verifies the file", use.signed_by);
}

}  // namespace

std::string PrivacyCard::Spent::rounded_value(int digits) const {
  return parameter == "noise" ? down_text(value, digits) : up_text(value, digits);
}

std::string card_text(const PrivacyCard& card) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<15} {}\n", name, value);
  };
  text += fmt::format("Privacy card: {}\n", card.method);
  if (card.is_private) {
    line("guarantee", fmt::format("{}, {} ({})", guarantee_text(card.epsilon, card.delta), card.relation, card.unit));
  } else {
    line("guarantee", "NOT PRIVATE");
  }
  for (const auto& why : card.not_private_because) line("because", why);
  line("released", card.released);
  if (card.noise.mechanism != "none") {
    line("l2_sensitivity", fmt::format("{:.8g}", card.l2_sensitivity));
    line("noise", fmt::format("{} on {}, scale {:.6g}, standard deviation {:.6g} a coordinate", card.noise.mechanism,
                              card.noise.added_to, card.noise.scale, card.noise.stddev));
    line("grid",
         fmt::format("{}, numerical delta {}", card.noise.grid > 0 ? fmt::format("{:.6g}", card.noise.grid) : "none",
                     card.noise.delta_num ? up_text(*card.noise.delta_num, kDeltaDigits) : "not known"));
  }
  for (const auto& event : card.events) {
    line("event",
         fmt::format("{} {} {}, {}{}", event.event, event.parameter, event.rounded_value(kEpsilonDigits),
                     times_text(event.times),
                     event.parts == 1 ? "" : fmt::format(" on each of {} disjoint parts of the rows", event.parts)));
  }
  for (const auto& one : card.personal) {
    line("personal", fmt::format("{} for the rows at {}, weight {:.6g}", guarantee_text(one.epsilon, one.delta),
                                 counted_text(one.positions, "public position"), one.weight));
  }
  line("theorem", card.theorem);
  line("budget", budget_text(card.budget));
  if (card.budget.enforced) {
    line("spent", spent_text(card.budget));
  }
  line("signed", signed_text(card.budget));
  for (const auto& remark : card.remarks) line("remark", remark);
  const std::string rows = card.rows > 0 ? fmt::format("{} rows", card.rows) : "private number of rows";
  line("data",
       fmt::format("{}, {} features, {} classes, data_norm {:g}", rows, card.features, card.classes, card.data_norm));
  std::string parameters;
  for (const auto& [name, value] : card.parameters) {
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", name, value);
  }
  line("parameters", parameters);
  line("version", card.version);
  return text;
}

std::string card_json(const PrivacyCard& card, int indent) { return to_json(card).dump(indent); }

}  // namespace sotto
