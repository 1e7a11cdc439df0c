#pragma once
#include <functional>

namespace sotto {

/// While one of these lives, computations of this thread that may take long ask on the way whether they are still
/// wanted: `ask` throws if not. For hosts whose calls can be cancelled, such as a database server. Only computations on
/// public numbers ask, so where they stop tells nothing about a row.
class StopCheck {
 public:
  explicit StopCheck(std::function<void()> ask) noexcept;
  ~StopCheck();
  StopCheck(const StopCheck&) = delete;
  StopCheck& operator=(const StopCheck&) = delete;

 private:
  friend void check_stop();
  std::function<void()> ask_;
  const StopCheck* before_;
};

/// To be called every millisecond or so. Throws what the host's question throws; does nothing where nobody asks.
void check_stop();

}  // namespace sotto
