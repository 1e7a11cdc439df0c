#include "sotto/report/limits.h"

#include <fmt/format.h>

#include <vector>

#include "sotto/base/fields.h"
#include "sotto/report/html.h"
#include "sotto/warnings.h"

namespace sotto::report {
namespace {

std::vector<Warning> warnings_of(const TrainingReport& report) {
  if (!report.plan) return {};
  TrainRequest request;
  request.problem = report.plan->input.problem;
  request.method = report.plan->method;
  request.budget = report.plan->input.budget;
  return sotto::warnings_of(request, report.model.card);
}

std::vector<std::string> limits_of(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  const bool rows_public = card.relation == enum_name(Relation::replace_one);
  std::vector<std::string> all;
  if (card.unit == "one row") {
    all.emplace_back(
        "The unit is one row. A person with several rows is protected less. How much less is not stated here.");
  }
  all.emplace_back(
      report.ledger || card.budget.enforced
          ? "The ledger adds up what was charged to it. What is published from these rows without it is not counted."
          : "The promise is about this model alone. A second model from the same rows costs more.");
  all.emplace_back(
      "What holds for everybody is no secret: a pattern that is there with and without a row may be learned.");
  all.push_back(
      fmt::format("Columns, ranges, categories, classes, parameters{} are taken as public. Choosing them by "
                  "looking at private rows is a release that nobody counts.",
                  rows_public ? " and the number of rows" : ""));
  all.emplace_back(
      "Timing, memory, files and backups are not covered. Nothing protects against those who hold the rows.");
  all.emplace_back("A signature says who released the file. It does not say that the declarations are true.");
  return all;
}

}  // namespace

std::string limits_section(const TrainingReport& report) {
  std::string text = R"(<section id="limits"><h2>Limits</h2><div class="box">)";
  for (const Warning& warning : warnings_of(report)) {
    text += fmt::format(R"(<p class="note care">{}</p>)", escaped(sentence(tidied(warning.text))));
  }
  if (!report.model.card.is_private)
    return text + paragraph("Nothing is promised, so nothing is limited.") + "</div></section>\n";
  text += "<ul>";
  for (const std::string& limit : limits_of(report)) text += "<li>" + escaped(limit) + "</li>";
  return text + "</ul></div></section>\n";
}

}  // namespace sotto::report
