// What: the three answers at the top of a page.
// Formula: e^epsilon and delta are the definition of the guarantee; the chance is that of accountant/best_guess.h.
// Conditions: the chance of one model is the least that its promise and its noise show; that of a ledger follows from
//   its budget alone, whatever was spent of it. A model that is not private has none.
// Reference: [Dwork14, Definition 2.4]; [Kairouz15].
// Fails if wrong: Answers.*
#include "sotto/report/answers.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/best_guess.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/report/html.h"

namespace sotto::report {
namespace {

constexpr const char* kOneRow = "One row is not one person: a person with several rows is protected less.";
constexpr const char* kNoBetter = "No computation on what was released does better.";

struct Answer {
  std::string question;
  std::string answer{};
  std::vector<std::string> more{};
  std::string picture{};  ///< HTML
};

std::string html_of(const Answer& answer) {
  std::string text = fmt::format(R"(<section class="answer box"><h2>{}</h2><p class="lead">{}</p>{})",
                                 escaped(answer.question), escaped(answer.answer), answer.picture);
  for (const std::string& more : answer.more) text += paragraph(more);
  return text + "</section>\n";
}

std::string html_of(const std::vector<Answer>& answers) {
  std::string text = R"(<div class="answers">)";
  for (const Answer& answer : answers) text += html_of(answer);
  return text + "</div>\n";
}

const char* neighbour(std::string_view relation) {
  return relation == enum_name(Relation::add_remove) ? "added or removed" : "replaced by any other";
}

std::string factor_words(double epsilon, double delta) {
  const std::string beyond = delta > 0 ? fmt::format(", up to a probability of {}", delta_text(delta)) : "";
  return fmt::format("at most a factor of {}{}.", short_number_up(std::exp(epsilon) * (1 + 0x1p-50)), beyond);
}

/// To whom: as a unit of a card or of a ledger says it.
std::string unit_words(const std::string& unit) {
  return unit == "one row" ? fmt::format("This is promised to each row. {}", kOneRow)
                           : fmt::format("This is promised to each unit: {}.", unit);
}

/// A bar of a hundred guesses, with a coin in its middle.
std::string guesses_bar(double chance) {
  return fmt::format(
      R"(<div class="meter guesses" role="img" aria-label="{}"><i style="width:{:.2f}%"></i><b></b></div>)",
      escaped(best_guess_words(chance)), 100 * chance);
}

std::string what_is_guessed(std::string_view relation) {
  return relation == enum_name(Relation::add_remove)
             ? "The guess is whether the row was there, where both are equally likely beforehand. "
             : "The guess is which of two candidates the row was, where both are equally likely beforehand. ";
}

Answer promise_of(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  Answer answer{"What was promised"};
  if (!card.is_private) {
    answer.answer = "Nothing. This model is not private.";
    answer.more = {"Its weights may reveal rows it was trained on. The reasons stand above."};
    return answer;
  }
  answer.answer = fmt::format(
      "If any one row were {}, the probability of whatever is concluded from these weights would change by {}",
      neighbour(card.relation), factor_words(card.epsilon, card.delta));
  answer.more = {unit_words(card.unit)};
  if (!card.personal.empty()) answer.more.emplace_back("Rows with a smaller epsilon of their own are promised more.");
  return answer;
}

Answer left_of_card(const PrivacyCard::LedgerUse& use) {
  Answer answer{"How much is left"};
  if (!use.enforced) {
    answer.answer = "No budget was enforced.";
    answer.more = {
        "Nobody counts what else is released from these rows. Every further release adds to what can be known."};
    return answer;
  }
  answer.answer = sentence(fmt::format("after this model {} was used", tidied(part_words(use.spent, use.limit))));
  answer.more = {sentence(fmt::format("this model took {}", tidied(part_words(use.cost, use.limit)))),
                 fmt::format("What is left now is in ledger {:.12}, which this page was made without.", use.ledger)};
  return answer;
}

Answer left_of(const LedgerView& view) {
  const Filter& filter = view.filter;
  const double used = budget_use(filter).percent_used;
  Answer answer{"How much is left"};
  answer.answer = sentence(tidied(budget_words(filter)));
  answer.picture = meter(used, fmt::format("{} percent of the budget is used", short_number_up(used)));
  answer.more = {fmt::format("All releases of the ledger together keep {}, those to come included.",
                             promise_words(filter.budget().epsilon, filter.budget().delta))};
  return answer;
}

Answer left_of(const TrainingReport& report) {
  if (report.ledger) return left_of(*report.ledger);
  if (report.model.card.is_private) return left_of_card(report.model.card.budget);
  return {"How much is left", "No budget covers this model.", {"A budget is spent by private models only."}};
}

Answer risk_of(const TrainingReport& report) {
  const PrivacyCard& card = report.model.card;
  Answer answer{"What the risk is"};
  if (!card.is_private) {
    answer.answer = "There is no limit.";
    answer.more = {
        "Someone who knows every other row may be able to tell this one exactly. Handle the model like the rows."};
    return answer;
  }
  answer.answer = sentence(best_guess_words(report.best_guess));
  answer.picture = guesses_bar(report.best_guess);
  answer.more = {what_is_guessed(card.relation) + kNoBetter};
  const double promised = best_guess(card.epsilon, card.delta);
  if (odds_of(promised).right * odds_of(report.best_guess).of >
      odds_of(report.best_guess).right * odds_of(promised).of) {
    const Odds odds = odds_of(promised);
    answer.more.push_back(
        fmt::format("The noise that was added does better than its promise, which alone allows {} in {}.",
                    counted(odds.right, "time", "times"), short_number(static_cast<double>(odds.of))));
  }
  if (report.ledger) {
    const Budget& budget = report.ledger->filter.budget();
    const Odds odds = odds_of(best_guess(budget.epsilon, budget.delta));
    answer.more.push_back(fmt::format("From all releases of the ledger together: at most {} in {}.",
                                      counted(odds.right, "time", "times"),
                                      short_number(static_cast<double>(odds.of))));
  }
  return answer;
}

}  // namespace

std::string promise_words(double epsilon, double delta) {
  return fmt::format("epsilon {} and delta {}", short_number_up(epsilon), delta_text(delta));
}

std::string answers_of(const TrainingReport& report) {
  return html_of({promise_of(report), left_of(report), risk_of(report)});
}

std::string answers_of(const LedgerView& view) {
  const Budget& budget = view.filter.budget();
  const std::string relation(enum_name(budget.relation));
  Answer promised{"What is promised"};
  promised.answer = fmt::format(
      "If any one row were {}, the probability of whatever is concluded from all releases together would change by {}",
      neighbour(relation), factor_words(budget.epsilon, budget.delta));
  promised.more = {unit_words(view.terms.unit)};
  const double chance = best_guess(budget.epsilon, budget.delta);
  Answer risk{"What the risk is", sentence(best_guess_words(chance)), {}, guesses_bar(chance)};
  risk.more = {what_is_guessed(relation) + "This is the limit for all releases together, those to come included."};
  return html_of({promised, left_of(view), risk});
}

}  // namespace sotto::report
