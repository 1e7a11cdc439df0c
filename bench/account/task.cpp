#include "account/task.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "account/python_peer.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/solve.h"

namespace sotto::bench {
namespace {

constexpr std::uint64_t kSteps = 10000;
constexpr double kRate = 0.01;
constexpr double kReference = 6.187715;     // epsilon at noise 1, delta 1e-5, add_remove
constexpr double kReferenceNoise = 4.3018;  // for (1, 1e-6)
// As tight as dp_accounting with its default grid of 1e-4, which is 3e-5 too high.
constexpr double kSamePrecision = 2.7e-5;

// The peer's own defaults; its calibration stops at the same relative tolerance as ours.
constexpr const char* kPeer = R"(
import sys
try:
    import dp_accounting as d
    from dp_accounting import pld
except ImportError:
    sys.exit(1)
print('ready', flush=True)
def event(noise):
    return d.SelfComposedDpEvent(d.PoissonSampledDpEvent(0.01, d.GaussianDpEvent(noise)), 10000)
for line in sys.stdin:
    if line.startswith('epsilon'):
        print(pld.PLDAccountant().compose(event(1.0)).get_epsilon(1e-5), flush=True)
    else:
        print(d.calibrate_dp_mechanism(pld.PLDAccountant, event, 1.0, 1e-6,
                                       d.LowerEndpointAndGuess(0.5, 4.0), tol=4e-4), flush=True)
)";

Answer flag(bool ok) { return {ok ? 1.0 : 0.0}; }
Answer right() { return {1.0}; }

Event plan() { return repeat(PoissonSampledEvent{kRate, 1}, kSteps); }

Answer epsilon_at(double precision) {
  const Bound bound = pld_epsilon(plan(), Relation::add_remove, 1e-5, precision);
  const bool holds = bound.lower <= kReference + 1e-6 && kReference - 1e-6 <= bound.upper;
  return flag(holds && bound.upper - bound.lower < 1e-3 * bound.upper);
}

/// Adds the peer, and the comparison to it, if there is one.
void add_peer(Task& task, const std::string& question, double reference) {
  const auto peer = std::make_shared<PythonPeer>(kPeer);
  if (!peer->ready()) {
    task.contenders.front().note += "; dp_accounting skipped: no Python with it";
    return;
  }
  const auto run = [=] { return flag(std::fabs(peer->ask(question) / reference - 1) < 1e-3); };
  const double answer = peer->ask(question);
  task.contenders.push_back({"dp_accounting", run, right, {}, fmt::format("answers {:.7g}", answer)});
  for (Contender& contender : task.contenders) {
    if (contender.name != "dp_accounting") contender.against.push_back({"dp_accounting", 1.0 / 20});
  }
}

}  // namespace

Task account_epsilon_task() {
  Task task{"account_epsilon", 1};
  const auto upper = [](double precision) { return pld_epsilon(plan(), Relation::add_remove, 1e-5, precision).upper; };
  task.contenders.push_back({"sotto",
                             [] { return epsilon_at(kPldPrecision); },
                             right,
                             {},
                             fmt::format("promised: under 50 ms; answers {:.7g}", upper(kPldPrecision))});
  task.contenders.push_back({"sotto_as_tight",
                             [] { return epsilon_at(kSamePrecision); },
                             right,
                             {},
                             fmt::format("answers {:.7g}", upper(kSamePrecision))});
  add_peer(task, "epsilon", kReference);
  return task;
}

Task account_noise_task() {
  Task task{"account_noise", 1};
  const auto noise = [] { return noise_for({.rate = kRate, .steps = kSteps}, {1, 1e-6, Relation::add_remove}); };
  const auto run = [=] { return flag(std::fabs(noise() / kReferenceNoise - 1) < 5e-4); };
  task.contenders.push_back({"sotto", run, right, {}, fmt::format("promised: under 0.5 s; answers {:.7g}", noise())});
  add_peer(task, "noise", kReferenceNoise);
  return task;
}

}  // namespace sotto::bench
