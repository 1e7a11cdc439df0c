#pragma once
#include <functional>
#include <limits>
#include <vector>

#include "sotto/privacy/accountant/worlds.h"

/// The privacy loss of one release as a pair of laws (P, Q) that dominates it: whatever distinguishes the outputs of
/// neighbours does not do better than telling P from Q.
namespace sotto {

/// Masses under P and Q of {loss > t} and {loss <= t}, each accurate relative to itself.
struct LossTails {
  double p_above = 0, p_below = 0;
  double q_above = 0, q_below = 0;
};

struct LossLaw {
  std::function<LossTails(double)> tails;                ///< of the finite losses
  double p_infinite = 0;                                 ///< P mass where Q has none
  double lattice = 0;                                    ///< atoms lie at its multiples; 0: none, or elsewhere
  bool atoms_only = false;                               ///< all mass lies on the lattice
  double top = std::numeric_limits<double>::infinity();  ///< no finite loss is above
};

/// Throws Error{unsupported} for releases without a known dominating pair.
LossLaw loss_law(const Leaf& leaf, Side side);

/// By how much such a mass may be off, by its own rounding and by that of the argument it was computed from: a tail of
/// e^(-z^2/2) is off by z^2 units of its own, and below the range of a double nothing is known.
double rounding_of_tail(double mass) noexcept;

/// The same world with its Gaussian events merged into one (mu^2 adds), in the order of first appearance.
World with_merged_gaussians(const World& world);

}  // namespace sotto
