#pragma once
#include <string>

#include "sotto/report/training.h"

namespace sotto::report {

/// Which data: the columns a model uses with what was declared of them, the label, the rows, how they were scaled.
std::string columns_section(const TrainingReport& report);

}  // namespace sotto::report
