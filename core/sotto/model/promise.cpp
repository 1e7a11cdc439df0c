#include "sotto/model/promise.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto {
namespace {

/// Four digits, rounded up: what is printed holds.
std::string promised_text(double value) {
  if (!(value > 0)) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 3);
  return fmt::format("{:.4g}", std::ceil(value / unit) * unit);
}

}  // namespace

std::string other_promise(const PrivacyCard& card, const Budget& asked) {
  // A delta this small is that of rounded noise; every card with such noise names it.
  constexpr double kRounding = 1e-12;
  constexpr double kSame = 1e-3;
  if (!card.is_private) return {};
  const bool other_epsilon = card.epsilon < asked.epsilon * (1 - kSame);
  const bool other_delta = card.delta > asked.delta && card.delta > kRounding;
  if (!other_epsilon && !other_delta) return {};
  return fmt::format(
      "the guarantee is not the one asked for: epsilon {} and delta {} in place of epsilon {:g} and delta {:g}; see "
      "the "
      "remarks of the card",
      promised_text(card.epsilon), promised_text(card.delta), asked.epsilon, asked.delta);
}

}  // namespace sotto
