#pragma once
#include <string>

#include "sotto/train.h"

namespace sotto::capi {

/// A training request as front ends hand it over: one JSON object, one key a declared field.
struct Asked {
  TrainRequest train;
  bool again = false;
};

/// Throws Error{invalid_argument} for what is no JSON object, for a key that is no field of the problem, the method or
/// the budget, and for a value a field cannot take.
Asked request_from(const std::string& json);

}  // namespace sotto::capi
