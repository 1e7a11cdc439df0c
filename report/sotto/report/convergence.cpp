#include "sotto/report/convergence.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/model/evaluation.h"

namespace sotto::report {
namespace {

constexpr std::uint64_t kTrainings = 5;
constexpr std::size_t kMaxRows = 20000;  // a page takes seconds, not minutes

double own_passes(const PrivacyCard& card) {
  for (const auto& [name, value] : card.parameters) {
    if (name == "passes") return std::stod(value);
  }
  return 0;
}

/// 1, 2, 5, 10, ... and the model's own number, up to twice of it.
std::vector<double> passes_around(double own) {
  std::vector<double> all{own};
  for (double decade = 1; decade <= 2 * own; decade *= 10) {
    for (const double one : {decade, 2 * decade, 5 * decade}) {
      if (one <= 2 * own) all.push_back(one);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

double objective_of(const Model& model, const Problem& problem, const RowBlock& rows) {
  double squares = 0;
  for (const double w : model.weights) squares += w * w;
  return evaluate(model, rows).loss + problem.lambda / 2 * squares;
}

std::optional<ObjectiveAfter> objective_after(double passes, const Replanned& known, const PlanInput& input,
                                              const RowBlock& rows, const TrainAgain& train) {
  Method method = known.method;
  const std::string text = std::to_string(static_cast<std::uint32_t>(passes));
  std::visit([&](auto& chosen) { set_field(chosen, "passes", text); }, method);
  ObjectiveAfter found{passes, 0, 0, kTrainings};
  double squares = 0;
  for (std::uint64_t i = 0; i < kTrainings; ++i) {
    try {
      const double here = objective_of(train(method, input, rows, i + 1), input.problem, rows), before = found.mean;
      found.mean += (here - before) / static_cast<double>(i + 1);
      squares += (here - before) * (here - found.mean);
    } catch (const Error&) {
      return {};  // refused for so few rows, or so many passes
    }
  }
  found.sd = std::sqrt(squares / static_cast<double>(kTrainings - 1));
  return found;
}

}  // namespace

Convergence convergence(const Model& model, const Replanned& known, const RowBlock& given, const TrainAgain& train) {
  Convergence found;
  const double own = own_passes(model.card);
  if (own < 1 || given.rows == 0) return found;
  const RowBlock rows = given.slice(0, std::min(given.rows, kMaxRows));
  PlanInput input = known.input;
  input.facts.rows = found.rows = rows.rows;
  input.facts.sparse = rows.sparse();
  for (const double passes : passes_around(own)) {
    if (const auto after = objective_after(passes, known, input, rows, train)) found.after.push_back(*after);
  }
  if (found.after.empty()) return found;
  if (constants_of(input.problem.loss, input.facts.data_norm, input.facts.classes).smooth()) {
    found.least = objective_of(train(Lbfgs{}, input, rows, 1), input.problem, rows);
  }
  found.model = objective_of(model, input.problem, rows);
  return found;
}

}  // namespace sotto::report
