#include "sotto/base/stop.h"

#include <utility>

namespace sotto {
namespace {

thread_local const StopCheck* innermost = nullptr;

}  // namespace

StopCheck::StopCheck(std::function<void()> ask) noexcept : ask_(std::move(ask)), before_(innermost) {
  innermost = this;
}

StopCheck::~StopCheck() { innermost = before_; }

void check_stop() {
  if (innermost != nullptr && innermost->ask_) innermost->ask_();
}

}  // namespace sotto
