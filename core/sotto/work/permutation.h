#pragma once
#include <optional>

#include "sotto/optim/recipe.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/work/run.h"

namespace sotto {

/// Permutation SGD: noise on what is released, on every batch sum, or nowhere.
struct PermutationWork {
  Recipe recipe{};
  RowOrder order = RowOrder::fixed;
  std::optional<Mechanism> on_release{};
  std::optional<Mechanism> on_batches{};

  Outcome run(const Run& run) const;
};

}  // namespace sotto
