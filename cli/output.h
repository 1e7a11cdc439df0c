#pragma once
#include <string>

namespace sotto::cli {

/// What every verb shares: whether the answer is one JSON object, and where text goes.
struct Output {
  bool json = false;
  int exit_code = 0;  ///< of a verb that ran to its end
  /// Prints to standard output, with a line end.
  void print(const std::string& text) const;
};

/// A progress bar on the terminal for work that lasts over two seconds; silent when standard error is not a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `fraction` of the work done, 0 to 1.
  void update(double fraction);

 private:
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  int last_percent_ = -1;
  double started_;
};

}  // namespace sotto::cli
