#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "bindings.h"
#include "ledger_price.h"
#include "request.h"
#include "rows.h"
#include "sotto/bounds.h"
#include "sotto/data/block_file.h"
#include "sotto/data/fingerprint.h"
#include "sotto/model/json.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// How often signals are looked at and progress is told while a model is trained.
constexpr std::chrono::milliseconds kTick{40};

struct Interrupted {};

/// Rows for the library's training under a ledger.
class SharedRows final : public RowSource {
 public:
  explicit SharedRows(const Rows& rows) : rows_(rows) {}
  Facts facts(std::uint64_t) const override { return rows_.facts; }
  Digest fingerprint() const override { return rows_.fingerprint; }
  std::unique_ptr<Engine> open() override { return rows_.open(); }
  /// An array in memory is whoever calls fit's, and stays as it is while they wait.
  Opened open_fingerprinted() override {
    Opened opened{rows_.open(), rows_.fingerprint};
    if (!rows_.path.empty()) opened.fingerprint = fingerprint_of(BlockFile(rows_.path));
    return opened;
  }

 private:
  const Rows& rows_;
};

/// What a run was asked for and what came of it. The worker and the caller share it, as a caller who is interrupted
/// does not wait for the worker.
struct Job {
  Rows rows;
  TrainRequest request;
  std::optional<std::uint64_t> noise_seed;
  std::string ledger;
  bool part = false;
  bool again = false;

  std::atomic<double> fraction{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failed;
  Released released;

  Released work() {
    request.progress = [this](double now) {
      fraction.store(now, std::memory_order_relaxed);
      if (stop.load(std::memory_order_relaxed)) throw Interrupted{};
    };
    BitSource bits = noise_seed ? BitSource(ReproducibleSeed{*noise_seed}) : BitSource();
    if (!ledger.empty()) {
      SqliteLedger open(ledger);
      SharedRows source(rows);
      return train(source, request, bits, {open, again, part});
    }
    Released made;
    made.model = train(*rows.open(), request, bits);
    made.text = model_text(made.model);
    return made;
  }
  void run() noexcept {
    try {
      released = work();
    } catch (...) {
      failed = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, kTick, [this] { return done; });
  }
};

/// Waits for the job; between ticks looks at signals and tells the progress. An exception of either stops the job: it
/// ends at its next report, on its own; what a ledger reserved for it stays spent.
void await(const std::shared_ptr<Job>& job, const nb::object& progress) {
  for (;;) {
    bool done = false;
    {
      const nb::gil_scoped_release unlocked;
      done = job->wait();
    }
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!progress.is_none()) progress(job->fraction.load(std::memory_order_relaxed));
    } catch (...) {
      job->stop = true;
      throw;
    }
    if (done) return;
  }
}

nb::tuple run_training(const Rows& rows, const GivenFields& given, const nb::dict& how) {
  auto job = std::make_shared<Job>();
  job->rows = rows;
  job->request = request_from(given);
  job->request.encoding = nb::cast<std::string>(how["encoding"]);
  job->request.not_private = nb::cast<std::vector<std::string>>(how["not_private"]);
  job->request.order_seed = nb::cast<std::optional<std::uint64_t>>(how["order_seed"]);
  if (const nb::object found = nb::cast<nb::object>(how["found_norm"]); !found.is_none()) {
    const FoundNorm norm = nb::cast<FoundNorm>(found);
    job->request.bounds_cost = norm.cost;
    for (const std::string& why : norm.not_private) job->request.not_private.push_back(why);
  }
  job->noise_seed = nb::cast<std::optional<std::uint64_t>>(how["noise_seed"]);
  job->ledger = nb::cast<std::string>(how["ledger"]);
  job->part = nb::cast<bool>(how["part"]);
  job->again = nb::cast<bool>(how["again"]);
  std::thread([job] { job->run(); }).detach();
  await(job, nb::cast<nb::object>(how["progress"]));
  if (job->failed) std::rethrow_exception(job->failed);
  return nb::make_tuple(nb::cast(std::move(job->released.model)), job->released.text, job->released.stored);
}

Facts facts_from(const nb::dict& facts) {
  Facts made;
  made.rows = nb::cast<std::uint64_t>(facts["rows"]);
  made.features = nb::cast<std::uint32_t>(facts["features"]);
  made.data_norm = nb::cast<double>(facts["data_norm"]);
  made.classes = nb::cast<std::uint32_t>(facts["classes"]);
  return made;
}

std::string plan_card(const nb::dict& facts, const GivenFields& given, const std::string& ledger) {
  const TrainRequest request = request_from(given);
  const PlanInput input{facts_from(facts), request.problem, request.budget};
  if (ledger.empty()) return card_json(make_card(make_plan(request.algorithm, input), request.algorithm, input));
  SqliteLedger open(ledger);
  const Quote quoted = quote(request, input.facts, open);
  Json json = to_json(make_card(quoted.plan, request.algorithm, quoted.input));
  json["budget"] = quote_json(quoted);
  return json.dump(2);
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("catalog", &catalog_json);
  module.def("train", &run_training, nb::arg("rows"), nb::arg("fields"), nb::arg("how"));
  module.def("plan", &plan_card, nb::arg("facts"), nb::arg("fields"), nb::arg("ledger") = "");
}

}  // namespace sotto::python
