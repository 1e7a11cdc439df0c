#include "sotto/work/sampled_descent.h"

#include <cmath>

#include "sotto/linalg/kernels.h"
#include "sotto/optim/gradient_sum.h"

namespace sotto {

double RootPace::operator()(double t) const noexcept { return width / (length * std::sqrt(t)); }

Vector descend(const SampledWork& work, const Run& run, const PublicStep& step) {
  const Facts facts = run.engine.facts();
  Vector weights(work.shape.weights, 0.0);
  GradientSum sum(work.loss, facts, work.shape.grid, work.shape.clip_at);
  const double divisor = static_cast<double>(work.shape.batch_rows);
  for (std::uint64_t t = 1; t <= work.shape.steps; ++t) {
    PoissonBatch batch = run.curator.draw_batch(work.law, facts.rows);
    sum.start(weights);
    run.engine.scan_positions(batch.positions(), sum);
    Vector noised = run.curator.release(sum.take(), std::move(batch));
    kernels::scale(1 / divisor, noised.data(), noised.size());
    step(t, noised, weights);
    run.progress(static_cast<double>(t) / static_cast<double>(work.shape.steps));
  }
  return weights;
}

Outcome SampledWork::run(const Run& run) const {
  HeavyBallSteps ball(steps, shape.weights);
  return {descend(*this, run, [&](std::uint64_t t, const Vector& gradient, Vector& weights) {
    ball.step(std::visit([&](const auto& size) { return size(static_cast<double>(t)); }, pace), gradient, weights);
  })};
}

}  // namespace sotto
