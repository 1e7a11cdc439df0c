#include "sotto/base/time_text.h"

#include <fmt/format.h>

#include <ctime>

namespace sotto {

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return std::to_string(seconds);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace sotto
