#pragma once
#include "sotto/model/privacy_card.h"

namespace sotto {

/// Throws Error{invalid_data} for a card that contradicts itself: a guarantee with reasons against it, without noise or
/// events, or smaller than one of its events costs alone. No plan makes such a card, so it was edited. A card that says
/// NOT PRIVATE promises nothing and is taken as it is. Cards that lie consistently pass: signatures are for those.
void check_card(const PrivacyCard& card);

}  // namespace sotto
