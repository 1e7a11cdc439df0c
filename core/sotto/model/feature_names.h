#pragma once
#include <string>
#include <vector>

#include "sotto/model/model.h"

namespace sotto {

/// The names of the features in the order of the weights of one output: those of the encoding, or feature_1, ...
std::vector<std::string> feature_names(const Model& model);

}  // namespace sotto
