// What: necessary conditions of a card's guarantee (epsilon, delta), one event at a time. Alone and repeated `times`:
//   Gaussian mu: delta_G(mu sqrt(times); epsilon) <= delta, exact [Dong22]. rho-zCDP: the optimal conversion of
//   times rho [Canonne20, Proposition 12]. Parameter epsilon: epsilon >= that of one of them; half of it for a bounded
//   range. Disjoint parts count once, and lines are not added up: those of tuning lie beside each other.
// Fails if wrong: CardCheck.*
#include "sotto/model/card_check.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/methods/priv_gene.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr double kSlack = 1e-6;  // of numbers that were rounded on their way into the file

[[noreturn]] void contradicts(const std::string& why) {
  throw Error(ErrorKind::invalid_data, "the model's card contradicts itself, so it was edited: " + why, "card");
}

bool covers(const PrivacyCard& card, const PrivacyCard::Spent& spent) {
  const double most = card.delta * (1 + kSlack);
  const double times = static_cast<double>(spent.times);
  if (!(spent.value > 0)) return true;
  if (spent.parameter == "mu") return gaussian_delta(spent.value * std::sqrt(times), card.epsilon) <= most;
  if (spent.parameter == "rho") return zcdp_delta(spent.value * times, card.epsilon) <= most;
  if (spent.parameter != "epsilon") return true;
  const double alone = spent.event == ExponentialEvent::kName ? spent.value / 2 : spent.value;
  return card.epsilon >= alone * (1 - kSlack);
}

}  // namespace

void check_card(const PrivacyCard& card) {
  if (!card.is_private) return;
  if (!card.not_private_because.empty()) contradicts("it says private, and why it is not");
  if (!(card.epsilon >= 0) || !(card.delta >= 0) || !(card.delta <= 1)) contradicts("its guarantee is none");
  if (card.events.empty()) contradicts("it says private, and lists no event that makes it so");
  const bool chooses = card.method == PrivGene::kName;  // it draws by chance and adds no noise
  if (!chooses && (card.noise.mechanism == "none" || !(card.noise.scale > 0))) {
    contradicts("it says private, and that no noise was added");
  }
  for (const PrivacyCard::Spent& spent : card.events) {
    if (!covers(card, spent)) contradicts("its guarantee is below the cost of its events");
  }
}

}  // namespace sotto
