#include "sotto/base/threads.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace sotto {
namespace {

std::atomic<unsigned> most_threads{0};

}  // namespace

unsigned allowed_threads(unsigned wanted) noexcept {
  if (wanted == 0) wanted = std::max(1U, std::thread::hardware_concurrency());
  const unsigned most = most_threads.load(std::memory_order_relaxed);
  return most == 0 ? wanted : std::min(wanted, most);
}

void limit_threads(unsigned most) noexcept { most_threads.store(most, std::memory_order_relaxed); }

}  // namespace sotto
