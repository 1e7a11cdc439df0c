// What: how far apart the data gradients of two rows can be at weights of a known norm R.
// Logistic, |x| <= 1: gradients are -s(w.u) u, u = y x, and lie in a disc around any point c on the axis of w, of
//   radius the largest |s(R cos a) e^(ia) - c| over angles a in [0, pi] to w; the diameter is at most twice that. c is
//   the foot of the widest pair of mirror images, whose distance it then is. Branch and bound over a: value at the
//   centre + speed x half the width bounds an interval; any stopping point is an upper bound.
// Softmax, |z| <= R: z_k - z_c <= sqrt2 R, so p_c >= p_min = 1/(1 + (K-1) e^(sqrt2 R)); by convexity p_k <= p_max =
//   1/(1 + (K-1) e^-t), t = R sqrt(K/(K-1)); |p - e_c|^2 <= (1 - p_min)^2 + (1 - p_min) p_max; the diameter is at most
//   twice that norm.
// Conditions: the norm is public and bounds the weights the gradients are taken at.
// Reference: docs/notes/diameter.md. Fails if wrong: Diameter.* (random search, published grid values).
#include "sotto/losses/diameter.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>

namespace sotto {
namespace {

constexpr double kOutward = 1 + 1e-6;  // rounding of margins (2^28 features at the largest reach) and of this bound

double sigmoid(double x) noexcept { return 1 / (1 + std::exp(-x)); }

/// Angles in [at - half, at + half] and a bound on how far their gradients are from the centre.
struct Arc {
  double at, half, bound;
  bool operator<(const Arc& other) const noexcept { return bound < other.bound; }
};

/// The gradients at weights of norm `reach` and a point on their axis; angles are those of u to w.
class Disc {
 public:
  explicit Disc(double reach) : reach_(reach), centre_(foot_of_widest()) {}

  Arc arc(double at, double half) {
    const double share = share_at(at);
    const double value = std::hypot(share * std::cos(at) - centre_, share * std::sin(at));
    largest_ = std::max(largest_, value);
    return {at, half, value + half * speed(at - half, at + half)};
  }
  double largest() const noexcept { return largest_; }

 private:
  double share_at(double angle) const noexcept { return sigmoid(-reach_ * std::cos(angle)); }

  /// How fast the distance changes: at most as the gradient moves; and where that goes around the centre, hardly. With
  /// p the share, f the distance, c the centre: f f' = p p' - c p' cos a + p c sin a. The share grows with the angle.
  double speed(double low, double high) const noexcept {
    low = std::max(low, 0.0);
    high = std::min(high, std::numbers::pi);
    const double first = reach_ * std::cos(low), last = reach_ * std::cos(high);
    const double flattest = sigmoid(last > 0 ? last : first < 0 ? first : 0.0);  // where slopes change most
    const double growth = reach_ * flattest * (1 - flattest);
    const double share = share_at(high), aside = std::fabs(centre_);
    const double moves = std::hypot(share, growth), nearest = share_at(low) - aside;
    if (!(nearest > 0)) return moves;
    return std::min(moves, ((share + aside) * growth + share * aside) / nearest);
  }

  /// Any point would do; by golden section, which finds the best closely enough.
  double foot_of_widest() const noexcept {
    constexpr double kGolden = 0.6180339887498949;
    const auto width = [&](double turn) { return sigmoid(reach_ * std::sin(turn)) * std::cos(turn); };
    double low = 0, high = std::numbers::pi / 4;
    for (int i = 0; i < 40; ++i) {
      const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
      (width(left) < width(right) ? low : high) = width(left) < width(right) ? left : right;
    }
    return -sigmoid(reach_ * std::sin(low)) * std::sin(low);
  }

  double reach_;
  double centre_;
  double largest_ = 0;
};

double softmax_gradient_norm(double reach, double classes) {
  const double lead = std::exp(std::numbers::sqrt2 * reach);
  const double others = (classes - 1) * lead / (1 + (classes - 1) * lead);  // 1 - p_min
  const double top = 1 / (1 + (classes - 1) * std::exp(-reach * std::sqrt(classes / (classes - 1))));
  return std::sqrt(others * others + others * top);
}

}  // namespace

double logistic_diameter(double reach) {
  constexpr double kGap = 1e-3;
  constexpr int kMaxArcs = 20000;
  Disc disc(reach);
  std::priority_queue<Arc> open;
  open.push(disc.arc(std::numbers::pi / 2, std::numbers::pi / 2));
  for (int i = 0; i < kMaxArcs && open.top().bound > disc.largest() * (1 + kGap); ++i) {
    const Arc top = open.top();
    open.pop();
    const double half = top.half / 2;
    for (const double at : {top.at - half, top.at + half}) open.push(disc.arc(at, half));
  }
  return std::min(2.0, 2 * open.top().bound);
}

GradientReach logistic_gradient_at(const WeightReach& weights) {
  const double models = weights.classes == 2 ? 1.0 : std::sqrt(static_cast<double>(weights.classes));
  const double longest = models * weights.data_norm * sigmoid(weights.reach) * kOutward;
  // Of several models each has a norm of its own, at most this one; twice the longest gradient covers them.
  const bool one = weights.classes == 2;
  return {longest, one ? weights.data_norm * logistic_diameter(weights.reach) * kOutward : 2 * longest};
}

GradientReach softmax_gradient_at(const WeightReach& weights) {
  const double longest = weights.data_norm * softmax_gradient_norm(weights.reach, weights.classes) * kOutward;
  return {longest, 2 * longest};
}

}  // namespace sotto
