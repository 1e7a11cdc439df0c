#include <fmt/format.h>

#include <cmath>

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/ledger/price.h"
#include "sotto/report/html.h"
#include "sotto/report/page.h"
#include "sotto/report/training_figures.h"

namespace sotto::report {
namespace {

constexpr const char* kNotPrivate =
    "Computed from the rows without noise: not private, not for release if the rows are private.";

/// Names and values, as a definition list.
class Facts {
 public:
  Facts& add(std::string_view name, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("<dt>{}</dt><dd>{}</dd>", name, escaped(value));
    return *this;
  }
  std::string html() const { return "<dl>" + text_ + "</dl>"; }

 private:
  std::string text_;
};

std::string in_words(const PrivacyCard& card) {
  if (!card.is_private) return "These weights carry no guarantee: see why below.";
  const char* neighbour = card.relation == "add_remove" ? "added or removed" : "replaced by any other";
  return fmt::format(
      "If any one row were {}, the probability of whatever is concluded from these weights would change by at most a "
      "factor of {}{}.",
      neighbour, short_number_up(std::exp(card.epsilon) * (1 + 0x1p-50)),
      card.delta > 0 ? fmt::format(", up to a probability of {}", short_number_up(card.delta)) : "");
}

std::string hero(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  std::string text =
      fmt::format(R"(<p class="kicker">Privacy report</p><h1>{}</h1><div class="hero">)", escaped(report.name));
  if (card.epsilon > 0) {
    text += fmt::format(R"(<div class="promise"><div><span class="number">{}</span><small>epsilon{}</small></div>)"
                        R"(<div><span class="number">{}</span><small>delta{}</small></div></div>)",
                        short_number_up(card.epsilon), card.is_private ? "" : ", claimed",
                        up_text(card.delta, kDeltaDigits), card.is_private ? "" : ", claimed");
  }
  text += fmt::format(R"(<div>{}<p class="lead">{}</p></div></div>)",
                      card.is_private ? R"(<span class="verdict private">Private</span>)"
                                      : R"(<span class="verdict not_private">Not private</span>)",
                      in_words(card));
  for (const std::string& why : card.not_private_because)
    text += fmt::format(R"(<p class="note">{}</p>)", escaped(why));
  return text;
}

std::string card_section(const PrivacyCard& card) {
  Facts facts;
  facts.add("Method", card.method).add("Theorem", card.theorem);
  facts.add("Neighbours", fmt::format("{} ({})", card.relation, card.unit)).add("Released", card.released);
  if (card.noise.mechanism != "none") {
    facts.add("Noise", fmt::format("{} on {}, standard deviation {} a coordinate", card.noise.mechanism,
                                   card.noise.added_to, short_number(card.noise.stddev)));
    facts.add("Sensitivity", short_number(card.l2_sensitivity) + " in the L2 norm");
  }
  for (const auto& event : card.events) {
    facts.add("Event", fmt::format("{} {} {}, {} times on {} disjoint part{}", event.event, event.parameter,
                                   event.rounded_value(4), event.times, event.parts, event.parts == 1 ? "" : "s"));
  }
  for (const auto& one : card.personal) {
    facts.add("Personal", fmt::format("epsilon {}, delta {} for {} public positions", short_number_up(one.epsilon),
                                      short_number_up(one.delta), one.positions));
  }
  facts.add("Data", fmt::format("{}, {} features, {} classes, rows of norm at most {}",
                                card.rows > 0 ? short_number(static_cast<double>(card.rows)) + " rows"
                                              : std::string("a private number of rows"),
                                card.features, card.classes, short_number(card.data_norm)));
  for (const std::string& remark : card.remarks) facts.add("Remark", remark);
  std::string parameters;
  for (const auto& [name, value] : card.parameters)
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ", ", name, value);
  facts.add("Parameters", parameters).add("Version", card.version);
  return R"(<section id="card"><h2>Privacy card</h2><div class="box">)" + facts.html() + "</div></section>\n";
}

std::string ledger_section(const TrainingReport& report) {
  std::string text = R"(<section id="ledger"><h2>Ledger</h2><div class="box">)";
  if (!report.ledger) {
    const auto& use = report.model.card.budget;
    text += use.enforced ? fmt::format("<p>Charged to ledger {:.12}, entry {}: {} of {} {}.</p>", escaped(use.ledger),
                                       use.entry, escaped(use.cost), escaped(use.limit), escaped(use.currency))
                         : "<p>No budget was enforced: other releases from the same rows may add to what is known.</p>";
    return text + "</div></section>\n";
  }
  const LedgerView& view = *report.ledger;
  const Filter& filter = view.filter;
  const Budget& budget = filter.budget();
  const double share =
      static_cast<double>(filter.spent().loss) / std::max(1.0, static_cast<double>(filter.limit().loss));
  text +=
      fmt::format("<p>All releases together keep epsilon {}, delta {}, {} ({}).</p>", short_number_up(budget.epsilon),
                  short_number_up(budget.delta), enum_name(budget.relation), escaped(view.terms.unit));
  text += fmt::format(
      R"(<div class="meter" role="img" aria-label="{0} percent of the budget is spent"><i style="width:{0}%"></i></div>)",
      short_number(std::round(1000 * share) / 10));
  Facts facts;
  facts.add("Spent",
            Filter::text_of(filter.spent()) + " of " + Filter::text_of(filter.limit()) + " " + filter.currency());
  facts.add("Remaining", Filter::text_of(filter.remaining()));
  for (const Filter::Fit& fit : what_fits(filter)) {
    facts.add("Would fit",
              fmt::format("one more {} release of {} up to {}", fit.event, fit.parameter, down_text(fit.largest, 4)));
  }
  text += facts.html() + "<p><small>Spent and remaining are book-keeping; the guarantee is the budget.</small></p>";
  Table table{"Entries", {"Entry", "Time (UTC)", "State", "Cost", "Event"}, {}};
  for (const auto& e : view.entries) table.rows.push_back({std::to_string(e.number), e.time, e.state, e.cost, e.event});
  return text + (table.rows.empty() ? "<p>No entries.</p>" : html_of(table)) + "</div></section>\n";
}

Table confusion_of(const HeldOut& found) {
  Table table{"Rows of an actual class (down) predicted as a class (across)", {""}, {}};
  for (const std::string& name : found.classes) table.columns.push_back(name);
  for (std::uint32_t a = 0; a < found.evaluation.classes; ++a) {
    table.rows.push_back({found.classes[a]});
    for (std::uint32_t p = 0; p < found.evaluation.classes; ++p) {
      table.rows.back().push_back(short_number(static_cast<double>(found.evaluation.count(a, p))));
    }
  }
  return table;
}

std::string accuracy_section(const TrainingReport& report) {
  if (!report.held_out) return "";
  const HeldOut& found = *report.held_out;
  const Evaluation& e = found.evaluation;
  std::string text = R"(<section id="held-out"><h2>On held-out rows</h2>)";
  text +=
      found.is_public ? "<p>The rows were declared public.</p>" : fmt::format(R"(<p class="note">{}</p>)", kNotPrivate);
  text += R"(<div class="box">)" + Facts()
                                       .add("File", found.name)
                                       .add("Rows", short_number(static_cast<double>(e.rows)))
                                       .add("Rows left out", short_number(static_cast<double>(e.unusable)))
                                       .add("Accuracy", fmt::format("{:.4f}", e.accuracy))
                                       .add("Loss", fmt::format("{:.4f}", e.loss))
                                       .add("Area under the curve", fmt::format("{:.4f}", e.auc))
                                       .html();
  text += html_of(confusion_of(found)) + "</div>\n";
  for (const Figure& figure : {convergence_figure(report), accuracy_figure(report)}) {
    if (!figure.panels.empty()) text += html_of(figure);
  }
  return text + "</section>\n";
}

}  // namespace

std::string html_of(const TrainingReport& report) {
  Page page{"Privacy report: " + report.name,
            {{"card", "Card"}, {"what", "Meaning"}, {"ledger", "Ledger"}},
            hero(report),
            ""};
  page.body = card_section(report.model.card) + R"(<section id="what"><h2>What it means</h2>)";
  for (const Figure& figure : {trade_off_figure(report), noise_figure(report)}) {
    if (!figure.panels.empty()) page.body += html_of(figure);
  }
  page.body += "</section>\n" + accuracy_section(report) + ledger_section(report);
  if (report.held_out) page.navigation.insert(page.navigation.begin() + 2, {"held-out", "Held-out rows"});
  return html_of(page);
}

}  // namespace sotto::report
