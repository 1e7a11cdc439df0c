#include <fmt/format.h>

#include "sotto/report/answers.h"
#include "sotto/report/columns.h"
#include "sotto/report/html.h"
#include "sotto/report/ledger_page.h"
#include "sotto/report/limits.h"
#include "sotto/report/page.h"
#include "sotto/report/training_figures.h"

namespace sotto::report {
namespace {

constexpr const char* kMeasured =
    "These figures are computed from the rows without noise. So this measurement is not private: not for release if "
    "the "
    "rows are private. The model keeps what it promises.";

std::string made_words(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  std::string text = "Method " + method_words(card);
  if (!report.released) return text + ".";
  text += fmt::format("; trained {} UTC, entry {} of ledger {:.12}", report.released->time, report.released->entry,
                      report.ledger->terms.id);
  return text + (report.released->is_signed ? ", signature verified." : ", released as it is, without a signature.");
}

std::string hero(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  std::string text =
      fmt::format(R"(<p class="kicker">Privacy report</p><h1>{}</h1><div class="hero">)", escaped(report.name));
  if (card.epsilon > 0) {
    text += fmt::format(R"(<div class="promise"><div><span class="number">{}</span><small>epsilon{}</small></div>)"
                        R"(<div><span class="number">{}</span><small>delta{}</small></div></div>)",
                        short_number_up(card.epsilon), card.is_private ? "" : ", claimed", delta_text(card.delta),
                        card.is_private ? "" : ", claimed");
  }
  text += fmt::format(R"(<div>{}<p class="lead">{}</p></div></div>)",
                      card.is_private ? R"(<span class="verdict private">Private</span>)"
                                      : R"(<span class="verdict not_private">Not private</span>)",
                      escaped(made_words(report)));
  for (const std::string& why : card.not_private_because) text += note(sentence(why));
  return text + answers_of(report);
}

std::string event_words(const PrivacyCard::Spent& event) {
  std::string text = fmt::format("{} {} {}, {}", event.event, event.parameter, tidied(event.rounded_value(4)),
                                 event.times == 1 ? "once" : counted(event.times, "time", "times"));
  return event.parts == 1 ? text : text + fmt::format(" on each of {} parts of the rows", event.parts);
}

std::string signature_words(const TrainingReport& report) {
  const auto& use = report.model.card.budget;
  if (report.released) {
    return report.released->is_signed ? "verified with the public key of this ledger"
                                      : "none in the file; byte for byte what this ledger released";
  }
  if (!use.signed_by.empty())
    return "by a ledger whose key begins with " + use.signed_by.substr(0, 16) + ", not checked here";
  return use.enforced ? "none in the file" : "none: no ledger vouches for this file";
}

std::string card_section(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  Facts facts;
  facts.add("Method", method_words(card)).add("Theorem", card.theorem).add("Signature", signature_words(report));
  facts.add("Neighbours", fmt::format("{} ({})", card.relation, card.unit)).add("Released", card.released);
  if (card.noise.mechanism != "none") {
    facts.add("Noise", fmt::format("{} on {}, standard deviation {} for each coordinate", card.noise.mechanism,
                                   card.noise.added_to, short_number(card.noise.stddev)));
    facts.add("Sensitivity", short_number(card.l2_sensitivity) + " in the L2 norm");
  }
  for (const auto& event : card.events) facts.add("Event", event_words(event));
  for (const auto& one : card.personal) {
    facts.add("Personal",
              fmt::format("epsilon {}, delta {} for {}", short_number_up(one.epsilon), delta_text(one.delta),
                          counted(one.positions, "public position", "public positions")));
  }
  for (const std::string& remark : card.remarks) facts.add("Remark", tidied(remark));
  std::string parameters;
  for (const auto& [name, value] : card.parameters) {
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ", ", name, tidied(value));
  }
  facts.add("Parameters", parameters).add("Version", card.version);
  return R"(<section id="card"><h2>Privacy card</h2><div class="box">)" + facts.html() + "</div></section>\n";
}

std::string ledger_section(const TrainingReport& report) {
  if (!report.ledger) return "";
  return R"(<section id="ledger"><h2>Ledger</h2><div class="box">)" + ledger_facts(*report.ledger) +
         entries_html(*report.ledger) + "</div></section>\n";
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
  text += found.is_public ? paragraph("The rows were declared public.") : note(kMeasured);
  text += R"(<div class="box">)" + Facts()
                                       .add("File", found.name)
                                       .add("Rows", counted(e.rows, "row", "rows"))
                                       .add("Rows left out", counted(e.unusable, "row", "rows"))
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

std::string meaning_section(const TrainingReport& report) {
  std::string figures;
  for (const Figure& figure : {trade_off_figure(report), noise_figure(report)}) {
    if (!figure.panels.empty()) figures += html_of(figure);
  }
  return figures.empty() ? "" : R"(<section id="what"><h2>What it means</h2>)" + figures + "</section>\n";
}

}  // namespace

std::string html_of(const TrainingReport& report) {
  Page page{"Privacy report: " + report.name, {}, hero(report), ""};
  const auto add = [&page](const char* anchor, const char* words, const std::string& section) {
    if (section.empty()) return;
    page.navigation.emplace_back(anchor, words);
    page.body += section;
  };
  add("data", "Data", columns_section(report));
  add("limits", "Limits", limits_section(report));
  add("card", "Card", card_section(report));
  add("what", "Meaning", meaning_section(report));
  add("held-out", "Held-out rows", accuracy_section(report));
  add("ledger", "Ledger", ledger_section(report));
  return html_of(page);
}

}  // namespace sotto::report
