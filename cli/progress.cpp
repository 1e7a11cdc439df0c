#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace sotto::cli {
namespace {

constexpr double kPatienceSeconds = 2.0;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Progress::Progress() : Progress(isatty(STDERR_FILENO) == 1 ? stderr : nullptr, seconds_now) {}

Progress::Progress(std::FILE* terminal, Clock clock)
    : terminal_(terminal), clock_(std::move(clock)), started_(clock_()), told_(started_ - kPatienceSeconds) {}

bool Progress::is_due(double now) const { return !ended_ && now - started_ >= kPatienceSeconds; }

void Progress::update(std::string_view what, double fraction) {
  constexpr int kBarWidth = 40;
  if (silent()) return;
  const std::lock_guard lock(mutex_);
  told_ = clock_();
  if (!is_due(told_)) return;
  const int percent = static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0));
  if (percent == percent_ && what == what_) return;
  percent_ = percent;
  what_ = what;
  const int filled = percent * kBarWidth / 100;
  show(fmt::format("{} [{:#<{}}{:.<{}}] {}%", what, "", filled, "", kBarWidth - filled, percent));
}

void Progress::tick() {
  constexpr double kQuietSeconds = 1.0;
  if (silent()) return;
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  if (!is_due(now) || now - told_ < kQuietSeconds) return;
  percent_ = -1;  // the bar is gone, its next percent is drawn even if it is the same
  show(fmt::format("working, {:.0f} s", now - started_));
}

void Progress::show(const std::string& line) {
  shown_ = true;
  std::fputs(("\r\033[K" + line).c_str(), terminal_);  // a terminal that is gone is no error
  std::fflush(terminal_);
}

void Progress::wipe() {
  if (!shown_ || ended_) return;
  std::fputs("\r\033[K", terminal_);
  std::fflush(terminal_);
  percent_ = -1;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  wipe();
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  wipe();
  ended_ = true;
}

Heartbeat::Heartbeat(Progress& progress) {
  if (progress.silent()) return;
  thread_ = std::thread([this, &progress] {
    constexpr std::chrono::milliseconds kBeat(500);
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kBeat, [this] { return stopped_; })) progress.tick();
  });
}

Heartbeat::~Heartbeat() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace sotto::cli
