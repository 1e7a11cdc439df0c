#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"

namespace sotto {

/// Genetic search: the fittest of a population are chosen privately, crossed and mutated, round after round (spec 7.9).
/// Fitness is the number of rows a candidate gets right.
struct PrivGene {
  static constexpr std::string_view kName = "priv_gene";
  static constexpr std::string_view kSummary = "genetic search, parents chosen by their error counts; a weak baseline";
  static constexpr std::string_view kReference = "[Zhang13, Algorithms 3 and 4]";
  std::uint32_t population = 200;
  std::uint32_t parents = 10;
  std::uint32_t rounds = 0;
  double spread = 1.0;
  double mutation_decay = 0.95;
  std::uint64_t coins = 1;
  std::uint64_t declared_rows = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("population", &PrivGene::population, "candidates a round"),
        field("parents", &PrivGene::parents, "candidates chosen a round"),
        field("rounds", &PrivGene::rounds, "rounds; 0 takes 0.00125 epsilon rows, at least 8"),
        field("spread", &PrivGene::spread, "the first candidates are uniform in [-spread, spread] in every weight"),
        field("mutation_decay", &PrivGene::mutation_decay,
              "a mutation moves a weight by spread times this to the round"),
        field("coins", &PrivGene::coins, "public seed of crossing and mutation; the guarantee does not rest on it"),
        field("declared_rows", &PrivGene::declared_rows,
              "add_remove: a public number of rows to stand for the private")};
  }

  Plan plan(const PlanInput& input) const;
};

}  // namespace sotto
