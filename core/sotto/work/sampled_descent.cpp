#include "sotto/work/sampled_descent.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "sotto/linalg/kernels.h"
#include "sotto/optim/gradient_sum.h"

namespace sotto {

double RootPace::operator()(double t) const noexcept { return width / (length * std::sqrt(t)); }

Vector descend(const SampledWork& work, const Run& run, const PublicStep& step) {
  const Facts facts = run.engine.facts();
  Vector weights(work.shape.weights, 0.0);
  GradientSum sum(work.loss, facts, work.shape.clip_at), part = sum;
  const double divisor = static_cast<double>(work.shape.batch_rows);
  for (std::uint64_t t = 1; t <= work.shape.steps; ++t) {
    PoissonBatch batch = run.curator.draw_batch(work.law, facts.rows);
    const std::span<const std::uint64_t> positions = batch.positions();
    sum.clear();
    for (std::size_t i = 0; i < positions.size(); i += SampledWork::kPartRows) {
      part.start(weights);
      run.engine.scan_positions(positions.subspan(i, std::min(SampledWork::kPartRows, positions.size() - i)), part);
      sum.merge(part);
    }
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
