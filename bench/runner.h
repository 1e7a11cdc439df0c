#pragma once
#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// Times contenders that do the same work. A contender's answer is checked before it is timed; contenders of a task
/// take turns, and the minimum over the turns counts.
namespace sotto::bench {

using Answer = std::vector<double>;

/// Another contender of the same task whose time is the unit, and the ratio that is promised (0: none).
struct Against {
  std::string contender;
  double limit = 0;
};

struct Contender {
  std::string name;
  std::function<Answer()> run;
  std::function<Answer()> expected;  ///< what run() must return up to kTolerance; called once, not timed
  std::vector<Against> against = {};
  std::string note = {};
};

struct Task {
  std::string name;
  std::size_t rows = 0;  ///< rows treated by one run, for the time per row
  std::vector<Contender> contenders = {};
  int most_turns = 1000;  ///< of each contender, where one takes long
};

/// A task by name; its data exist only while it runs.
struct NamedTask {
  std::string name;
  std::function<Task()> make;
};

/// Relative to the Euclidean norm of the expected answer: orders of additions may differ.
inline constexpr double kTolerance = 1e-9;
bool close(const Answer& answer, const Answer& expected);

/// One JSON object a measurement: task, contender, ratio_to, ratio, cpu_ratio, seconds, nanoseconds_per_row, limit,
/// note. `ratio` is of elapsed times and is what limits are about; `cpu_ratio` is of processor times, and where it
/// differs by much the machine was busy with something else. A contender with nothing to compare to has itself as
/// `ratio_to`. Throws std::runtime_error for a wrong answer.
nlohmann::json measure(const Task& task, int repetitions);

/// The same as a table for people.
void print_table(const nlohmann::json& measurements);

}  // namespace sotto::bench
