#pragma once
#include <cstdint>
#include <string>

namespace sotto {

/// Seconds since 1970 as "2026-01-31 23:59:59", UTC.
std::string time_text(std::int64_t seconds);

}  // namespace sotto
