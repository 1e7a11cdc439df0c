#pragma once
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sotto::cli {

/// A progress bar for work that lasts over two seconds. Where no fraction is known, or none may be told (the number of
/// runs of random stopping is secret), the time that has passed. May be called by several threads.
class Progress {
 public:
  using Clock = std::function<double()>;  ///< in seconds
  /// On standard error, if that is a terminal; otherwise silent.
  Progress();
  /// On `terminal`; nullptr: silent.
  Progress(std::FILE* terminal, Clock clock);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool silent() const noexcept { return terminal_ == nullptr; }
  /// `fraction` of the work done, 0 to 1.
  void update(std::string_view what, double fraction);
  /// Shows the time where no fraction was told for a second.
  void tick();
  /// Takes the bar away until more is known: other words follow on the terminal.
  void clear();
  /// Takes the bar away for good: what comes next on the terminal is an answer.
  void end();

 private:
  bool is_due(double now) const;
  void wipe();
  void show(const std::string& line);

  std::mutex mutex_;
  std::FILE* terminal_;
  Clock clock_;
  double started_;
  double told_ = 0;  ///< when a fraction was told
  bool ended_ = false;
  bool shown_ = false;
  std::string what_;
  int percent_ = -1;
};

/// Ticks while it lives, from a thread of its own; none for a silent bar.
class Heartbeat {
 public:
  explicit Heartbeat(Progress& progress);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace sotto::cli
