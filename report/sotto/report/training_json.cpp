#include "sotto/privacy/accountant/best_guess.h"
#include "sotto/report/training.h"

namespace sotto::report {
namespace {

Json curve_json(const std::vector<TradeOffPoint>& curve) {
  Json list = Json::array();
  for (const TradeOffPoint& p : curve) list.push_back(Json{{"alpha", p.alpha}, {"beta", p.beta}});
  return list;
}

Json accuracies_json(const std::vector<AccuracyAt>& all) {
  Json list = Json::array();
  for (const AccuracyAt& a : all) {
    list.push_back(
        Json{{"epsilon", a.epsilon}, {"accuracy", a.mean}, {"sd", a.sd}, {"draws", a.draws}, {"what", a.what}});
  }
  return list;
}

Json convergence_json(const Convergence& found) {
  if (found.after.empty()) return nullptr;
  Json json{{"rows", found.rows}, {"least", nullptr}, {"model", found.model}, {"after", Json::array()}};
  if (found.least) json["least"] = *found.least;
  for (const ObjectiveAfter& p : found.after) {
    json["after"].push_back(Json{{"passes", p.passes}, {"objective", p.mean}, {"sd", p.sd}, {"draws", p.draws}});
  }
  return json;
}

}  // namespace

Json to_json(const TrainingReport& report) {
  Json json{{"model", report.name}, {"card", sotto::to_json(report.model.card)}};
  json["trade_off"] = Json{{"promised", curve_json(report.promised)}, {"mechanism", curve_json(report.mechanism)}};
  json["budgets"] = Json::array();
  for (const BudgetNoise& b : report.budgets) {
    json["budgets"].push_back(Json{{"epsilon", b.epsilon}, {"noise_stddev", b.stddev}});
  }
  if (report.model.card.is_private) {
    json["best_guess"] = Json{{"chance", report.best_guess}, {"words", best_guess_words(report.best_guess)}};
  }
  if (report.released) {
    json["released"] = Json{
        {"entry", report.released->entry}, {"time", report.released->time}, {"signed", report.released->is_signed}};
  }
  if (report.ledger) json["ledger"] = to_json(*report.ledger);
  if (report.held_out) {
    const HeldOut& found = *report.held_out;
    json["held_out"] = Json{{"rows", found.evaluation.rows},
                            {"unusable", found.evaluation.unusable},
                            {"accuracy", found.evaluation.accuracy},
                            {"loss", found.evaluation.loss},
                            {"auc", found.evaluation.auc},
                            {"private", found.is_public},
                            {"smaller_budgets", accuracies_json(found.smaller)},
                            {"ledger_models", accuracies_json(found.released)},
                            {"convergence", convergence_json(found.convergence)}};
  }
  return json;
}

}  // namespace sotto::report
