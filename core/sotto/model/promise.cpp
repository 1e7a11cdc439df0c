#include "sotto/model/promise.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/accountant/best_guess.h"

namespace sotto {
namespace {

std::string joined(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

}  // namespace

std::string promise_words(const PrivacyCard& card) {
  constexpr int kShown = 4;         // digits
  constexpr double kTold = 13.8;    // from here on the factor is above a million, and no number says more
  constexpr double kAbove = 1e-12;  // exp is not rounded upwards
  if (!card.is_private) {
    const std::string why = card.not_private_because.empty() ? "" : ", because " + joined(card.not_private_because);
    return "NOT PRIVATE: this model promises nothing" + why + ".";
  }
  const bool added = card.relation == enum_name(Relation::add_remove);
  const std::string factor = card.epsilon < kTold ? "at most " + up_text(std::exp(card.epsilon) * (1 + kAbove), kShown)
                                                  : std::string("perhaps more than a million");
  return fmt::format(
      "Promise: if any one row were {}, whatever anybody concludes from this model would be {} times as likely{} ({}).",
      added ? "added or removed" : "replaced by another", factor,
      card.delta > 0 ? ", plus a probability of at most " + up_text(card.delta, kDeltaDigits) : "",
      card.delta > 0
          ? fmt::format("epsilon {}, delta {}", up_text(card.epsilon, kShown), up_text(card.delta, kDeltaDigits))
          : "epsilon " + up_text(card.epsilon, kShown));
}

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

std::string risk_words(const PrivacyCard& card) {
  if (!card.is_private) return "";
  return "About one row, " + best_guess_words(best_guess(card.epsilon, card.delta)) + ".";
}

}  // namespace sotto
