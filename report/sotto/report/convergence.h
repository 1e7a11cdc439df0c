#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sotto/data/row_block.h"
#include "sotto/model/model.h"
#include "sotto/report/replan.h"

namespace sotto::report {

/// Mean objective on rows after training on them for so many passes, over draws of the noise.
struct ObjectiveAfter {
  double passes = 0;
  double mean = 0;
  double sd = 0;
  std::uint64_t draws = 0;
};

/// How a method converges on rows. Computed from them with noise that anyone can repeat: not private.
struct Convergence {
  std::uint64_t rows = 0;               ///< the first of those given
  std::vector<ObjectiveAfter> after{};  ///< the model's method and budget for other numbers of passes
  std::optional<double> least{};        ///< the least objective on the rows, of a smooth loss
  double model = 0;                     ///< that of the released weights
};

/// Trains on rows with the problem, budget and facts of `input`, by noise and order of a seed; throws Error where
/// refused.
using TrainAgain = std::function<Model(const Method&, const PlanInput& input, const RowBlock&, std::uint64_t seed)>;

/// Trains the model's method again on rows that are not its own. A model keeps no record of its steps, and one made
/// from its rows would be a release of its own. Empty where the method makes no passes or refuses so few rows.
Convergence convergence(const Model& model, const Replanned& known, const RowBlock& rows, const TrainAgain& train);

}  // namespace sotto::report
