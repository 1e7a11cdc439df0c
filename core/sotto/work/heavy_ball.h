#pragma once
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/vector.h"

namespace sotto {

/// Public weights from noised mean gradients [Polyak64]: v <- momentum v + (g + lambda w), w <- Proj(w - size v).
struct HeavyBall {
  double lambda = 0;
  double momentum = 0;
  double radius = 0;  ///< 0: no projection
};

class HeavyBallSteps {
 public:
  HeavyBallSteps(const HeavyBall& rule, std::size_t weights) : rule_(rule), velocity_(weights, 0.0) {}
  void step(double size, const Vector& gradient, Vector& weights) noexcept {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      velocity_[i] = rule_.momentum * velocity_[i] + (gradient[i] + rule_.lambda * weights[i]);
      weights[i] -= size * velocity_[i];
    }
    if (!(rule_.radius > 0)) return;
    const double norm = kernels::norm(weights.data(), weights.size());
    if (norm > rule_.radius) kernels::scale(rule_.radius / norm, weights.data(), weights.size());
  }

 private:
  HeavyBall rule_;
  Vector velocity_;
};

}  // namespace sotto
