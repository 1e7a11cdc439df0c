// What: the privacy-loss accountant: grids and windows are refined until the certified bounds are close.
// Formula: delta(e) = P-mass at infinite loss + E_P[(1 - e^(e - S))+], S the sum of the losses; worst over worlds.
// Conditions: the plan is fixed before a row is read. Under add_remove every event takes the same side: both sides are
//   composed on their own, and the worse one counts.
// Reference: [Sommer19]; [Doroshenko22]; [Zhu22, Theorem 10].
// Fails if wrong: AccountantPld.*, AccountantVectors.*
#include "sotto/privacy/accountant/pld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/exact.h"
#include "sotto/privacy/accountant/loss_basic.h"
#include "sotto/privacy/accountant/loss_grid.h"
#include "sotto/privacy/accountant/loss_law.h"
#include "sotto/privacy/accountant/loss_sum.h"
#include "sotto/privacy/accountant/loss_survey.h"
#include "sotto/privacy/accountant/pure.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/worlds.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMinPoints = std::size_t{1} << 10;
/// ln of the tilted mass that may lie outside the window.
double log_outside(double precision) { return std::clamp(std::log(precision) - 14, -34.0, -18.0); }
constexpr double kMinOutside = -90;
/// The smallest of 2^k, 5/4 2^k and 3/2 2^k that is at least `wanted`.
std::size_t transform_size(double wanted, std::size_t most) {
  std::size_t points = kMinPoints;
  while (static_cast<double>(points) * 1.5 < wanted && points < most) points *= 2;
  if (static_cast<double>(points) >= wanted || points >= most) return points;
  const std::size_t between = points / 4 * 5;
  return static_cast<double>(between) >= wanted ? between : points / 2 * 3;
}
constexpr std::size_t kMaxPoints = std::size_t{1} << 21;
constexpr std::size_t kUsualPoints = std::size_t{1} << 19;
constexpr double kFinePrecision = 1e-4;
constexpr double kExtendedPrecision = 5e-7;  // from here on the rounding of a double would decide
constexpr double kTransformError = 5e-14;    // of a term, about
constexpr double kForgiven = 10;  // times the precision: what rounding may add to the only answer of a search
constexpr double kMostLoss = 9;
constexpr double kMinDelta = 1e-250;
constexpr double kBelowShare = 0.15;  // of a window, below epsilon: the estimate of epsilon may be off by that
constexpr double kOnPoint = 1e-8;     // of a step: atoms that close to a point lie on it
constexpr double kComparison = 0.1;   // precision at which a world is compared with one that is dearer
constexpr int kMaxPasses = 9;
constexpr double kTinyEpsilon = 1e-6;
constexpr double kFarBelow = 4;        // in ln delta: cuts made for a larger delta would be felt
constexpr double kLogSmallest = -690;  // of 1e-300

/// What is asked: epsilon at a delta, or delta at an epsilon.
struct Query {
  bool wants_epsilon = true;
  double given = 0;
  double precision = kPldPrecision;
  double target = 0;   // above 0: it is enough to know on which side of it the answer lies
  bool refine = true;  // false: the first grid with a finite answer is enough
};

/// The largest number of which all lattices are multiples; 0 if some law has none or no useful one is found.
double common_lattice(const std::vector<LossTerm>& terms) {
  double smallest = kInfinity;
  for (const LossTerm& term : terms) {
    if (term.law.lattice > 0) smallest = std::min(smallest, term.law.lattice);
  }
  if (!std::isfinite(smallest)) return 0;
  for (const int divisor : {1, 2, 3, 4, 5, 6, 10, 12, 20, 25, 30, 50, 60, 100, 200, 300, 500, 1000}) {
    const double base = smallest / divisor;
    const bool fits = std::all_of(terms.begin(), terms.end(), [&](const LossTerm& term) {
      const double ratio = term.law.lattice / base;
      return std::fabs(ratio - std::round(ratio)) < 1e-9;
    });
    if (fits) return base;
  }
  return smallest;
}

/// Tiny epsilons are wanted to within an absolute distance.
double wanted_gap(const Bound& bound, const Query& query) {
  return query.precision * std::max(bound.upper, query.wants_epsilon ? kTinyEpsilon : 0);
}
bool is_close(const Bound& bound, const Query& query) {
  if (!query.wants_epsilon && bound.upper < kMinDelta) return true;  // no grid has digits there
  return std::isfinite(bound.upper) && bound.upper - bound.lower <= wanted_gap(bound, query);
}

bool is_decided(const Bound& bound, const Query& query) {
  return query.target > 0 && (bound.upper <= query.target || bound.lower > query.target);
}
bool is_enough(const Bound& bound, const Query& query) { return is_close(bound, query) || is_decided(bound, query); }

class WorldAccount {
 public:
  explicit WorldAccount(const World& world) {
    for (const Step& step : with_merged_gaussians(world)) {
      LossLaw law = loss_law(step.leaf, step.side);
      infinite_ = -std::expm1(std::log1p(-infinite_) + static_cast<double>(step.count) * std::log1p(-law.p_infinite));
      atoms_only_ = atoms_only_ && law.atoms_only;
      if (law.atoms_only && law.lattice == 0) continue;  // all finite loss is 0
      steps_ += static_cast<double>(step.count);
      top_ += static_cast<double>(step.count) * law.top;
      terms_.push_back({std::move(law), step.count});
    }
    lattice_ = common_lattice(terms_);
  }

  /// Stops early once the upper bound is below `enough`, the lower bound of another world.
  Bound answer(const Query& query, double enough) {
    Bound bound = bracket(query, enough);
    // A delta that underflowed is not 0: that would be a promise of the pure kind.
    const bool may_exceed = !query.wants_epsilon && !terms_.empty() && query.given < top_ * (1 + 1e-9);
    if (may_exceed) bound.upper = std::max(bound.upper, std::numeric_limits<double>::denorm_min());
    return bound;
  }

 private:
  Bound bracket(const Query& query, double enough) {
    if (terms_.empty()) return only_infinite(query);
    if (query.wants_epsilon && infinite_ >= query.given * (1 + 1e-12)) return {kInfinity, kInfinity};
    if (query.wants_epsilon && infinite_ >= query.given * (1 - 1e-9)) return {0, kInfinity};
    Bound best = query.wants_epsilon ? basic_epsilon(terms_, query.given) : basic_delta(terms_, query.given);
    if (is_enough(best, query)) return best;
    most_points_ = query.precision < kFinePrecision ? kMaxPoints : kUsualPoints;
    double tilt = prepare(query, std::log(query.wants_epsilon ? query.given : best.upper));
    for (int i = 0; i < 12 && !query.wants_epsilon && survey_.log_delta(tilt) < log_delta_ - kFarBelow; ++i) {
      tilt = prepare(query, survey_.log_delta(tilt));
    }
    // A world that cannot be the worst is found out on a coarse grid.
    bool only_compared = enough > 0 && query.precision < kComparison;
    Query start = query;
    if (only_compared) start.precision = kComparison;
    double step = first_step(start, tilt);
    double last_gap = kInfinity;
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      Pass p = plan(query, step, tilt);
      const Bound bound = run(query, p);
      best = {std::max(best.lower, bound.lower), std::min(best.upper, bound.upper)};
      if (!std::isfinite(bound.upper)) {  // the survey misjudged the tails; a smaller tilt has lighter ones
        tilt *= 0.3;
        step = first_step(query, tilt);
        if (p.finest) most_points_ = kMaxPoints;
        continue;
      }
      if (best.upper <= enough || is_enough(best, query)) break;
      if (std::exchange(only_compared, false)) {
        step = std::min(p.step, first_step(query, tilt));
        continue;
      }
      if (!query.refine) break;
      if (!query.wants_epsilon && std::log(best.upper) < log_delta_ - kFarBelow && log_delta_ > kLogSmallest) {
        tilt = prepare(query, std::log(best.upper));
        step = std::min(p.step, first_step(query, tilt));
        continue;
      }
      // Transforms in long double are dear: no more of them once finer grids do not help.
      const bool may_stop = p.sum.extended && query.precision >= kExtendedPrecision;
      const bool stuck = best.upper - best.lower > 0.8 * last_gap;
      last_gap = best.upper - best.lower;
      if (p.on_atoms || (stuck && may_stop && wide_window_)) break;
      if (p.finest && most_points_ == kMaxPoints && (wide_window_ || !stuck)) break;
      if (p.finest) most_points_ = kMaxPoints;  // which takes seconds: only plans of extremes need it
      wide_window_ = wide_window_ || stuck;
      if (query.wants_epsilon) {
        // A lower bound that is far off would place the next window below the answer.
        const double guess = best.lower > 0.9 * best.upper ? (best.lower + best.upper) / 2 : best.upper;
        tilt = std::min(survey_.tilt_for_epsilon(guess), most_tilt());
      }
      const double gap = best.upper - best.lower;
      step = p.step * std::clamp(std::sqrt(0.6 * wanted_gap(best, query) / gap), 1.0 / 8, 0.7);
    }
    return best;
  }

  struct Pass {
    double step = 0;
    double cut_above = 0;
    std::vector<LossRange> ranges;
    std::vector<double> offsets;
    double moved = 0;  // by all offsets together
    SumPlan sum;
    bool finest = false;    // that the number of points allows
    bool on_atoms = false;  // a finer grid would be the same
    bool has_room = false;  // for the rounding of transforms in double, about
  };

  Bound only_infinite(const Query& query) const {
    if (!query.wants_epsilon) return {infinite_ * (1 - 1e-12), std::min(1.0, infinite_ * (1 + 1e-12))};
    return infinite_ * (1 + 1e-12) <= query.given ? Bound{0, 0} : Bound{0, kInfinity};
  }

  /// Beyond a hundred standard deviations a tilt only singles out the largest loss.
  double most_tilt() const { return 100 / (std::sqrt(survey_.at(0).variance) + 1e-300); }
  /// Takes the survey of what is left of the laws once their far tails are cut off, and returns the tilt. Moments of
  /// whole laws would be those of tails that never count: a rare row has losses that dwarf all others.
  double prepare(const Query& query, double log_delta) {
    log_delta_ = log_delta;
    cut_above_ = std::max(1e-300, std::exp(log_delta) * 1e-7 / steps_);
    survey_ = LossSurvey();
    for (const LossTerm& term : terms_) survey_.add(term.law, term.count, cut_above_);
    return tilt_for(query);
  }
  double tilt_for(const Query& query) const {
    const double tilt = query.wants_epsilon
                            ? survey_.tilt_for_delta(std::log(std::max(1e-305, query.given - infinite_)))
                            : survey_.tilt_for_epsilon(query.given);
    return std::min(tilt, most_tilt());
  }

  /// From the variance a grid adds, step^2/2 a term between the two bounds, and what it does to the answer.
  double first_step(const Query& query, double tilt) const {
    const auto k = survey_.at(tilt);
    const double spread = std::sqrt(k.variance) + 1e-300;
    const double steep = std::max({tilt, 1.0, 1 / spread});
    const double scale = query.wants_epsilon ? std::max(k.mean, 1e-3 * spread) : 1 / steep;
    return std::min(std::sqrt(1.6 * query.precision * scale / (steep * steps_)), spread / 4);
  }

  /// A smaller tilt than the best one loses a few digits of a dozen and often needs a much smaller window.
  struct Placement {
    double tilt = 0;
    LossSurvey::Window window;
  };
  struct Limits {
    double outside = 0;       ///< ln of the tilted mass that may lie outside the window
    double loss = kMostLoss;  ///< ln of what a smaller tilt may lose
  };
  Placement place(double tilt, double epsilon, const Limits& limits) const {
    const double best_log = survey_.at(tilt).value - tilt * epsilon, outside = limits.outside;
    Placement placement;
    double width = kInfinity;
    for (const double factor : {1.0, 0.85, 0.7, 0.55, 0.4}) {
      const double t = tilt * factor;
      const double loss = survey_.at(t).value - t * epsilon - best_log;
      if (loss > limits.loss) break;
      auto window = survey_.window(t, outside - loss);
      const double above = window.high - epsilon;
      const double missed = t > 0 ? std::min(above, (loss - outside) / t) : above;
      // Either nothing below is left out, or what folds up from there weighs too little.
      double low = window.low;
      double needed = std::max(epsilon + missed, window.high - std::max(0.0, epsilon - low)) - low;
      if (t > 0) {
        const double folded = epsilon + (loss - outside - survey_.at(t).value) / t;
        const double short_one = std::max({folded, above, missed / (1 - kBelowShare)});
        if (short_one > 0 && short_one < needed) needed = short_one, low = epsilon - kBelowShare * short_one;
      }
      if (needed >= width) continue;
      width = needed;
      window.low = low;
      window.high = low + needed;
      placement = {t, window};
    }
    return placement;
  }

  /// ln of the tilted mass that may lie outside the window. Where rare rows have losses that forbid a larger tilt,
  /// delta is far less than the tilted mass; a window for that is so wide that it is taken only where the usual one
  /// fails.
  double outside_for(const Query& query, double log_delta, double tilt) const {
    const double usual = log_outside(query.precision);
    if (!wide_window_) return usual;
    const double epsilon = query.wants_epsilon ? survey_.at(tilt).mean : query.given;
    const double log_share = log_delta - survey_.at(tilt).value + tilt * epsilon;
    const double felt = log_share + std::log(query.precision * std::clamp(tilt * epsilon, 1e-2, 1.0)) - 4;
    return std::clamp(felt, kMinOutside, usual);
  }

  /// What share of delta decides nothing.
  double felt(const Query& query, double tilt, double epsilon) const {
    return 0.1 * query.precision * (query.wants_epsilon ? std::clamp(tilt * epsilon, 1e-3, 1.0) : 1.0);
  }
  /// ln of the factor by which the error of transforms in double may grow before it is felt in delta: about, from a
  /// spectrum that is as narrow as that of a Gaussian law.
  double headroom(const Query& query, double step, double tilt) const {
    const auto k = survey_.at(tilt);
    const double epsilon = query.wants_epsilon ? k.mean : query.given;
    const double log_delta = query.wants_epsilon ? std::log(query.given)
                             : query.target > 0  ? std::log(query.target)
                                                 : survey_.log_delta(tilt);
    const double narrowness = std::min(1.0, step / (2.5 * (std::sqrt(k.variance) + 1e-300)));
    const double weights = narrowness * weight_sum(tilt, step, kUsualPoints);
    const double log_error = std::log(steps_ * kTransformError * weights) + k.value - tilt * epsilon;
    return std::log(felt(query, tilt, epsilon)) - (log_error - log_delta);
  }

  /// The same without that spectrum: whether the error would be felt with this placement.
  bool would_be_felt(const Query& query, const Placement& placement, double step, double tilt) const {
    const double epsilon = query.wants_epsilon ? survey_.at(tilt).mean : query.given;
    const double log_delta = query.wants_epsilon ? std::log(query.given) : survey_.log_delta(tilt);
    const double t = placement.tilt;
    const double log_error =
        std::log(steps_ * kTransformError * weight_norm(t, step, kUsualPoints)) + survey_.at(t).value - t * epsilon;
    return log_error - log_delta > std::log(felt(query, tilt, epsilon));
  }

  Pass plan(const Query& query, double step, double tilt) const {
    const double epsilon = query.wants_epsilon ? survey_.at(tilt).mean : query.given;
    const double log_delta =
        query.wants_epsilon ? std::log(query.given) : std::min(log_delta_, survey_.log_delta(tilt));
    Pass pass;
    const double room = headroom(query, step, tilt);
    pass.has_room = room >= 1;
    const double most_loss = wide_window_ ? 1 : pass.has_room ? std::min(room, kMostLoss) : kMostLoss;
    const Placement placement = place(tilt, epsilon, {outside_for(query, log_delta, tilt), most_loss});
    const auto& window = placement.window;
    const double share = std::min(1e-6, 1e-2 * query.precision * std::clamp(tilt * epsilon, 1e-2, 1.0));
    pass.cut_above = std::max(cut_above_, std::exp(log_delta) * share / steps_);
    for (const LossTerm& term : terms_) {
      pass.ranges.push_back(range_of(term.law, {pass.cut_above, std::max(pass.cut_above, 1e-18 / steps_)}));
      const double smallest = (pass.ranges.back().high - pass.ranges.back().low) / static_cast<double>(most_points_);
      pass.finest = pass.finest || step < smallest;
      step = std::max(step, smallest);
    }
    if (lattice_ >= step) {
      // Nothing is gained by points between the atoms.
      step = atoms_only_ ? lattice_ : lattice_ / std::ceil(lattice_ / step);
      pass.on_atoms = atoms_only_;
    }
    const double width = (window.high - window.low) * 1.03 + 8 * step;
    const std::size_t points = transform_size(width / step, most_points_);
    if (static_cast<double>(points) * step < width) {
      pass.finest = true;
      pass.on_atoms = false;
      step = width / static_cast<double>(points);
    }
    pass.step = step;
    double shift = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const LossLaw& law = terms_[i].law;
      pass.offsets.push_back(law.lattice > 0 ? 0 : mean_of_bulk(law, pass.ranges[i], step));
      shift += static_cast<double>(terms_[i].count) * pass.offsets.back();
      pass.moved += static_cast<double>(terms_[i].count) * std::fabs(pass.offsets.back());
    }
    // Points to spare go to both sides.
    const double spare = std::max(0.0, static_cast<double>(points) - width / step) / 3;
    const bool extended =
        query.precision < kExtendedPrecision || (!pass.has_room && would_be_felt(query, placement, step, tilt));
    pass.sum = {placement.tilt, static_cast<std::int64_t>(std::floor((window.low - shift) / step - spare)) - 4,
                points,         window.above,
                window.below,   extended};
    return pass;
  }

  /// Whether an answer that is not known yet depends on the rounding of transforms in double.
  bool rounding_decides(const Query& query, const LossSum& sum, double tilt) const {
    const double epsilon = query.wants_epsilon ? sum.epsilon_upper(query.given) : query.given;
    const bool decided =
        query.refine && query.target > 0 && (query.wants_epsilon ? epsilon : sum.delta_upper(epsilon)) <= query.target;
    if (decided) return false;
    const double forgiven = query.refine ? 4 * felt(query, tilt, epsilon) : kForgiven * query.precision;
    return !std::isfinite(epsilon) || sum.rounding_share(epsilon) > forgiven;
  }

  /// Transforms in long double, which are dear, are made where those in double leave the answer open.
  Bound run(const Query& query, Pass& pass) const {
    std::vector<GridTerm> grids;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      grids.push_back({discretise(terms_[i].law, {pass.step, pass.offsets[i]}, pass.ranges[i]), terms_[i].count});
    }
    LossSum sum(grids, pass.sum);
    if (pass.has_room && !pass.sum.extended && rounding_decides(query, sum, pass.sum.tilt)) {
      pass.sum.extended = true;
      sum = LossSum(grids, pass.sum);
    }
    // Losses are placed up to a few units of themselves and of the points they are counted from.
    const double placed =
        steps_ * (pass.step * 4e-16 + 1e-17) + pass.moved * (8 + static_cast<double>(terms_.size())) * 1.2e-16;
    const double on_points = steps_ * kOnPoint * pass.step;
    if (query.wants_epsilon) {
      const double lower = sum.epsilon_lower(query.given) * (1 - 1e-12) - on_points - placed;
      const double upper = sum.epsilon_upper(query.given);
      const bool none = upper == 0 && sum.delta_upper(-placed) <= query.given;
      return {std::max(0.0, lower), none ? 0 : upper * (1 + 1e-12) + placed};
    }
    return {sum.delta_lower(query.given + on_points + placed) * (1 - 1e-11),
            std::min(1.0, sum.delta_upper(query.given - placed) * (1 + 1e-11))};
  }

  std::vector<LossTerm> terms_;
  LossSurvey survey_;
  double steps_ = 0;
  double top_ = 0;             // of all finite losses together
  double log_delta_ = 0;       // about, from above
  double cut_above_ = 1e-300;  // P mass a step that the survey left out above
  double infinite_ = 0;
  double lattice_ = 0;
  std::size_t most_points_ = kUsualPoints;
  bool wide_window_ = false;
  bool atoms_only_ = true;
};

/// From accountants that need no grid; infinite where none applies.
double closed_form_epsilon(const Event& event, Relation relation, double delta) {
  double best = kInfinity;
  try {
    best = rdp_epsilon(event, relation, delta).value;
  } catch (const Error&) {
  }
  try {
    const PureSum sum = pure_sum(event, relation);
    if (sum.delta <= exact_of(delta)) best = std::min(best, rounded_up(sum.epsilon));
  } catch (const Error&) {
  }
  return best;
}

Bound worst(const Event& event, Relation relation, const Query& query) {
  Bound bound{0, 0};
  for (const World& world : worlds(event, relation)) {
    const Bound here = WorldAccount(world).answer(query, bound.lower);
    bound = {std::max(bound.lower, here.lower), std::max(bound.upper, here.upper)};
  }
  return bound;
}

}  // namespace

Bound pld_epsilon(const Event& event, Relation relation, double delta, double precision) {
  return pld_epsilon_against(event, relation, {delta, 0, precision});
}

Bound pld_epsilon_against(const Event& event, Relation relation, const PldComparison& asked) {
  const double delta = asked.given;
  require(delta > 0 && delta < 1, "delta", "got " + number_text(delta) + ", must lie in (0, 1); 0 is for pure");
  Query query{true, delta, asked.precision, asked.target, asked.refine};
  if (delta >= kMinDelta) return worst(event, relation, query);
  // Masses this small lose their digits; a larger delta bounds from below, the closed forms from above.
  query.given = kMinDelta;
  const double lower = worst(event, relation, query).lower;
  return {lower, std::max(lower, closed_form_epsilon(event, relation, delta))};
}

Bound pld_delta(const Event& event, Relation relation, double epsilon, double precision) {
  return pld_delta_against(event, relation, {epsilon, 0, precision});
}

Bound pld_delta_against(const Event& event, Relation relation, const PldComparison& asked) {
  const double epsilon = asked.given;
  require(epsilon >= 0 && epsilon <= 1e6, "epsilon", "got " + number_text(epsilon) + ", must lie in [0, 1000000]");
  return worst(event, relation, {false, epsilon, asked.precision, asked.target, asked.refine});
}

}  // namespace sotto
