#pragma once
#include "sotto/privacy/event.h"

namespace sotto {

/// delta of objective perturbation at epsilon, rounded up; 1 below log_determinant, where nothing is promised.
double objective_delta(const ObjectiveEvent& event, double epsilon);
/// Its Renyi divergence bound at one order above 1, rounded up.
double objective_rdp(const ObjectiveEvent& event, double order);

}  // namespace sotto
