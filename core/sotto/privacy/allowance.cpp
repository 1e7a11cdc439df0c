// What: a filter that lives inside one charged event.
// Formula: draws may be made while the sum of their rho (or of their epsilon) is at most that of the charge.
// Conditions: the currency and the amount are fixed before the first draw; each draw is tested before it is made.
// Reference: [Feldman21, Theorem 4.3]; [Whitehouse23]; pure epsilon: [Rogers16].
// Fails if wrong: AllowanceTest.* (random adaptive paths never overdraw), DpAgd.* (replay of every draw).
#include "sotto/privacy/allowance.h"

#include <utility>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/exact.h"
#include "sotto/privacy/accountant/pure.h"
#include "sotto/privacy/accountant/zcdp.h"

namespace sotto {
namespace {

// The events of mechanisms cost the same under both relations: their parameters are relative to the sensitivity.
constexpr Relation kAny = Relation::replace_one;

Exact amount_of(const Event& whole) {
  if (const auto* event = std::get_if<ZcdpEvent>(&whole)) return exact_of(event->rho);
  if (const auto* event = std::get_if<PureEvent>(&whole)) return exact_of(event->epsilon);
  throw Error(ErrorKind::unsupported, "an allowance is an amount of rho or of pure epsilon");
}

Exact cost_of(const Event& event, const Event& whole) {
  if (std::holds_alternative<ZcdpEvent>(whole)) return exact_of(zcdp_rho_of(event, kAny));
  const PureSum sum = pure_sum(event, kAny);
  if (sum.delta != 0) throw Error(ErrorKind::unsupported, "an allowance of pure epsilon takes pure events only");
  return sum.epsilon;
}

}  // namespace

struct Allowance::Amount {
  Exact value;
};

Allowance::Allowance(const Curator& owner, const Event& whole)
    : owner_(&owner), whole_(whole), left_(std::make_unique<Amount>(Amount{amount_of(whole)})) {}

// What was moved from has no owner, so no curator spends from it; nothing is left in it.
Allowance::Allowance(Allowance&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), whole_(std::move(other.whole_)), left_(std::move(other.left_)) {}

Allowance::~Allowance() = default;

bool Allowance::fits(const Event& event) const { return left_ && cost_of(event, whole_) <= left_->value; }

double Allowance::left() const { return left_ ? left_->value.convert_to<double>() * (1 - 0x1p-48) : 0; }

void Allowance::spend(const Event& event) {
  if (!fits(event)) throw Error(ErrorKind::budget_exceeded, "a draw was asked for that the allowance does not cover");
  left_->value -= cost_of(event, whole_);
}

}  // namespace sotto
