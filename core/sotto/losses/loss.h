#pragma once
#include <concepts>
#include <variant>

#include "sotto/losses/hinge.h"
#include "sotto/losses/huber_svm.h"
#include "sotto/losses/logistic.h"

/// The concept and the list of losses. To add one: a header beside this file and a word in `Loss`.
namespace sotto {

/// A loss is a convex function of the margin y w.x; it never sees a feature vector.
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

using Loss = std::variant<Logistic, HuberSvm, Hinge>;

static_assert(MarginLoss<Logistic> && MarginLoss<HuberSvm> && MarginLoss<Hinge>);

inline LossConstants constants_of(const Loss& loss, double data_norm) {
  return std::visit([&](const auto& l) { return l.constants(data_norm); }, loss);
}

}  // namespace sotto
