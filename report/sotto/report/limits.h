#pragma once
#include <string>

#include "sotto/report/training.h"

namespace sotto::report {

/// What the promise of a model does not cover, and what public facts say against it.
std::string limits_section(const TrainingReport& report);

}  // namespace sotto::report
