#pragma once
#include "runner.h"

namespace sotto::bench {

/// epsilon of 10,000 Poisson-sampled Gaussian releases, and the noise that keeps (1, 1e-6) over as many, against
/// dp_accounting where a Python that has it is found (SOTTO_PYTHON, default python3). Answers are flags: inside the
/// reference's tolerance.
Task account_epsilon_task();
Task account_noise_task();

}  // namespace sotto::bench
