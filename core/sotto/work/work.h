#pragma once
#include <cstdint>
#include <optional>
#include <variant>

#include "sotto/data/projection.h"
#include "sotto/work/adaptive_descent.h"
#include "sotto/work/class_counts.h"
#include "sotto/work/correlated_descent.h"
#include "sotto/work/descent.h"
#include "sotto/work/genetic_search.h"
#include "sotto/work/interval_plan.h"
#include "sotto/work/minimiser.h"
#include "sotto/work/permutation.h"
#include "sotto/work/sampled_descent.h"
#include "sotto/work/shards.h"
#include "sotto/work/whitened_descent.h"

/// What a plan does. A work holds every number of its run, mechanisms included; nothing is calibrated here.
namespace sotto {

/// The ways of running. To add one: a header and source beside this file and a word here.
using Way = std::variant<PermutationWork, DescentWork, HiddenDescentWork, SampledWork, CorrelatedWork, WhitenedWork,
                         AdaptiveWork, GeneticWork, MinimiserWork, CountsWork, ShardWork>;

/// The rows a work was planned for. What its plan states holds for these alone.
struct PlannedRows {
  Facts facts{};             ///< rows is 0 where their number is private
  std::uint64_t fewest = 0;  ///< rows there may be
  std::uint64_t most = 0;

  /// Throws Error{invalid_argument} for more rows than were declared, Error{internal} for other rows altogether.
  void require_same(const Facts& found) const;
  void require_count(std::uint64_t rows) const;
};

struct Work {
  PlannedRows rows{};
  Way way{};
  std::optional<GaussianProjection> projection{};  ///< public; the rows are seen through it
  std::optional<IntervalPlan> intervals{};         ///< a second release, for confidence intervals
};

/// The projection of a work, for rows of so many features.
Projection projection_of(const GaussianProjection& reduction, std::uint32_t features);

/// The one way from rows to what leaves.
Outcome run(const Work& work, const Run& with);

/// Noised moments at the released weights, which are public by then.
Vector release_moments(const Run& run, const IntervalPlan& plan, const Vector& weights);

}  // namespace sotto
