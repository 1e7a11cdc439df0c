#include "runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace sotto::bench {
namespace {

/// Elapsed and processor time, each the least of all turns.
struct Times {
  double elapsed = std::numeric_limits<double>::infinity();
  double processor = std::numeric_limits<double>::infinity();
};
using Fastest = std::map<std::string, Times>;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void take_turn(const Contender& contender, Times& best) {
  const auto start = std::chrono::steady_clock::now();
  const double processor_start = processor_seconds();
  contender.run();
  best.processor = std::min(best.processor, processor_seconds() - processor_start);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  best.elapsed = std::min(best.elapsed, elapsed.count());
}

void check_answers(const Task& task) {
  for (const Contender& contender : task.contenders) {
    if (!close(contender.run(), contender.expected())) {
      throw std::runtime_error(fmt::format("{}: the answer of {} is wrong", task.name, contender.name));
    }
  }
}

Fastest fastest(const Task& task, int repetitions) {
  Fastest best;
  for (int repetition = 0; repetition < std::min(repetitions, task.most_turns); ++repetition) {
    for (const Contender& contender : task.contenders) take_turn(contender, best[contender.name]);
  }
  return best;
}

nlohmann::json measurement(const Task& task, const Contender& contender, const Against& against, const Fastest& best) {
  const auto unit = best.find(against.contender);
  if (unit == best.end()) {
    throw std::runtime_error(
        fmt::format("{}: {} is compared to {}, which is no contender", task.name, contender.name, against.contender));
  }
  const Times& times = best.at(contender.name);
  nlohmann::json result = {{"task", task.name},
                           {"contender", contender.name},
                           {"ratio_to", against.contender},
                           {"ratio", times.elapsed / unit->second.elapsed},
                           {"cpu_ratio", times.processor / unit->second.processor},
                           {"seconds", times.elapsed},
                           {"nanoseconds_per_row", 1e9 * times.elapsed / static_cast<double>(task.rows)},
                           {"note", contender.note}};
  if (against.limit > 0) result["limit"] = against.limit;
  return result;
}

}  // namespace

bool close(const Answer& answer, const Answer& expected) {
  if (answer.size() != expected.size()) return false;
  double distance = 0;
  double size = 0;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    distance += (answer[i] - expected[i]) * (answer[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(distance) <= kTolerance * std::sqrt(size);
}

nlohmann::json measure(const Task& task, int repetitions) {
  check_answers(task);
  const Fastest best = fastest(task, repetitions);
  nlohmann::json results = nlohmann::json::array();
  for (const Contender& contender : task.contenders) {
    if (contender.against.empty()) results.push_back(measurement(task, contender, {contender.name}, best));
    for (const Against& against : contender.against) {
      results.push_back(measurement(task, contender, against, best));
    }
  }
  return results;
}

void print_table(const nlohmann::json& measurements) {
  for (const nlohmann::json& m : measurements) {
    const double limit = m.value("limit", 0.0);
    const double ratio = m.at("ratio").get<double>();
    const std::string promise = limit > 0 ? fmt::format("{} {:.2f}", ratio <= limit ? "within" : "OVER", limit) : "";
    fmt::print("{:<13} {:<28} {:>8.2f} ns/row {:>7.3f} (cpu {:>6.3f}) x {:<28} {:<12} {}\n",
               m.at("task").get<std::string>(), m.at("contender").get<std::string>(),
               m.at("nanoseconds_per_row").get<double>(), ratio, m.at("cpu_ratio").get<double>(),
               m.at("ratio_to").get<std::string>(), promise, m.at("note").get<std::string>());
  }
}

}  // namespace sotto::bench
