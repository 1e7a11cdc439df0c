#pragma once
#include "sotto/optim/row_grid.h"
#include "sotto/privacy/mechanism.h"

namespace sotto {

/// What confidence intervals need of a run besides the weights: all public but what `moments` noises.
struct IntervalPlan {
  Calibrated moments{};         ///< the noise of the released second moments (optim/score_moments.h)
  RowGrid grid{};               ///< of the rows' moments
  double share = 0;             ///< of the budget, for the moments
  double curvature = 0;         ///< kappa: the regulariser of the sum, m lambda
  double objective_stddev = 0;  ///< of a coordinate of the linear term in the objective; 0: there is none
  double release_stddev = 0;    ///< of a coordinate of the noise on the weights
  bool laplace = false;         ///< the main noise is l2_laplace, not Gaussian
};

}  // namespace sotto
