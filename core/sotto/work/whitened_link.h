#pragma once
#include "sotto/linalg/symmetric_eigen.h"
#include "sotto/losses/link.h"
#include "sotto/optim/views/whitened_rows.h"

namespace sotto {

/// What a whitened descent leaves behind, all of it released or public.
struct WhitenedFit {
  const SymmetricEigen& moments;  ///< of the rows, released with noise
  double moments_noise;           ///< standard deviation of an entry of theirs
  double rows;                    ///< m of the formulas
  double data_norm;               ///< no image is longer
  const Whitening& whitening;
  const Vector& image_weights;  ///< u, one output
  double slope_clip;            ///< the largest slope a row pulls with
  double travel;                ///< steps times step size, momentum counted in
};

/// The eigenvalues of the moments without their noise, as well as they can be told from the released ones: the true
/// moments along the released vectors. Not negative.
Vector moments_without_noise(const SymmetricEigen& moments, double noise);

/// How the scores w.x, w = T'u, become odds: docs/notes/link.md. At most the sigmoid, which it is where nothing can be
/// told.
Link whitened_link(const WhitenedFit& fit);

}  // namespace sotto
