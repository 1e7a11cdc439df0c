#include "solvers/task.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "account/python_peer.h"
#include "sotto/model/evaluation.h"
#include "sotto/optim/row_sum.h"
#include "sotto/train.h"
#include "utility/real_data.h"

namespace sotto::bench {
namespace {

constexpr std::uint32_t kScans = 20;
constexpr double kWrong = 3;  // points of accuracy a private model may lose before its answer counts as wrong

// Fits on the rows of the file that is named and answers the accuracy on those to test on; reading is not timed.
constexpr const char* kPeer = R"(
import sys
try:
    import numpy as np
    from sklearn.linear_model import LogisticRegression
except ImportError:
    sys.exit(1)
def read(path, kind, rank):
    raw = np.fromfile(path, dtype='u1')
    shape = raw[4:4 + 4 * rank].view('>u4')
    return raw[4 + 4 * rank:].view(kind).reshape([int(n) for n in shape])
print('ready', flush=True)
data = {}
for line in sys.stdin:
    stem = line.split()[1]
    if stem not in data:
        data[stem] = [(read(f'{stem}.{part}.idx2', '>f4', 2).astype('f4'), read(f'{stem}.{part}.labels.idx1', 'u1', 1))
                      for part in ('train', 'test')]
    (x, y), (test_x, test_y) = data[stem]
    if line.startswith('load'):
        print(len(x), flush=True)
        continue
    fit = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000).fit(x, y)
    print(100 * fit.score(test_x, test_y), flush=True)
)";

std::string prepared() {
  const char* folder = std::getenv("SOTTO_PREPARED");
  return folder ? folder : "build/utility";
}
std::shared_ptr<utility::RealData> data_of(const std::string& set) {
  if (!std::filesystem::exists(prepared() + "/" + set + ".0.test.labels.idx1")) return nullptr;
  return std::make_shared<utility::RealData>(prepared(), set, 0);
}

Answer right() { return {1.0}; }
Answer flag(bool ok) { return {ok ? 1.0 : 0.0}; }

Model trained(utility::RealData& data, const Method& method, double lambda) {
  TrainRequest request;
  request.problem = {data.loss(), lambda};
  request.method = method;
  const double rows = static_cast<double>(data.facts().rows);
  request.budget = {.epsilon = 1, .delta = 1 / (rows * rows)};
  BitSource bits;
  return train(data.train(), request, bits);
}

/// A whole training, its accuracy, looked at once, known to be about `expected` percent.
Contender training(const std::shared_ptr<utility::RealData>& data, const Method& method, double lambda,
                   double expected) {
  const auto looked_at = std::make_shared<bool>(false);
  return {std::string(name_of(method)),
          [=] {
            const Model model = trained(*data, method, lambda);
            if (std::exchange(*looked_at, true)) return right();
            return flag(100 * evaluate(model, data->test()).accuracy > expected - kWrong);
          },
          right};
}

/// Reads every feature once, on as many threads as the solvers have.
class ReadRows final : public RowSum {
 public:
  void consume(const RowBlock& block) noexcept override {
    const std::size_t words = block.rows * block.features / 2;
    std::uint64_t sums[16] = {};
    for (std::size_t i = 0; i + 16 <= words; i += 16) {
      std::uint64_t some[16];
      std::memcpy(some, block.dense + 2 * i, sizeof some);
      for (std::size_t k = 0; k < 16; ++k) sums[k] += some[k];
    }
    for (const std::uint64_t sum : sums) sum_ += sum;
  }
  std::unique_ptr<RowSum> empty_copy() const override { return std::make_unique<ReadRows>(); }
  void clear() noexcept override { sum_ = 0; }
  void merge(const RowSum& other) noexcept override { sum_ += dynamic_cast<const ReadRows&>(other).sum_; }
  std::uint64_t sum() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

Answer read_rows(const std::shared_ptr<utility::RealData>& data) {
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < kScans; ++i) {
    ReadRows sum;
    sum_rows(data->train(), sum);
    all |= sum.sum();
  }
  return flag(all != 0);
}

/// Adds scikit-learn, and the ratio to it, if there is one.
void add_peer(Task& task, const std::string& set) {
  const auto peer = std::make_shared<PythonPeer>(kPeer);
  if (!peer->ready()) {
    task.contenders.front().note += "; scikit-learn skipped: no Python with it (SOTTO_PYTHON)";
    return;
  }
  const std::string stem = prepared() + "/" + set + ".0";
  peer->ask("load " + stem);
  task.contenders.front().against.push_back({"sklearn"});
  task.contenders.push_back({"sklearn", [=] { return flag(peer->ask("fit " + stem) > 50); }, right});
}

}  // namespace

Task solvers_adult_task() {
  const auto data = data_of("adult");
  Task task{"solvers_adult", data ? data->facts().rows : 1};
  if (!data) return task;
  task.contenders.push_back(training(data, Objective{}, 5 / static_cast<double>(data->facts().rows), 84.3));
  task.contenders.back().note = "promised: under 0.5 s";
  add_peer(task, "adult");
  return task;
}

Task solvers_mnist_task() {
  const auto data = data_of("mnist10");
  Task task{"solvers_mnist", data ? data->facts().rows : 1};
  if (!data) return task;
  task.most_turns = 5;
  task.contenders.push_back(training(data, Objective{}, 30 / static_cast<double>(data->facts().rows), 88));
  task.contenders.back().note = "softmax; promised: under 30 s";
  add_peer(task, "mnist10");
  return task;
}

Task scans_mnist_task() {
  const auto data = data_of("mnist0");
  Task task{"scans_mnist", data ? data->facts().rows : 1};
  if (!data) return task;
  const Dpgd scans{.passes = kScans, .momentum = 0.9, .bound = DescentBound::composition};
  task.contenders.push_back(training(data, scans, 0, 95));
  task.contenders.back().note = fmt::format("0 against the rest, {} scans", kScans);
  task.contenders.back().against.push_back({"read_rows", 1.5});
  task.contenders.push_back({"read_rows", [=] { return read_rows(data); }, right});
  return task;
}

}  // namespace sotto::bench
