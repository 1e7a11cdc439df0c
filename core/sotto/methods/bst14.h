#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "sotto/methods/plan.h"
#include "sotto/methods/sampled_descent.h"

namespace sotto {

/// accounted: noise by privacy-loss distribution. published: Wu17's formulas; for batches of one row they are checked
/// by privacy-loss distribution and refused if they do not hold, for larger ones the model is stamped *not private*.
enum class Bst14Calibration { accounted, published };
constexpr auto enum_names(Bst14Calibration) {
  return std::array{std::pair{std::string_view("accounted"), Bst14Calibration::accounted},
                    std::pair{std::string_view("published"), Bst14Calibration::published}};
}

/// SGD with subsampled noise of BST14 for a constant number of passes (spec 7.3): convex for lambda = 0, strongly
/// convex otherwise.
struct Bst14 {
  static constexpr std::string_view kName = "bst14";
  static constexpr std::string_view kSummary = "SGD on secret random batches with the steps of BST14; any loss";
  static constexpr std::string_view kReference = "[Wu17, Algorithms 4 and 5], after [Bassily14], accounted by [Zhu22]";
  double passes = 10;
  std::uint64_t batch_rows = 50;
  double radius = 0;
  Bst14Calibration calibration = Bst14Calibration::accounted;
  std::uint64_t declared_rows = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("passes", &Bst14::passes, "expected passes over the rows"),
        field("batch_rows", &Bst14::batch_rows, "expected rows a step, and the divisor of every batch sum"),
        field("radius", &Bst14::radius, "the weights are kept in this ball; needed for lambda 0, else 0 = 1/lambda"),
        field("calibration", &Bst14::calibration,
              "accounted, or published: Wu17's formulas, checked for batches of one row, else not private"),
        field("declared_rows", &Bst14::declared_rows,
              "add_remove only: the public constant used for the number of rows")};
  }

  Plan plan(const PlanInput& input) const;
};

/// sigma of Wu17's Algorithms 4 and 5, lines 4 to 7, for a step of one row: delta_1 = delta/(k m), epsilon_1 by
/// advanced composition over T steps, epsilon_2 = min(1, m epsilon_1 / 2), sigma^2 = 2 ln(1.25/delta_1)/epsilon_2^2.
double bst14_published_sigma(double rows, std::uint64_t steps, const Budget& budget);

}  // namespace sotto
