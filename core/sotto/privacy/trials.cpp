#include "sotto/privacy/trials.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/curator.h"

namespace sotto {
namespace {

bool has_at_most(double rho, const Event& asked, Relation relation) {
  try {
    return zcdp_rho_of(asked, relation) <= rho;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return false;
  }
}

/// Whether the first events of a sequence, in their order, are what is asked for.
bool begins_with(const SequenceEvent& share, const Event& asked) {
  std::vector<Charge> first;
  for (const Event& event : share.events) {
    first.push_back({event});
    if (event_of(first) == asked) return true;
  }
  return false;
}

}  // namespace

bool TrialShare::covers(const Event& asked) const {
  if (asked == event) return true;
  if (const auto* most = std::get_if<ZcdpEvent>(&event)) return has_at_most(most->rho, asked, relation);
  if (const auto* whole = std::get_if<SequenceEvent>(&event)) return begins_with(*whole, asked);
  const auto* one = std::get_if<OneOfEvent>(&event);
  return one != nullptr && std::ranges::any_of(one->events, [&](const Event& alternative) {
           return TrialShare{alternative, relation}.covers(asked);
         });
}

Trials::Trials(Curator& owner, const Event& whole, Relation relation) : owner_(&owner), relation_(relation) {
  if (const auto* parallel = std::get_if<ParallelEvent>(&whole)) {
    parts_.assign(parallel->parts.rbegin(), parallel->parts.rend());
  } else if (const auto* selection = std::get_if<SelectionEvent>(&whole)) {
    parts_ = {*selection->run};
    endless_ = true;
  } else {
    throw Error(ErrorKind::unsupported, "only parts with rows of their own and selections have runs inside them");
  }
}

Curator Trials::next() {
  if (parts_.empty()) throw Error(ErrorKind::budget_exceeded, "every part that was charged has had its run");
  const Event share = parts_.back();
  if (!endless_) parts_.pop_back();
  return {*owner_, {share, relation_}};
}

}  // namespace sotto
