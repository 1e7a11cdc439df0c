#pragma once
#include <string>

#include "sotto/model/privacy_card.h"
#include "sotto/privacy/budget.h"

namespace sotto {

/// What a card promises, or why it promises nothing, in one sentence for people who know no symbols.
std::string promise_words(const PrivacyCard& card);

/// One sentence where the card promises something else than the budget that was asked for; otherwise empty. The cause
/// is a very large epsilon: the promise is then a smaller epsilon with a delta where none was asked for.
std::string other_promise(const PrivacyCard& card, const Budget& asked);

/// What the promise means for the risk: how often the best guess about one row is right. Empty where nothing is promised.
std::string risk_words(const PrivacyCard& card);

}  // namespace sotto
