#include "runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace sotto::bench {
namespace {

using Seconds = std::map<std::string, double>;

double seconds_of(const Contender& contender) {
  const auto start = std::chrono::steady_clock::now();
  contender.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void check_answers(const Task& task) {
  for (const Contender& contender : task.contenders) {
    if (!close(contender.run(), contender.expected())) {
      throw std::runtime_error(fmt::format("{}: the answer of {} is wrong", task.name, contender.name));
    }
  }
}

Seconds fastest(const Task& task, int repetitions) {
  Seconds minimum;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const Contender& contender : task.contenders) {
      const double seconds = seconds_of(contender);
      const auto [entry, first] = minimum.try_emplace(contender.name, seconds);
      if (!first) entry->second = std::min(entry->second, seconds);
    }
  }
  return minimum;
}

nlohmann::json measurement(const Task& task, const Contender& contender, const Against& against,
                           const Seconds& minimum) {
  const auto unit = minimum.find(against.contender);
  if (unit == minimum.end()) {
    throw std::runtime_error(
        fmt::format("{}: {} is compared to {}, which is no contender", task.name, contender.name, against.contender));
  }
  const double seconds = minimum.at(contender.name);
  nlohmann::json result = {{"task", task.name},
                           {"contender", contender.name},
                           {"ratio_to", against.contender},
                           {"ratio", seconds / unit->second},
                           {"seconds", seconds},
                           {"nanoseconds_per_row", 1e9 * seconds / static_cast<double>(task.rows)},
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
  const Seconds minimum = fastest(task, repetitions);
  nlohmann::json results = nlohmann::json::array();
  for (const Contender& contender : task.contenders) {
    if (contender.against.empty()) results.push_back(measurement(task, contender, {contender.name}, minimum));
    for (const Against& against : contender.against) {
      results.push_back(measurement(task, contender, against, minimum));
    }
  }
  return results;
}

void print_table(const nlohmann::json& measurements) {
  for (const nlohmann::json& m : measurements) {
    const double limit = m.value("limit", 0.0);
    const double ratio = m.at("ratio").get<double>();
    const std::string promise = limit > 0 ? fmt::format("{} {:.2f}", ratio <= limit ? "within" : "OVER", limit) : "";
    fmt::print("{:<13} {:<28} {:>8.2f} ns/row {:>8.3f} x {:<28} {:<12} {}\n", m.at("task").get<std::string>(),
               m.at("contender").get<std::string>(), m.at("nanoseconds_per_row").get<double>(), ratio,
               m.at("ratio_to").get<std::string>(), promise, m.at("note").get<std::string>());
  }
}

}  // namespace sotto::bench
