#pragma once
#include <vector>

#include "sotto/privacy/event.h"
#include "sotto/privacy/relation.h"

namespace sotto {

class Curator;

/// What a run inside a release may cost.
struct TrialShare {
  Event event;
  Relation relation;
  /// Whether whoever was charged with the event may do what is asked for: the event itself; of a sequence what comes
  /// first; of an event by coin one alternative; of a ZcdpEvent anything that comes to at most its rho.
  bool covers(const Event& asked) const;
};

/// The runs inside one release that was charged as a whole: the parts of a ParallelEvent, in their order, or the runs
/// of a SelectionEvent. Made by a curator, to be used while it lives. Move-only: a copy would hand out the parts twice.
class Trials {
 public:
  Trials(Trials&&) noexcept = default;
  Trials& operator=(Trials&&) = delete;
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;
  ~Trials() = default;
  /// The curator of the next run. What it is charged with must be covered by the event of its part or of one run of the
  /// selection (TrialShare). It draws only while the reservation of the whole is open. Throws Error{budget_exceeded} if
  /// every part had its run.
  Curator next();

 private:
  friend class Curator;
  Trials(Curator& owner, const Event& whole, Relation relation);
  Curator* owner_;
  std::vector<Event> parts_;  // still to be run, the next one last; of a selection one that stays
  bool endless_ = false;
  Relation relation_;
};

}  // namespace sotto
