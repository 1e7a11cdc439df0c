#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/fields.h"
#include "sotto/methods/method.h"
#include "sotto/methods/personal.h"
#include "sotto/model/model.h"

namespace sotto {

/// What is asked of a training run.
struct TrainRequest {
  Problem problem;
  Method method;
  Budget budget;
  std::string encoding = "{}";                 ///< stored in the model for prediction from raw columns
  std::vector<std::string> not_private;        ///< why the data's preparation was not private, e.g. observed bounds
  std::optional<BoundsCost> bounds_cost{};     ///< of the schema rows are read with; the card promises both together
  std::optional<std::uint64_t> order_seed;     ///< repeats the order of the rows; the guarantee does not rest on it
  std::function<void(double)> progress;        ///< called with the fraction of rows done, a function of counts alone
  std::optional<PersonalEpsilons> personal{};  ///< public, by position; the budget's epsilon is the largest
};

/// The request that named fields stand for: `method`, `order_seed`, and the fields of the problem, the loss, the method
/// and the budget. Every front end translates its own syntax into fields and calls this. Throws Error{invalid_argument}
/// in the field at fault: for a name that is no field of this loss and this method, with the hint other_choice where
/// another has it, and for a value that a field cannot take.
TrainRequest request_from(const GivenFields& given, const std::string& default_method = "auto");

}  // namespace sotto
