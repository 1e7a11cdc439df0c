#include "sotto/losses/loss.h"

#include <cmath>

namespace sotto {

LossConstants constants_of(const Loss& loss, double data_norm, std::uint32_t classes) {
  LossConstants constants = std::visit([&](const auto& l) { return l.constants(data_norm); }, loss);
  if (classes == 2 || !is_margin_loss(loss)) return constants;
  const double models = std::sqrt(static_cast<double>(classes)) * (1 + 0x1p-50);
  constants.lipschitz *= models;
  constants.diameter_replace_one *= models;
  constants.diameter_add_remove *= models;
  return constants;
}

}  // namespace sotto
