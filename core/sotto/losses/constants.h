#pragma once
#include <limits>

namespace sotto {

/// What the theorems need to know about a loss, for rows of norm at most X (spec 2.1, 2.2). Regularisation is not
/// included: it cancels between neighbours.
struct LossConstants {
  double lipschitz = 0;                                         ///< bound on the norm of a row's data gradient
  double diameter_replace_one = 0;                              ///< sup |grad l0(w;z) - grad l0(w;z')|
  double diameter_add_remove = 0;                               ///< sup |grad l0(w;z)|
  double smoothness = std::numeric_limits<double>::infinity();  ///< of the data part; infinite: not smooth

  bool smooth() const noexcept { return smoothness < std::numeric_limits<double>::infinity(); }
};

/// The constants shared by losses of the margin y w.x whose slope lies in [-1, 0] and whose second derivative is at
/// most `curvature`.
constexpr LossConstants margin_loss_constants(double data_norm, double curvature) {
  return {data_norm, 2 * data_norm, data_norm, curvature * data_norm * data_norm};
}

}  // namespace sotto
