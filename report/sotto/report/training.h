#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "sotto/privacy/accountant/curve.h"
#include "sotto/report/convergence.h"
#include "sotto/report/figure.h"
#include "sotto/report/ledger_view.h"
#include "sotto/report/replan.h"

/// The page of one training. It answers three questions in words: what was promised, how much is left, what the risk
/// is. Then come columns, card, limits, trade-off curve, noise, other budgets, held-out rows and ledger. Everything is
/// made from what was released and from plans, which read no row; only what is measured on held-out rows is not.
namespace sotto::report {

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

/// How the model left its ledger.
struct ReleasedAs {
  std::uint64_t entry = 0;
  std::string time;  ///< of its reservation, before the first row was read
  bool is_signed = false;
};

struct TrainingReport {
  std::string name;  ///< of the model file
  Model model;
  std::optional<LedgerView> ledger{};
  std::optional<ReleasedAs> released{};  ///< with the ledger
  std::optional<HeldOut> held_out{};
  std::optional<Replanned> plan{};
  std::vector<TradeOffPoint> promised{};   ///< by epsilon and delta alone
  std::vector<TradeOffPoint> mechanism{};  ///< by the noise itself; empty if it says no more
  std::vector<BudgetNoise> budgets{};
  /// At most this often is the best guess about one row right: the least that promise and noise show. 1 of a model that
  /// is not private.
  double best_guess = 1;
};

/// Fills in what follows from the model alone.
TrainingReport training_report(const std::string& name, const Model& model);

/// Adds the ledger that released the model; `text` is the content of its file. Throws Error{invalid_data} about the
/// model if the ledger did not release exactly these bytes.
void add_ledger(TrainingReport& report, Ledger& ledger, const std::string& text);

/// Evaluates the report's model on rows read by its encoding, and draws of it at smaller epsilons.
HeldOut held_out(const TrainingReport& report, const RowBlock& rows);

/// What a page of a model is made of, for front ends that want the page and nothing else.
struct ModelPage {
  std::string name;                      ///< of the model, for the title
  std::string text;                      ///< content of the model file (model_text, or the file as it is)
  Ledger* ledger = nullptr;              ///< that released it
  const Evaluation* measured = nullptr;  ///< on held-out rows
  bool is_public = false;                ///< those rows are
};
/// The page, ready to be written. Throws as model_from_text and add_ledger do.
std::string model_page(const ModelPage& asked);

std::string html_of(const TrainingReport& report);
Json to_json(const TrainingReport& report);

}  // namespace sotto::report
