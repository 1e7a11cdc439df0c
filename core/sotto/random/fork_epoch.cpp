#include "sotto/random/fork_epoch.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

namespace sotto {
namespace {

std::atomic<std::uint64_t> forks{0};

void count_fork() noexcept { forks.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

std::uint64_t fork_epoch() noexcept {
  static const bool counted = pthread_atfork(nullptr, nullptr, &count_fork) == 0;
  if (!counted) std::abort();  // noise could be used twice and nobody would notice
  return forks.load(std::memory_order_relaxed);
}

}  // namespace sotto
