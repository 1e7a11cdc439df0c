#include "sotto/model/promise.h"

#include <fmt/format.h>

namespace sotto {

std::string other_promise(const PrivacyCard& card, const Budget& asked) {
  // A delta this small is that of rounded noise; every card with such noise names it.
  constexpr double kRounding = 1e-12;
  constexpr double kSame = 1e-3;
  if (!card.is_private) return {};
  const bool other_epsilon = card.epsilon < asked.epsilon * (1 - kSame);
  const bool other_delta = card.delta > asked.delta && card.delta > kRounding;
  if (!other_epsilon && !other_delta) return {};
  return fmt::format(
      "the guarantee is not the one asked for: epsilon {:.4g} and delta {:.3g} in place of epsilon {:g} and delta "
      "{:g}; "
      "see the remarks of the card",
      card.epsilon, card.delta, asked.epsilon, asked.delta);
}

}  // namespace sotto
