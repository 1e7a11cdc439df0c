// What: which releases one differing row meets, for every way it can meet them.
// Formula: sequence: the product of the children's worlds. Parallel by position (replace_one only) and by key: the
//   union. By value: under add_remove the union; under replace_one every ordered pair of parts, the row removed from
//   one and added to the other, and every part alone with the row replaced inside it, which doubles the shift of an
//   add_remove statement. One of several by a coin, and parts by coins of the rows: the union, since with the coins
//   shown delta is the mean of the parts' deltas and exp((a-1) R) that of theirs.
// Conditions: by position: parts of public sizes (spec 6.3); where a row is removed every later row moves up by one and
//   may change its part, so that is refused (spec 1.3, 6.3a). Coins are independent of all rows.
// Reference: [McSherry09, Theorem 4]; adaptive sequences: [Dwork14, Theorem 3.16].
// Fails if wrong: AccountantWorlds.*, AccountantLaws.*
#include "sotto/privacy/accountant/worlds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/stop.h"

namespace sotto {
namespace {

using Worlds = std::vector<World>;

bool same(const Step& a, const Step& b) { return a.side == b.side && a.leaf == b.leaf; }
bool same_world(const World& a, const World& b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin(), [](const Step& x, const Step& y) {
           return same(x, y) && x.count == y.count;
         });
}

[[noreturn]] void refuse_count() {
  throw Error(ErrorKind::unsupported, "events: one of them happens too often to be counted");
}
std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) refuse_count();
  return a + b;
}
std::uint64_t checked_product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) refuse_count();
  return a * b;
}

void add_step(World& world, const Step& step) {
  if (step.count == 0) return;
  for (Step& there : world) {
    if (!same(there, step)) continue;
    there.count = checked_sum(there.count, step.count);
    return;
  }
  world.push_back(step);
}

void add_world(Worlds& all, World world) {
  for (const World& there : all) {
    if (same_world(there, world)) return;
  }
  if (all.size() >= kMaxWorlds) {
    throw Error(ErrorKind::unsupported, "events: too many different ways for one row to meet the parallel parts");
  }
  all.push_back(std::move(world));
}

Worlds product(const Worlds& left, const Worlds& right) {
  Worlds all;
  for (const World& a : left) {
    for (const World& b : right) {
      World world = a;
      for (const Step& step : b) add_step(world, step);
      add_world(all, std::move(world));
    }
  }
  return all;
}

/// The cost of replacing a row, of an event stated under add_remove: two steps of that relation, so twice the shift.
struct Doubler {
  Leaf operator()(const PureEvent& e) const { return PureEvent{2 * e.epsilon}; }
  Leaf operator()(const ApproximateEvent& e) const {
    if (e.delta == 0) return ApproximateEvent{2 * e.epsilon, 0};
    const double delta = (1 + std::exp(e.epsilon)) * e.delta;
    if (!(delta < 1)) {
      throw Error(ErrorKind::unsupported,
                  "approximate: promises nothing in parts that a row's value decides, since (1 + exp(epsilon)) delta "
                  "is at least 1");
    }
    return ApproximateEvent{2 * e.epsilon, delta};
  }
  Leaf operator()(const L2LaplaceEvent& e) const { return L2LaplaceEvent{2 * e.epsilon}; }
  Leaf operator()(const DiscreteLaplaceEvent& e) const { return DiscreteLaplaceEvent{2 * e.epsilon}; }
  Leaf operator()(const ScalarLaplaceEvent& e) const { return ScalarLaplaceEvent{2 * e.epsilon}; }
  Leaf operator()(const ScalarDiscreteLaplaceEvent& e) const {
    return ScalarDiscreteLaplaceEvent{e.decay, 2 * e.shift};
  }
  Leaf operator()(const GaussianEvent& e) const { return GaussianEvent{2 * e.mu}; }
  Leaf operator()(const DiscreteGaussianEvent& e) const { return DiscreteGaussianEvent{4 * e.rho}; }
  Leaf operator()(const ZcdpEvent& e) const { return ZcdpEvent{4 * e.rho}; }  // [Bun16, Proposition 27]
  Leaf operator()(const ExponentialEvent& e) const { return ExponentialEvent{2 * e.epsilon}; }
  Leaf operator()(const ObjectiveEvent&) const {
    throw Error(ErrorKind::unsupported, "objective: has no formula for parts that a row's value decides");
  }
  // Their noise is relative to one row's contribution, so the side alone tells the relation.
  Leaf operator()(const PoissonSampledEvent& e) const { return e; }
  Leaf operator()(const FixedSizeSampledEvent& e) const { return e; }
  Leaf operator()(const WithReplacementEvent& e) const { return e; }
  Leaf operator()(const SelectionEvent&) const {
    throw Error(ErrorKind::unsupported, "selection: has no formula for parts that a row's value decides");
  }
};

struct Expander {
  Side side;

  Worlds of(const Event& event) const { return std::visit(*this, event); }
  Worlds of(const Event& event, Side other) const { return std::visit(Expander{other}, event); }

  template <class L>
  Worlds operator()(const L& leaf) const {
    return {World{Step{leaf, 1, side}}};
  }
  Worlds operator()(const RepeatEvent& e) const {
    if (e.times == 0) return {World{}};
    Worlds all = of(*e.event);
    if (all.size() == 1) {
      for (Step& step : all.front()) step.count = checked_product(step.count, e.times);
      return all;
    }
    // Each time the row may meet another part.
    Worlds result{World{}};
    for (std::uint64_t i = 0; i < e.times; ++i) {
      check_stop();
      result = product(result, all);
    }
    return result;
  }
  Worlds operator()(const SequenceEvent& e) const {
    Worlds all{World{}};
    for (const Event& event : e.events) all = product(all, of(event));
    return all;
  }
  Worlds operator()(const ParallelEvent& e) const {
    if (e.by == PartBy::position && side != Side::replace) refuse_position();
    if (e.by == PartBy::value && side == Side::replace) return by_value(e);
    return any_of(e.parts);
  }
  Worlds operator()(const OneOfEvent& e) const { return any_of(e.events); }

 private:
  [[noreturn]] static void refuse_position() {
    throw Error(ErrorKind::unsupported,
                "parallel: parts by position have no bound under add_remove: removing a row moves every later row to "
                "another place; state them by key or by value, or use replace_one");
  }
  Worlds any_of(const std::vector<Event>& events) const {
    Worlds all;
    for (const Event& event : events) {
      for (World& world : of(event)) add_world(all, std::move(world));
    }
    return all.empty() ? Worlds{World{}} : all;
  }
  Worlds by_value(const ParallelEvent& e) const {
    Worlds all;
    const auto add_all = [&](Worlds some) {
      for (World& world : some) add_world(all, std::move(world));
    };
    for (std::size_t from = 0; from < e.parts.size(); ++from) {
      Worlds inside = of(e.parts[from], Side::replace);
      for (World& world : inside) {
        for (Step& step : world) step.leaf = std::visit(Doubler{}, step.leaf);
      }
      add_all(std::move(inside));
      for (std::size_t to = 0; to < e.parts.size(); ++to) {
        if (to != from) add_all(product(of(e.parts[from], Side::remove), of(e.parts[to], Side::add)));
      }
    }
    return all.empty() ? Worlds{World{}} : all;
  }
};

}  // namespace

Relation relation_of(Side side) noexcept {
  return side == Side::replace ? Relation::replace_one : Relation::add_remove;
}

std::vector<World> worlds(const Event& event, Relation relation) {
  check(event);
  if (relation == Relation::replace_one) return Expander{Side::replace}.of(event);
  Worlds all = Expander{Side::remove}.of(event);
  for (World& world : Expander{Side::add}.of(event)) add_world(all, std::move(world));
  return all;
}

}  // namespace sotto
