#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace sotto::cli {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void Output::print(const std::string& text) const { fmt::print("{}\n", text); }

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1), started_(seconds_now()) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(double fraction) {
  constexpr double kPatienceSeconds = 2.0;
  constexpr int kBarWidth = 40;
  if (!terminal_) return;
  const int percent = static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0));
  if (percent == last_percent_ || seconds_now() - started_ < kPatienceSeconds) return;
  last_percent_ = percent;
  shown_ = true;
  const int filled = percent * kBarWidth / 100;
  fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {}%", what_, "", filled, "", kBarWidth - filled, percent);
  std::fflush(stderr);
}

}  // namespace sotto::cli
