#pragma once
#include <concepts>
#include <cstdint>
#include <variant>

#include "sotto/losses/hinge.h"
#include "sotto/losses/huber_svm.h"
#include "sotto/losses/logistic.h"
#include "sotto/losses/robust_logistic.h"
#include "sotto/losses/softmax.h"

/// The concepts and the list of losses. To add one: a header beside this file and a word in `Loss`.
namespace sotto {

/// A convex function of the margin y w.x; it never sees a feature vector. With more than two classes it stands for one
/// weight vector a class, each against the rest, trained and released jointly (spec 2.4).
template <class T>
concept MarginLoss = requires(const T loss, double x) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { loss.value(x) }
  noexcept->std::same_as<double>;
  { loss.slope(x) }
  noexcept->std::same_as<double>;
  { loss.constants(x) } -> std::same_as<LossConstants>;
  {loss.check()};
};
/// A convex function of the scores w_k.x of all classes and the row's class.
template <class T>
concept ClassLoss = requires(const T loss, double x, const double* in, double* out, std::size_t n,
                             const kernels::ClassScores& block) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { loss.value(in, n, n) }
  noexcept->std::same_as<double>;
  { loss.slopes(in, n, n, out) }
  noexcept->std::same_as<void>;
  { loss.values(block) }
  noexcept->std::same_as<void>;
  { loss.slopes(block) }
  noexcept->std::same_as<void>;
  { loss.constants(x) } -> std::same_as<LossConstants>;
  {loss.check()};
};

using Loss = std::variant<Logistic, HuberSvm, Hinge, Softmax, RobustLogistic>;

static_assert(MarginLoss<Logistic> && MarginLoss<HuberSvm> && MarginLoss<Hinge> && ClassLoss<Softmax> &&
              MarginLoss<RobustLogistic>);

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

/// How many weight vectors a model has: one for a loss of the margin and two classes, else one a class.
inline std::uint32_t outputs_of(const Loss& loss, std::uint32_t classes) noexcept {
  return classes == 2 && is_margin_loss(loss) ? 1 : classes;
}

/// The constants of the whole gradient, over all weight vectors. Joint one-against-rest models of K classes: K
/// gradients of norm at most X side by side, so sqrt K times the bounds of one; the smoothness stays (spec 2.4).
LossConstants constants_of(const Loss& loss, double data_norm, std::uint32_t classes = 2);

}  // namespace sotto
