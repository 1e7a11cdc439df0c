#include "sotto/losses/loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kMaxReach = 50;  // beyond it less than 1 percent is to be had

GradientReach gradient_at(const Loss& loss, const WeightReach& weights) {
  return std::visit([&](const auto& l) { return l.gradient_at(weights); }, loss);
}

}  // namespace

LossConstants constants_of(const Loss& loss, double data_norm, std::uint32_t classes) {
  LossConstants constants = std::visit([&](const auto& l) { return l.constants(data_norm); }, loss);
  if (classes == 2 || !is_margin_loss(loss)) return constants;
  const double models = std::sqrt(static_cast<double>(classes)) * (1 + 0x1p-50);
  constants.lipschitz *= models;
  constants.diameter_replace_one *= models;
  constants.diameter_add_remove *= models;
  return constants;
}

LossConstants constants_at(const Loss& loss, double data_norm, std::uint32_t classes, double weight_norm) {
  LossConstants constants = constants_of(loss, data_norm, classes);
  const double reach = weight_norm * data_norm;
  if (!(reach <= kMaxReach)) return constants;
  const GradientReach here = gradient_at(loss, {data_norm, classes, reach});
  constants.lipschitz = std::min(constants.lipschitz, here.longest);
  constants.diameter_add_remove = std::min(constants.diameter_add_remove, here.longest);
  constants.diameter_replace_one = std::min(constants.diameter_replace_one, here.apart);
  return constants;
}

bool is_gentler_at_small_weights(const Loss& loss) {
  return gradient_at(loss, {1, 2, 0}).longest < std::numeric_limits<double>::infinity();
}

RowCurvature row_curvature(const Loss& loss, double data_norm, std::uint32_t classes) {
  return std::visit(
      [&]<class L>(const L& l) -> RowCurvature {
        if constexpr (MarginLoss<L>) {
          const double curvature = l.constants(data_norm).smoothness;
          return {1, curvature, curvature};
        } else {
          return l.row_curvature(data_norm, classes);
        }
      },
      loss);
}

Loss straightened(const Loss& loss) {
  return std::visit(
      []<class L>(const L& l) -> Loss {
        if constexpr (std::is_same_v<L, typename L::Straightened>) {
          return l;
        } else {
          return typename L::Straightened{};
        }
      },
      loss);
}

Loss smoothed(const Loss& loss, double width) {
  return std::visit(
      [&]<class L>(const L& l) -> Loss {
        if constexpr (std::is_same_v<L, typename L::Smoothed>) {
          return l;
        } else {
          return typename L::Smoothed{width};
        }
      },
      loss);
}

std::string smooth_loss_names() {
  return loss_names([](auto tag) { return typename decltype(tag)::type{}.constants(1).smooth(); });
}

}  // namespace sotto
