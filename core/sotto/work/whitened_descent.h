#pragma once
#include "sotto/work/descent.h"

namespace sotto {

/// Noisy second moments of the rows first, then noisy descent on rows whitened by them (docs/notes/whitening.md).
struct WhitenedWork {
  static constexpr double kFloor = 0.3;     ///< of the noise's largest eigenvalue, added to every value
  static constexpr double kShortest = 0.2;  ///< of the mean squared length of images: what is longer is scaled to it

  Mechanism moments{};
  RowGrid moments_grid{};
  DescentShape shape{};
  GradientNoise noise{};
  HeavyBall steps{};
  double curvature = 0;    ///< of the loss of an image, lambda included: bounds the steps
  double largest_map = 0;  ///< Frobenius norm of a map up to which the noise of the sums pays for rounding
  bool has_link = false;   ///< scores become probabilities, and what is known of margins holds for them

  Outcome run(const Run& run) const;
};

}  // namespace sotto
