#pragma once
#include "sotto/privacy/accountant/exact.h"
#include "sotto/privacy/event.h"

namespace sotto {

class Curator;

/// A charged amount that is spent while a run goes on, by draws that are decided after earlier outputs were seen (spec
/// 6.4): one filter, of rho (zCDP) or of pure epsilon, fixed when it is opened. Sums are exact. What a run promises is
/// the whole amount, however much of it was spent. Move-only: a copy would spend it twice.
class Allowance {
 public:
  Allowance(Allowance&& other) noexcept;
  Allowance& operator=(Allowance&&) = delete;
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;
  ~Allowance() = default;

  /// Whether a draw of this event may still be made; to be asked before rows are read for it.
  bool fits(const Event& event) const;
  /// What is left of the rho or epsilon, rounded down.
  double left() const;
  /// The event that was charged for all of it.
  const Event& whole() const noexcept { return whole_; }

 private:
  friend class Curator;
  /// Throws Error{unsupported} unless `whole` is a ZcdpEvent or a PureEvent.
  Allowance(const Curator& owner, const Event& whole);
  Exact cost_of(const Event& event) const;
  /// Throws Error{budget_exceeded}, and spends nothing, unless it fits.
  void spend(const Event& event);

  const Curator* owner_;
  Event whole_;
  Exact left_;
};

}  // namespace sotto
