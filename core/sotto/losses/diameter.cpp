// What: how far apart the data gradients of two rows can be at weights of a known norm R.
// Logistic, |x| <= 1: gradients are -s(w.u) u, u = y x. In the plane of w: for a given component of u along w the
//   farthest points lie on the circle, so the diameter is max over angles a, b in [0, pi] of
//   |s(R cos a) e^(ia) - s(R cos b) e^(-ib)|. Branch and bound: each end moves at most sqrt(s^2 + R^2/16) per radian,
//   so value at the centre + both slopes x half the width bounds a box; any stopping point is an upper bound.
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

constexpr double kLargestReach = 50;   // beyond it less than 1 percent is to be had
constexpr double kOutward = 1 + 1e-6;  // rounding of margins (2^28 features at the largest reach) and of this bound

double sigmoid(double x) noexcept { return 1 / (1 + std::exp(-x)); }

/// Pairs of angles in [a - half, a + half] x [b - half, b + half] and a bound on their distance.
struct Box {
  double a, b, half, bound;
  bool operator<(const Box& other) const noexcept { return bound < other.bound; }
};

class PairSearch {
 public:
  explicit PairSearch(double reach) : reach_(reach) {}

  Box box(double a, double b, double half) {
    const double one = share(a), other = share(b);
    const double value = std::hypot(one * std::cos(a) - other * std::cos(b), one * std::sin(a) + other * std::sin(b));
    largest_ = std::max(largest_, value);
    return {a, b, half, value + half * (speed(a + half) + speed(b + half))};
  }
  double largest() const noexcept { return largest_; }

 private:
  double share(double angle) const noexcept { return sigmoid(-reach_ * std::cos(angle)); }
  // The share grows with the angle, so its value at the far end bounds it.
  double speed(double far_end) const noexcept {
    return std::hypot(share(std::min(far_end, std::numbers::pi)), reach_ / 4);
  }
  double reach_;
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
  constexpr double kGap = 4e-3;
  constexpr int kMostBoxes = 40000;
  PairSearch search(reach);
  std::priority_queue<Box> open;
  open.push(search.box(std::numbers::pi / 2, std::numbers::pi / 2, std::numbers::pi / 2));
  for (int i = 0; i < kMostBoxes && open.top().bound > search.largest() * (1 + kGap); ++i) {
    const Box top = open.top();
    open.pop();
    const double half = top.half / 2;
    for (const double a : {top.a - half, top.a + half}) {
      for (const double b : {top.b - half, top.b + half}) {
        if (a <= b) open.push(search.box(a, b, half));  // the distance is symmetric in the pair
      }
    }
  }
  return std::min(2.0, open.top().bound);
}

LossConstants constants_at(const Loss& loss, double data_norm, std::uint32_t classes, double weight_norm) {
  LossConstants constants = constants_of(loss, data_norm, classes);
  const double reach = weight_norm * data_norm;
  if (!(reach <= kLargestReach)) return constants;
  double gradient = constants.lipschitz, apart = constants.diameter_replace_one;
  if (std::holds_alternative<Logistic>(loss)) {
    const double models = classes == 2 ? 1.0 : std::sqrt(static_cast<double>(classes));
    gradient = models * data_norm * sigmoid(reach) * kOutward;
    // Of several models each has a norm of its own, at most this one; twice the longest gradient covers them.
    apart = classes == 2 ? data_norm * logistic_diameter(reach) * kOutward : 2 * gradient;
  } else if (std::holds_alternative<Softmax>(loss)) {
    gradient = data_norm * softmax_gradient_norm(reach, classes) * kOutward;
    apart = 2 * gradient;
  }
  constants.lipschitz = std::min(constants.lipschitz, gradient);
  constants.diameter_add_remove = std::min(constants.diameter_add_remove, gradient);
  constants.diameter_replace_one = std::min(constants.diameter_replace_one, apart);
  return constants;
}

}  // namespace sotto
