#include "interruptible.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "bindings.h"
#include "sotto/base/error.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// How often signals are looked at; progress is told every few looks.
constexpr std::chrono::milliseconds kTick{10};
constexpr int kTicksToTell = 4;
/// How long the end of the interpreter waits for work that was left.
constexpr std::chrono::seconds kLastWait{2};

struct Interrupted {};

/// Work in progress in this process; a forked child has none of its parent's threads. Atomic, as a fork may come
/// between any two steps and would leave a lock locked.
struct InProgress {
  std::atomic<pid_t> process{0};
  std::atomic<int> jobs{0};

  void begin() {
    if (process.exchange(::getpid()) != ::getpid()) jobs = 0;
    ++jobs;
  }
  void end() { --jobs; }
  bool any() const { return process == ::getpid() && jobs > 0; }
};
InProgress in_progress;
std::atomic<bool> ending{false};

/// The worker and the caller share it: a caller who is interrupted does not wait for the worker.
struct Job {
  std::function<void(const Report&)> work;
  std::atomic<double> fraction{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failed;

  void run() noexcept {
    try {
      work([this](double now) {
        fraction.store(now, std::memory_order_relaxed);
        if (stop.load(std::memory_order_relaxed)) throw Interrupted{};
      });
    } catch (...) {
      failed = std::current_exception();
    }
    work = nullptr;  // what it holds of Python goes now, while the interpreter is there
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, kTick, [this] { return done; });
  }
};

void await(Job& job, const nb::object& progress) {
  const pid_t process = ::getpid();
  for (int tick = 1;; ++tick) {
    bool done = false;
    {
      const nb::gil_scoped_release unlocked;
      done = job.wait();
    }
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!progress.is_none() && (done || tick % kTicksToTell == 0))
        progress(job.fraction.load(std::memory_order_relaxed));
    } catch (...) {
      job.stop = true;
      throw;
    }
    if (done) return;
    if (::getpid() != process)
      throw Error(ErrorKind::unsupported, "fork: the work goes on in the parent, its result cannot be had in a child");
  }
}

/// Before the interpreter goes: work that was interrupted may be about to release objects of it.
void wait_for_the_rest() {
  ending = true;
  const nb::gil_scoped_release unlocked;
  const auto latest = std::chrono::steady_clock::now() + kLastWait;
  while (in_progress.any() && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

}  // namespace

std::shared_ptr<const void> keep(nb::object object) {
  return {object.release().ptr(), [](PyObject* held) {
            if (ending) return;
            const nb::gil_scoped_acquire gil;
            Py_DECREF(held);
          }};
}

void run_interruptible(std::function<void(const Report&)> work, const nb::object& progress) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  in_progress.begin();
  std::thread([job] {
    job->run();
    in_progress.end();
  }).detach();
  await(*job, progress);
  if (job->failed) std::rethrow_exception(job->failed);
}

void bind_interruptible(nb::module_&) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_the_rest));
}

}  // namespace sotto::python
