#pragma once
#include <sys/types.h>

#include <cstdio>
#include <string>

namespace sotto::bench {

/// A Python process that answers one line with one number, so that its start and imports are not timed.
class PythonPeer {
 public:
  explicit PythonPeer(const std::string& program);
  ~PythonPeer();
  PythonPeer(const PythonPeer&) = delete;
  PythonPeer& operator=(const PythonPeer&) = delete;
  /// False if it could not start or import what it needs.
  bool ready() const noexcept { return ready_; }
  double ask(const std::string& line);

 private:
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  pid_t process_ = -1;
  bool ready_ = false;
};

}  // namespace sotto::bench
