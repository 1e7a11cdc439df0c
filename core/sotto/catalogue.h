#pragma once
#include "sotto/model/json.h"

namespace sotto {

/// What a request may be: methods, losses and step schedules with their parameters, and the fields of every problem and
/// every budget. A parameter has its one spelling, its default and its help.
Json catalogue();

}  // namespace sotto
