#pragma once
#include <cstdint>

#include "sotto/losses/loss.h"
#include "sotto/privacy/event.h"
#include "sotto/work/run.h"

namespace sotto {

/// Genetic search: the fittest are chosen privately by their error counts, crossed and mutated, round after round.
struct GeneticWork {
  Loss loss{};
  Event whole{};  ///< what is charged and may be spent on choices
  std::uint32_t rounds = 0;
  double choice_epsilon = 0;  ///< of every choice
  double range = 0;           ///< by how much one row moves the gaps between error counts
  std::uint32_t population = 0;
  std::uint32_t parents = 0;
  double spread = 0;
  double mutation_decay = 0;
  std::uint64_t coins = 0;  ///< public seed of crossing and mutation

  Outcome run(const Run& run) const;
};

}  // namespace sotto
