#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/base/catalog.h"
#include "sotto/data/facts.h"
#include "sotto/methods/problem.h"
#include "sotto/optim/recipe.h"
#include "sotto/work/permutation.h"

namespace sotto {

/// The parameters every permutation-SGD method shares.
struct SgdOptions {
  std::uint32_t passes = 10;
  std::uint64_t batch_rows = 50;
  StepSchedule step{};
  Averaging averaging = Averaging::last;
  double radius = 0;
  RowOrder order = RowOrder::fixed;

  static constexpr auto fields() {
    return std::tuple{
        field("passes", &SgdOptions::passes, "passes over the rows"),
        field("batch_rows", &SgdOptions::batch_rows, "rows a step; the divisor even of a short last batch"),
        field("step", &SgdOptions::step, "schedule of the step sizes"),
        field("averaging", &SgdOptions::averaging, "which combination of iterates is released"),
        field("radius", &SgdOptions::radius, "project the weights onto this ball after each step; 0 = no projection"),
        field("order", &SgdOptions::order, "order of the rows: fixed shuffle, fresh shuffle each pass, or as stored")};
  }
};

/// The recipe these options stand for; throws Error{invalid_argument} naming the field that is out of range.
Recipe make_recipe(const SgdOptions& options, const Problem& problem, const Facts& facts);

}  // namespace sotto
