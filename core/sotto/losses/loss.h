#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "sotto/base/catalog.h"
#include "sotto/losses/hinge.h"
#include "sotto/losses/huber_svm.h"
#include "sotto/losses/logistic.h"
#include "sotto/losses/robust_logistic.h"
#include "sotto/losses/softmax.h"
#include "sotto/losses/traits.h"

/// The concepts and the list of losses. To add one: a header beside this file and a word in `Loss`.
namespace sotto {

/// What every loss answers (losses/traits.h).
template <class T>
concept HasLossTraits = requires(const T loss, double x, const WeightReach& weights) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kProbabilities } -> std::convertible_to<Probabilities>;
  { T::kLogisticSlope } -> std::convertible_to<bool>;
  { T::kTwiceDifferentiable } -> std::convertible_to<bool>;
  { T::kStraightBelowZero } -> std::convertible_to<bool>;
  typename T::Straightened;
  typename T::Smoothed;
  { loss.constants(x) } -> std::same_as<LossConstants>;
  { loss.gradient_at(weights) } -> std::same_as<GradientReach>;
  {loss.check()};
};
/// A convex function of the margin y w.x; it never sees a feature vector. With more than two classes it stands for one
/// weight vector per class, each against the rest, trained and released jointly (spec 2.4).
template <class T>
concept MarginLoss = HasLossTraits<T> && requires(const T loss, double x) {
  { loss.value(x) }
  noexcept->std::same_as<double>;
  { loss.slope(x) }
  noexcept->std::same_as<double>;
};
/// A convex function of the scores w_k.x of all classes and the row's class.
template <class T>
concept ClassLoss = HasLossTraits<T> && requires(const T loss, double x, const double* in, double* out, std::size_t n,
                                                 std::uint32_t classes, const kernels::ClassScores& block) {
  { loss.value(in, n, n) }
  noexcept->std::same_as<double>;
  { loss.slopes(in, n, n, out) }
  noexcept->std::same_as<void>;
  { loss.values(block) }
  noexcept->std::same_as<void>;
  { loss.slopes(block) }
  noexcept->std::same_as<void>;
  { loss.row_curvature(x, classes) } -> std::same_as<RowCurvature>;
};

using Loss = std::variant<Logistic, HuberSvm, Hinge, Softmax, RobustLogistic>;

/// Every member of the list, so that none can be forgotten here.
template <class... L>
consteval bool all_have_traits(std::type_identity<std::variant<L...>>) {
  return (HasLossTraits<L> && ...);
}
template <class... L>
consteval bool all_are_losses(std::type_identity<std::variant<L...>>) {
  return ((MarginLoss<L> != ClassLoss<L>)&&...);
}
static_assert(all_have_traits(std::type_identity<Loss>{}), "a loss does not answer all of losses/traits.h");
static_assert(all_are_losses(std::type_identity<Loss>{}), "a loss is one of the margin or one of class scores");

/// Calls visit(loss) if it is a loss of the margin.
template <class Visit>
void with_margin_loss(const Loss& loss, const Visit& visit) {
  std::visit(
      [&]<class L>(const L& l) {
        if constexpr (MarginLoss<L>) visit(l);
      },
      loss);
}

inline bool is_margin_loss(const Loss& loss) noexcept {
  return std::visit([]<class L>(const L&) { return MarginLoss<L>; }, loss);
}

/// How many weight vectors a model has: one for a loss of the margin and two classes, else one per class.
inline std::uint32_t outputs_of(const Loss& loss, std::uint32_t classes) noexcept {
  return classes == 2 && is_margin_loss(loss) ? 1 : classes;
}

/// The constants of the whole gradient, over all weight vectors. Joint one-against-rest models of K classes: K
/// gradients of norm at most X side by side, so sqrt K times the bounds of one; the smoothness stays (spec 2.4).
LossConstants constants_of(const Loss& loss, double data_norm, std::uint32_t classes = 2);

/// The same at weights of norm at most `weight_norm`, which are public: never above constants_of(), and well below where
/// the weights are small, since no slope is then near its ends. For methods whose every iterate is released. `data_norm`
/// is that of stored rows; the rounding of margins is covered.
LossConstants constants_at(const Loss& loss, double data_norm, std::uint32_t classes, double weight_norm);
/// Whether constants_at() knows better bounds at small weights.
bool is_gentler_at_small_weights(const Loss& loss);

RowCurvature row_curvature(const Loss& loss, double data_norm, std::uint32_t classes);

inline Probabilities probabilities_of(const Loss& loss) noexcept {
  return std::visit([]<class L>(const L&) { return L::kProbabilities; }, loss);
}
inline bool has_logistic_slope(const Loss& loss) noexcept {
  return std::visit([]<class L>(const L&) { return L::kLogisticSlope; }, loss);
}
inline bool is_straight_below_zero(const Loss& loss) noexcept {
  return std::visit([]<class L>(const L&) { return L::kStraightBelowZero; }, loss);
}
/// Two derivatives of the margin.
inline bool has_two_derivatives(const Loss& loss) noexcept {
  return std::visit([]<class L>(const L&) { return MarginLoss<L> && L::kTwiceDifferentiable; }, loss);
}
/// How steep a loss of the margin is for a row across the weights, whose margin is 0 wherever they are; else 0.
inline double steepness_across(const Loss& loss) noexcept {
  double steepness = 0;
  with_margin_loss(loss, [&](const auto& l) { steepness = std::fabs(l.slope(0)); });
  return steepness;
}

/// The loss that takes its place where noise is large, which bears more of it; the loss itself where there is none.
Loss straightened(const Loss& loss);
/// The loss that takes its place where a gradient is needed, at most width/4 above it; the loss itself where it is
/// smooth.
Loss smoothed(const Loss& loss, double width);

/// The names of the losses with has(std::type_identity<L>), as "a, b or c".
template <class Has>
std::string loss_names(const Has& has) {
  std::vector<std::string_view> list;
  for_each_member<Loss>([&](auto tag) {
    if (has(tag)) list.push_back(decltype(tag)::type::kName);
  });
  return join_names(list);
}
std::string smooth_loss_names();

}  // namespace sotto
