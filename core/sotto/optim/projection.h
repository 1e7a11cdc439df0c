#pragma once

namespace sotto {

/// Projection of the weights onto the ball of the given radius after every step; 0 means none. A projection onto a
/// convex set is 1-Lipschitz, so it never raises a sensitivity; it is not needed for privacy (spec 2.2).
struct BallProjection {
  double radius = 0;
  bool active() const noexcept { return radius > 0; }
};

}  // namespace sotto
