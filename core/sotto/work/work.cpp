#include "sotto/work/work.h"

#include "sotto/base/error.h"
#include "sotto/optim/score_moments.h"
#include "sotto/optim/views/projected_rows.h"

namespace sotto {

void PlannedRows::require_count(std::uint64_t rows) const {
  require(rows <= most || fewest == most, "declared_rows", "the table has more rows than this declaration allows");
  if (rows >= fewest && rows <= most) return;
  throw Error(ErrorKind::internal, "the rows are not as many as the run was planned for");
}

void PlannedRows::require_same(const Facts& found) const {
  require_count(found.rows);
  if (found.features == facts.features && found.data_norm == facts.data_norm && found.sparse == facts.sparse &&
      found.classes == facts.classes) {
    return;
  }
  throw Error(ErrorKind::internal, "the rows are not those the run was planned for");
}

Projection projection_of(const GaussianProjection& reduction, std::uint32_t features) {
  return {reduction, features, false};
}

namespace {

Outcome run_way(const Way& way, const Run& with) {
  return std::visit([&](const auto& one) { return one.run(with); }, way);
}

Outcome run_projected(const Work& work, const Run& with) {
  const Projection map = projection_of(*work.projection, with.engine.facts().features);
  ProjectedRows images(with.engine, map);
  Outcome outcome = run_way(work.way, {images, with.curator, with.progress, with.order_seed});
  outcome.weights = before_projection(map, outcome.weights);
  return outcome;
}

}  // namespace

Outcome run(const Work& work, const Run& with) {
  work.rows.require_same(with.engine.facts());
  Outcome outcome = work.projection ? run_projected(work, with) : run_way(work.way, with);
  if (work.intervals) outcome.moments = release_moments(with, *work.intervals, outcome.weights);
  return outcome;
}

Vector release_moments(const Run& run, const IntervalPlan& plan, const Vector& weights) {
  ScoreMoments moments(run.engine.facts(), plan.grid);
  moments.start(weights);
  sum_rows(run.engine, moments);
  return run.curator.release(moments.take(), plan.moments.mechanism);
}

}  // namespace sotto
