#pragma once
#include <csignal>

namespace sotto {

/// How many threads a computation may use, the caller's included, that would like `wanted` of them (0: one a
/// processor). Results have the same bits for any number.
unsigned allowed_threads(unsigned wanted = 0) noexcept;

/// For hosts that must stay single-threaded: a database server's process handles its signals in one thread and lets
/// only that one call it. `most` = 1: no thread is ever started. 0 takes the limit off. Holds for the whole process.
void limit_threads(unsigned most) noexcept;

/// The same for sums over rows alone (optim/row_sum.h), which such a host may allow threads of their own.
unsigned allowed_sum_threads(unsigned wanted = 0) noexcept;
void limit_sum_threads(unsigned most) noexcept;

/// Threads that are started while one of these lives get no signal of the process, so that a host's handlers run where
/// it expects them. The caller's signals wait that long.
class WithoutSignals {
 public:
  WithoutSignals() noexcept;
  ~WithoutSignals();
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace sotto
