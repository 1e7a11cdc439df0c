#include "sotto/random/fork_epoch.h"

#include <pthread.h>

namespace sotto {
namespace {

void count_one() noexcept { fork_count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

bool count_forks() noexcept {
  static const bool counted = pthread_atfork(nullptr, nullptr, &count_one) == 0;
  return counted;
}

}  // namespace sotto
