#include "sotto/report/training.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/time_text.h"
#include "sotto/model/prediction.h"
#include "sotto/model/signature.h"
#include "sotto/privacy/accountant/best_guess.h"
#include "sotto/privacy/ledger/released.h"
#include "sotto/report/curves.h"
#include "sotto/report/smaller_budget.h"

namespace sotto::report {
namespace {

constexpr int kStepsADecade = 5;
constexpr std::uint64_t kDraws = 25;
constexpr double kMinGain = 0.002;  // of a curve that is drawn beside another

/// Epsilons around the one of the card, evenly on a logarithmic axis, from a tenth to ten times of it.
std::vector<double> epsilons_around(double epsilon) {
  std::vector<double> all;
  for (int i = -kStepsADecade; i <= kStepsADecade; ++i) {
    all.push_back(i == 0 ? epsilon : epsilon * std::pow(10.0, static_cast<double>(i) / kStepsADecade));
  }
  return all;
}

bool says_more(const std::vector<TradeOffPoint>& curve, const std::vector<TradeOffPoint>& than) {
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i].beta > than[i].beta + kMinGain) return true;
  }
  return false;
}

std::vector<BudgetNoise> noise_of_budgets(const Replanned& known) {
  std::vector<BudgetNoise> all;
  if (!known.plan.noise) return all;
  for (const double epsilon : epsilons_around(known.plan.guarantee.epsilon)) {
    const std::optional<Plan> plan = plan_at(known, epsilon);
    if (!plan || !plan->noise || plan->noise_at != known.plan.noise_at) continue;
    all.push_back({epsilon, std::visit([](const auto& noise) { return noise.stddev(); }, plan->noise->mechanism)});
  }
  return all;
}

double accuracy_of(const Model& model, const RowBlock& rows, std::vector<double>& room) {
  scores(model, rows, room);
  const std::size_t outputs = outputs_of(model);
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::uint32_t predicted = predicted_class({room.data() + i * outputs, outputs});
    right += predicted == class_of_label(rows.labels[i], model.card.classes) ? 1 : 0;
  }
  return rows.rows > 0 ? static_cast<double>(right) / static_cast<double>(rows.rows) : 0;
}

AccuracyAt accuracy_at(const TrainingReport& report, const Plan& smaller, const RowBlock& rows, BitSource& bits) {
  AccuracyAt found{smaller.guarantee.epsilon, 0, 0, kDraws, "more noise on the released weights"};
  std::vector<double> room;
  double squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    Model model = report.model;
    add_noise(report.plan->plan, smaller, bits, model.weights);
    const double accuracy = accuracy_of(model, rows, room), before = found.mean;
    found.mean += (accuracy - before) / static_cast<double>(i + 1);
    squares += (accuracy - before) * (accuracy - found.mean);
  }
  found.sd = std::sqrt(squares / static_cast<double>(kDraws - 1));
  return found;
}

}  // namespace

TrainingReport training_report(const std::string& name, const Model& model) {
  TrainingReport report{name, model};
  const PrivacyCard& card = model.card;
  report.plan = replan(card);
  if (!(card.epsilon > 0)) return report;  // a baseline without any promise
  report.promised = trade_off_of(card.epsilon, card.delta);
  if (card.is_private) report.best_guess = sotto::best_guess(card.epsilon, card.delta);
  if (!report.plan) return report;
  const std::vector<ProfilePoint> profile = profile_of(report.plan->plan);
  if (card.is_private) report.best_guess = std::min(report.best_guess, sotto::best_guess(profile));
  report.mechanism = trade_off_of(profile);
  if (!says_more(report.mechanism, report.promised)) report.mechanism.clear();
  report.budgets = noise_of_budgets(*report.plan);
  return report;
}

void add_ledger(TrainingReport& report, Ledger& ledger, const std::string& text) {
  const auto entry = entry_of(ledger, text);
  if (!entry) throw Error(ErrorKind::invalid_data, report.name + " " + kNotReleased, "model");
  report.ledger = view_of(ledger);
  report.released = {entry->number, time_text(entry->time), signature_problem(text, ledger.public_key()).empty()};
}

std::string model_page(const ModelPage& asked) {
  TrainingReport report = training_report(asked.name, model_from_text(asked.text, asked.name));
  if (asked.ledger != nullptr) add_ledger(report, *asked.ledger, asked.text);
  if (asked.measured != nullptr) {
    HeldOut found;
    found.evaluation = *asked.measured;
    found.classes = class_texts(report.model);
    found.is_public = asked.is_public;
    report.held_out = found;
  }
  return html_of(report);
}

HeldOut held_out(const TrainingReport& report, const RowBlock& rows) {
  HeldOut found;
  found.evaluation = evaluate(report.model, rows);
  found.classes = class_texts(report.model);
  if (!report.plan) return found;
  // Not noise that protects a row: the draws are repeatable, and of released weights.
  BitSource bits(ReproducibleSeed{1});
  for (const BudgetNoise& budget : report.budgets) {
    const std::optional<Plan> smaller = plan_at(*report.plan, budget.epsilon);
    const bool possible = budget.epsilon < report.model.card.epsilon && smaller;
    if (possible && can_add_noise(report.plan->plan, *smaller)) {
      found.smaller.push_back(accuracy_at(report, *smaller, rows, bits));
    }
  }
  return found;
}

}  // namespace sotto::report
