#pragma once

/// From margins to log odds (docs/notes/link.md).
namespace sotto {

/// The log odds of class +1 are scale times the margin. 1: the sigmoid of the margin itself.
struct Link {
  double scale = 1;
  double log_odds(double margin) const noexcept { return scale * margin; }
  bool operator==(const Link&) const = default;
};

/// The margins at the end of a fit with the logistic loss and clipped slopes.
struct FittedMargins {
  double deviation = 1;   ///< root of their mean square
  double slope_clip = 1;  ///< the largest slope of a row; the logistic loss has slopes below 1
};

/// The k for which labels with log odds k t leave such margins t where they are; between 0 and 1.
double stationary_slope(const FittedMargins& margins);

/// The mean curvature of the clipped loss over such margins, if labels have log odds slope t.
double mean_curvature(const FittedMargins& margins, double slope);

}  // namespace sotto
