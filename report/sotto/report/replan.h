#pragma once
#include <optional>

#include "sotto/methods/method.h"
#include "sotto/model/privacy_card.h"

namespace sotto::report {

/// The request behind a card, and the plan it gives.
struct Replanned {
  Method method;  ///< of a card of `auto`, the solver it chose
  PlanInput input;
  Plan plan;
};

/// Makes the plan of a card again from what is public on it. Nothing if the card tells of more than one plan (bounds
/// found in the rows, tuning, personal epsilons) or if this version would plan it differently: then nothing that
/// follows from the plan may be said about the model. The plan is that of a budget a ten-millionth larger, as a card
/// has the delta that was reached: its noise is never more than the model's.
std::optional<Replanned> replan(const PrivacyCard& card);

/// The same method and parameters for another epsilon; nothing where it refuses.
std::optional<Plan> plan_at(const Replanned& known, double epsilon);

}  // namespace sotto::report
