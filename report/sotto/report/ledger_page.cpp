#include "sotto/report/ledger_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/model/filter_json.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/price.h"
#include "sotto/report/answers.h"
#include "sotto/report/html.h"
#include "sotto/report/page.h"

namespace sotto::report {
namespace {

constexpr std::size_t kNamedEntries = 12;  // of a chart; more are counted

std::string_view state_words(EntryState state) {
  switch (state) {
    case EntryState::reserved: return "spent, nothing released";
    case EntryState::released: return "released";
    case EntryState::voided: return "given back unread";
  }
  return "";
}

std::string asked_words(const LedgerView::Entry& entry) { return entry.asked.empty() ? "not known" : entry.asked; }

std::string percent_text(double percent) { return short_number_up(percent) + " %"; }

bool knows_analysts(const LedgerView& view) {
  return std::any_of(view.entries.begin(), view.entries.end(), [](const auto& e) { return !e.analyst.empty(); });
}

std::string verified_words(const LedgerView& view) {
  if (!view.problem.empty()) return "NO: " + view.problem;
  return fmt::format("yes: {} and {} agree with the anchor", counted(view.check.records, "record", "records"),
                     counted(view.check.models, "released file", "released files"));
}

/// What one more request could be, in the units people ask in.
std::string would_fit(const Filter& filter, double delta) {
  const double largest = largest_epsilon(filter, delta);
  if (largest <= 0) return "nothing";
  return fmt::format("epsilon up to {}", tidied(down_text(largest, 4)));
}

/// What each analyst asked for, in percent of the budget.
Table analysts_table(const LedgerView& view) {
  std::map<std::string, std::pair<std::uint64_t, Filter::Cost>> all;
  for (const auto& e : view.entries) {
    auto& [count, cost] = all[e.analyst];
    ++count;
    if (e.state == EntryState::voided) continue;
    cost.loss += e.cost.loss;
    cost.delta += e.cost.delta;
  }
  Table table{"By analyst", {"Analyst", "Entries", "Used"}, {}};
  for (const auto& [name, sum] : all) {
    table.rows.push_back({name.empty() ? "not known" : name, std::to_string(sum.first),
                          percent_text(percent_of(view.filter, sum.second))});
  }
  return table;
}

Table entries_table(const LedgerView& view) {
  const bool who = knows_analysts(view);
  Table table{"", {"Entry", "Time (UTC)"}, {}};
  if (who) table.columns.emplace_back("Analyst");
  for (const char* column : {"Asked for", "Epsilon", "Delta", "Cost", "Used after it", "State"})
    table.columns.emplace_back(column);
  for (const LedgerView::Entry& e : view.entries) {
    std::vector<std::string> row{std::to_string(e.number), e.time};
    if (who) row.push_back(e.analyst);
    const bool known = e.epsilon > 0;
    for (const std::string& cell : {asked_words(e), known ? short_number_up(e.epsilon) : std::string(),
                                    known ? delta_text(e.delta) : std::string(), percent_text(e.percent),
                                    percent_text(e.percent_after), std::string(state_words(e.state))}) {
      row.push_back(cell);
    }
    table.rows.push_back(row);
  }
  return table;
}

std::string hero(const LedgerView& view) {
  const Budget& budget = view.filter.budget();
  std::string text =
      fmt::format(R"(<p class="kicker">Budget report</p><h1>Ledger {:.12}</h1>)", escaped(view.terms.id));
  text += fmt::format(
      R"(<div class="hero"><div class="promise"><div><span class="number">{}</span><small>epsilon</small></div>)"
      R"(<div><span class="number">{}</span><small>delta</small></div></div><div>{}<p class="lead">{}</p></div></div>)",
      short_number_up(budget.epsilon), delta_text(budget.delta),
      view.problem.empty() ? R"(<span class="verdict private">Verified</span>)"
                           : R"(<span class="verdict not_private">Not verified</span>)",
      "One limit for everything that is released from these rows through the ledger.");
  if (!view.problem.empty()) text += note(view.problem);
  return text + answers_of(view);
}

}  // namespace

std::string ledger_facts(const LedgerView& view) {
  const Filter& filter = view.filter;
  const Budget& budget = filter.budget();
  Facts facts;
  facts.add("Ledger", view.terms.id).add("Verified", verified_words(view));
  facts.add("Guarantee",
            fmt::format("{} for all releases together, {} ({})", promise_words(budget.epsilon, budget.delta),
                        enum_name(budget.relation), view.terms.unit));
  facts.add("Rows", view.terms.rows > 0 ? counted(view.terms.rows, "row", "rows") + ", known by their content"
                                        : std::string("a private number, known by their content"));
  facts.add("How releases add up", tidied(filter_words(filter.kind(), budget)));
  const double delta = budget_use(filter).delta;
  const std::string exact = would_fit(filter, 0), noisy = delta > 0 ? would_fit(filter, delta) : exact;
  if (exact == noisy) {
    facts.add("One more model", exact);
  } else {
    facts.add("One more model",
              exact + " at delta 0, " + noisy + " at delta " + tidied(down_text(delta, kDeltaDigits)));
  }
  facts.add("Book-keeping", tidied(currency_words(filter)));
  return facts.add("Public key", view.public_key).html();
}

std::string entries_html(const LedgerView& view) {
  return R"(<div class="entries">)" + html_of(entries_table(view)) + "</div>";
}

Figure spending_figure(const LedgerView& view) {
  Figure figure{"spending", "Budget used"};
  if (view.entries.size() < 2) return figure;
  const bool named = view.entries.size() <= kNamedEntries;
  Chart chart{"", {named ? "entry" : "number of entries"}, {"percent of the budget"}};
  Series used{"used in all"};
  const auto add = [&](const std::string& name, double percent) {
    if (named) chart.x.names.push_back(name);
    used.points.push_back({static_cast<double>(used.points.size()) + (named ? 1.0 : 0.0), percent});
  };
  add("start", 0);
  for (const LedgerView::Entry& e : view.entries) add(std::to_string(e.number), e.percent_after);
  chart.series = {used, {"the whole budget", true, Mark::level, {{1, 100}}}};
  chart.alt = "Percent of the budget used after each entry, in the order they were charged.";
  figure.panels = {chart};
  figure.caption =
      "In the order in which the entries were charged, measured by the budget as it is now. Their times stand below.";
  return figure;
}

std::string html_of(const LedgerView& view) {
  Page page{"Budget of ledger " + view.terms.id.substr(0, 12),
            {{"ledger", "Ledger"}, {"entries", "Entries"}},
            hero(view),
            ""};
  page.body = R"(<section id="ledger"><h2>Ledger</h2><div class="box">)" + ledger_facts(view) + "</div></section>\n";
  page.body += R"(<section id="entries"><h2>Entries</h2>)";
  const Figure spending = spending_figure(view);
  if (!spending.panels.empty()) page.body += html_of(spending);
  page.body += R"(<div class="box">)";
  if (knows_analysts(view)) page.body += html_of(analysts_table(view));
  page.body += view.entries.empty() ? paragraph("Nothing was charged yet.") : entries_html(view);
  page.body += "</div></section>\n";
  return html_of(page);
}

}  // namespace sotto::report
