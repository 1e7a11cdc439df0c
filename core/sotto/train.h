#pragma once
#include <functional>
#include <optional>

#include "sotto/algorithms/algorithm.h"
#include "sotto/model/model.h"
#include "sotto/optim/engine.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// What is asked of a training run.
struct TrainRequest {
  Problem problem;
  Algorithm algorithm;
  Budget budget;
  std::string encoding = "{}";              ///< stored in the model for prediction from raw columns
  std::vector<std::string> not_private;     ///< why the data's preparation was not private, e.g. observed bounds
  std::optional<std::uint64_t> order_seed;  ///< repeats the order of the rows; the guarantee does not rest on it
  std::function<void(double)> progress;     ///< called with the fraction of rows done, a function of counts alone
};

/// Plan, charge, run, release, card. `bits` is the noise; a seeded source stamps the model *not private*.
Model train(Engine& engine, const TrainRequest& request, BitSource& bits);

}  // namespace sotto
