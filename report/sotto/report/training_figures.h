#pragma once
#include "sotto/report/training.h"

/// The figures of a training's page. Each is empty (no panel) where there is nothing to show.
namespace sotto::report {

Figure trade_off_figure(const TrainingReport& report);
Figure noise_figure(const TrainingReport& report);
Figure accuracy_figure(const TrainingReport& report);
Figure convergence_figure(const TrainingReport& report);

}  // namespace sotto::report
