// What: bounds on a sum of losses from the profiles of its terms alone.
// Formula: delta(n e) <= sum of the n profiles at e; delta(e) >= the largest of the profiles at e.
// Conditions: e >= 0. Profiles are moved outward by the rounding of their tails, epsilon by 1e-12 of itself.
// Reference: [Dwork14, Theorem 3.16]; from below: a release alone is a function of all of them.
// Fails if wrong: AccountantBasic.*
#include "sotto/privacy/accountant/loss_basic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMoved = 1e-12;  // of epsilon: atoms are placed up to rounding
constexpr double kMax = 1e6;

/// e^epsilon mass, which no P mass above epsilon is below.
double lifted(double epsilon, double mass, double most) {
  if (!(mass > 0)) return 0;
  const double log_lifted = epsilon + std::log(mass);
  return log_lifted < 0 ? std::min(most, epsilon < 700 ? std::exp(epsilon) * mass : std::exp(log_lifted)) : most;
}

/// p_infinite + P(loss > e) - e^e Q(loss > e), from above or from below.
enum class Direction { up, down };
double profile(const LossLaw& law, double epsilon, Direction direction) {
  const bool up = direction == Direction::up;
  const double e = epsilon * (up ? 1 - kMoved : 1 + kMoved);
  if (e >= law.top * (1 + kMoved)) return law.p_infinite;
  const LossTails t = law.tails(e);
  const double sign = up ? 1 : -1;
  const double p = t.p_above + sign * rounding_of_tail(t.p_above), q = t.q_above - sign * rounding_of_tail(t.q_above);
  const double slack = 1e-15 * (4 + e);  // of the exponential
  return std::clamp(law.p_infinite + p - lifted(e, q, p) * (1 - sign * slack), law.p_infinite, 1.0);
}

double sum_at(std::span<const LossTerm> terms, double epsilon) {
  double sum = 0;
  for (const LossTerm& term : terms) sum += static_cast<double>(term.count) * profile(term.law, epsilon, Direction::up);
  return std::min(1.0, sum * (1 + 1e-12));
}

double largest_at(std::span<const LossTerm> terms, double epsilon) {
  double largest = 0;
  for (const LossTerm& term : terms) largest = std::max(largest, profile(term.law, epsilon, Direction::down));
  return largest;
}

double steps_of(std::span<const LossTerm> terms) {
  double steps = 0;
  for (const LossTerm& term : terms) steps += static_cast<double>(term.count);
  return steps;
}

/// The edge between an epsilon at which `above` holds and one at which it does not.
struct Edge {
  double above = 0, below = 0;
};
template <class F>
Edge edge_of(const F& above) {
  if (!above(0)) return {0, 0};
  Edge edge{0, 1e-9};
  while (above(edge.below)) {
    if (edge.below > kMax) return {edge.below, kInfinity};
    edge.above = edge.below;
    edge.below *= 4;
  }
  for (int i = 0; i < 60 && edge.below - edge.above > 1e-13 * edge.below; ++i) {
    const double middle = (edge.above + edge.below) / 2;
    (above(middle) ? edge.above : edge.below) = middle;
  }
  return edge;
}

}  // namespace

Bound basic_epsilon(std::span<const LossTerm> terms, double delta) {
  const double each = edge_of([&](double e) { return sum_at(terms, e) > delta; }).below;
  const double lower = edge_of([&](double e) { return largest_at(terms, e) > delta; }).above;
  const double upper = each > 0 ? steps_of(terms) * each * (1 + 1e-12) : 0;
  return {std::min(lower, upper), upper};
}

Bound basic_delta(std::span<const LossTerm> terms, double epsilon) {
  const double upper = sum_at(terms, epsilon / std::max(1.0, steps_of(terms)) * (1 - kMoved));
  return {std::min(upper, largest_at(terms, epsilon)), upper};
}

}  // namespace sotto
