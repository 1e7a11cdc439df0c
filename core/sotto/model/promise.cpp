#include "sotto/model/promise.h"

#include <fmt/format.h>

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"

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
      "the guarantee is not the one asked for: epsilon {} and delta {} in place of epsilon {} and delta {}; see the "
      "remarks of the card",
      up_text(card.epsilon, 4), up_text(card.delta, 4), number_text(asked.epsilon), number_text(asked.delta));
}

}  // namespace sotto
