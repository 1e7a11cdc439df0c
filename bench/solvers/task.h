#pragma once
#include "runner.h"

namespace sotto::bench {

/// Whole trainings on the real sets that bench/utility/prepare.py wrote into build/utility (or SOTTO_PREPARED), against
/// scikit-learn on the same rows. No contender where they were not prepared.
Task solvers_adult_task();
Task solvers_mnist_task();
/// Twenty scans of descent against reading the rows as often.
Task scans_mnist_task();

}  // namespace sotto::bench
