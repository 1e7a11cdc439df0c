#include "sotto/base/threads.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace sotto {
namespace {

std::atomic<unsigned> most_threads{0};
std::atomic<unsigned> most_sum_threads{0};

unsigned at_most(unsigned wanted, unsigned most) noexcept {
  if (wanted == 0) wanted = std::max(1U, std::thread::hardware_concurrency());
  return most == 0 ? wanted : std::min(wanted, most);
}

}  // namespace

unsigned allowed_threads(unsigned wanted) noexcept {
  return at_most(wanted, most_threads.load(std::memory_order_relaxed));
}

unsigned allowed_sum_threads(unsigned wanted) noexcept {
  return at_most(wanted, most_sum_threads.load(std::memory_order_relaxed));
}

void limit_threads(unsigned most) noexcept {
  most_threads.store(most, std::memory_order_relaxed);
  limit_sum_threads(most);
}

void limit_sum_threads(unsigned most) noexcept { most_sum_threads.store(most, std::memory_order_relaxed); }

WithoutSignals::WithoutSignals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

WithoutSignals::~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace sotto
