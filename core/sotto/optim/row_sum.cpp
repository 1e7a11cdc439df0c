#include "sotto/optim/row_sum.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/threads.h"
#include "sotto/optim/engine.h"

namespace sotto {
namespace {

constexpr std::uint64_t kParts = 64;
constexpr std::uint64_t kMinRows = 1024;  // fewer are not worth a hand-over

/// Parts are taken by whoever is free. Sums are exact, so that it does not matter who takes which.
class PartRunner {
 public:
  PartRunner(const Engine& engine, RowSum& total)
      : engine_(engine),
        total_(total),
        rows_(engine.facts().rows),
        part_rows_(std::max(kMinRows, rows_ / kParts + (rows_ % kParts != 0 ? 1 : 0))) {}

  std::uint64_t parts() const noexcept { return rows_ / part_rows_ + (rows_ % part_rows_ != 0 ? 1 : 0); }

  void work(RowSum& own) noexcept {
    try {
      for (std::uint64_t part = take(); part < parts(); part = take()) {
        const std::uint64_t first = part * part_rows_;
        own.go_to(first);
        engine_.scan_rows(first, std::min(part_rows_, rows_ - first), own);
      }
    } catch (...) {
      return fail(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    if (!thrown_) total_.merge(own);
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }
  void fail(std::exception_ptr thrown) noexcept {
    const std::lock_guard lock(mutex_);
    if (!thrown_) thrown_ = std::move(thrown);
  }

 private:
  std::uint64_t take() noexcept {
    const std::lock_guard lock(mutex_);
    return thrown_ ? parts() : next_++;
  }

  const Engine& engine_;
  RowSum& total_;
  std::uint64_t rows_;
  std::uint64_t part_rows_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::exception_ptr thrown_;
};

/// The sum being made with other threads than its caller's, for abandon_sums; a process has one where it is used.
std::atomic<PartRunner*> running{nullptr};
std::atomic<unsigned> working{0};

/// Results do not depend on how many there are: where the system gives no more threads, fewer do.
void start(std::vector<std::jthread>& workers, PartRunner& runner, std::vector<std::unique_ptr<RowSum>>& own) {
  const WithoutSignals quiet;
  running.store(&runner);
  try {
    for (std::size_t i = 1; i < own.size(); ++i) {
      workers.emplace_back([&runner, &mine = *own[i]] {
        ++working;
        runner.work(mine);
        --working;
      });
    }
  } catch (const std::system_error&) {
    return;
  }
}

}  // namespace

void sum_rows(const Engine& engine, RowSum& sum, unsigned threads) {
  PartRunner runner(engine, sum);
  threads = static_cast<unsigned>(std::min<std::uint64_t>(allowed_sum_threads(threads), runner.parts()));
  std::vector<std::unique_ptr<RowSum>> own;
  for (unsigned i = 0; i < std::max(1U, threads); ++i) own.push_back(sum.empty_copy());
  {
    std::vector<std::jthread> workers;
    workers.reserve(own.size());
    if (own.size() > 1) start(workers, runner, own);
    runner.work(*own[0]);
  }
  if (own.size() > 1) running.store(nullptr);
  runner.rethrow();
}

void abandon_sums() noexcept {
  PartRunner* sum = running.load();
  if (sum == nullptr) return;
  sum->fail(std::make_exception_ptr(Error(ErrorKind::internal, "the process ends")));
  while (working.load() > 0) std::this_thread::yield();
}

}  // namespace sotto
