#include "kernels/task.h"

#include <memory>

#include "sotto/linalg/kernels.h"
#include "train_dense/problem.h"

namespace sotto::bench {
namespace {

constexpr std::size_t kRows = 50;
constexpr std::size_t kFeatures = 50;
constexpr std::size_t kTimes = 4000;

struct Batch {
  DenseProblem problem = make_dense(kRows, kFeatures);
  Answer weights = Answer(kFeatures, 0.125);
  Answer coefficients = Answer(kRows, -0.5);
};

/// run(batch, result) kTimes times into one result.
template <class Run>
std::function<Answer()> repeated(std::shared_ptr<const Batch> batch, std::size_t size, Run run) {
  return [=] {
    Answer result(size);
    for (std::size_t time = 0; time < kTimes; ++time) run(*batch, result.data());
    return result;
  };
}

template <class Ours, class Theirs>
void add(Task& task, const std::string& name, const Ours& ours, const Theirs& theirs) {
  task.contenders.push_back({name, ours, theirs, {{"hand_written_" + name}}});
  task.contenders.push_back({"hand_written_" + name, theirs, ours});
}

}  // namespace

Task kernels_task() {
  const auto batch = std::make_shared<const Batch>();
  Task task{"kernels", kRows * kTimes};
  const auto dot_with = [](auto dot) {
    return [dot](const Batch& b, double* out) {
      for (std::size_t row = 0; row < kRows; ++row) {
        out[row] = dot(b.problem.dense.data() + row * kFeatures, b.weights.data(), kFeatures);
      }
    };
  };
  const auto dots_with = [](auto dots) {
    return
        [dots](const Batch& b, double* out) { dots(b.problem.dense.data(), kRows, kFeatures, b.weights.data(), out); };
  };
  const auto accumulate_with = [](auto accumulate) {
    return [accumulate](const Batch& b, double* out) {
      accumulate(b.coefficients.data(), b.problem.dense.data(), kRows, kFeatures, out);
    };
  };
  const auto slopes_with = [](auto slopes) {
    return [slopes](const Batch& b, double* out) { slopes(b.coefficients.data(), kRows, out); };
  };
  double (*const dot)(const float*, const double*, std::size_t) noexcept = kernels::dot;
  add(task, "dot", repeated(batch, kRows, dot_with(dot)), repeated(batch, kRows, dot_with(by_hand::dot)));
  add(task, "dots", repeated(batch, kRows, dots_with(kernels::dots)), repeated(batch, kRows, dots_with(by_hand::dots)));
  add(task, "accumulate", repeated(batch, kFeatures, accumulate_with(kernels::accumulate)),
      repeated(batch, kFeatures, accumulate_with(by_hand::accumulate)));
  add(task, "logistic_slopes", repeated(batch, kRows, slopes_with(kernels::logistic_slopes)),
      repeated(batch, kRows, slopes_with(by_hand::logistic_slopes)));
  return task;
}

}  // namespace sotto::bench
