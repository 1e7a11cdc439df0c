#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "sotto/privacy/accountant/curve.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/report/convergence.h"
#include "sotto/report/figure.h"
#include "sotto/report/replan.h"

/// The page of one training: card, ledger, trade-off curve, noise against signal, other budgets, convergence, accuracy.
/// Everything is made from what was released and from plans, which read no row; only what is measured on held-out rows
/// is not, and is marked.
namespace sotto::report {

/// A ledger as a page shows it.
struct LedgerView {
  struct Entry {
    std::uint64_t number = 0;
    std::string time;
    std::string state;
    std::string cost;
    std::string event;
  };
  LedgerTerms terms;
  Filter filter;
  std::vector<Entry> entries;
};

/// Accuracy on held-out rows at an epsilon, over `draws` of noise.
struct AccuracyAt {
  double epsilon = 0;
  double mean = 0;
  double sd = 0;
  std::uint64_t draws = 1;
  std::string what{};
};

/// What labelled rows say about the model. Not private unless the rows were declared public.
struct HeldOut {
  std::string name;  ///< of the file
  bool is_public = false;
  Evaluation evaluation;
  std::vector<std::string> classes;
  std::vector<AccuracyAt> smaller{};   ///< the same method for smaller epsilons, by more noise on the released weights
  std::vector<AccuracyAt> released{};  ///< other models of the ledger
  Convergence convergence{};           ///< of the same method on these rows
};

/// Noise of the same method and parameters at another epsilon.
struct BudgetNoise {
  double epsilon = 0;
  double stddev = 0;
};

struct TrainingReport {
  std::string name;  ///< of the model file
  Model model;
  std::optional<LedgerView> ledger{};
  std::optional<HeldOut> held_out{};
  std::optional<Replanned> plan{};
  std::vector<TradeOffPoint> promised{};   ///< by epsilon and delta alone
  std::vector<TradeOffPoint> mechanism{};  ///< by the noise itself; empty if it says no more
  std::vector<BudgetNoise> budgets{};
};

/// Fills in what follows from the model alone.
TrainingReport training_report(const std::string& name, const Model& model);

/// Evaluates the report's model on rows read by its encoding, and draws of it at smaller epsilons.
HeldOut held_out(const TrainingReport& report, const RowBlock& rows);

std::string html_of(const TrainingReport& report);
Json to_json(const TrainingReport& report);

}  // namespace sotto::report
