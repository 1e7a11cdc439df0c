#include "sotto/base/free_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// The number a file begins with; nothing where it has none, as for "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// The number after `name` in a file of lines "name number".
std::optional<std::uint64_t> number_after(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t value = 0;
    if (words >> word && word == name && words >> value) return value;
  }
  return std::nullopt;
}

std::uint64_t available(const std::string& root) {
  const auto kilobytes = number_after(root + "/proc/meminfo", "MemAvailable:");
  return kilobytes ? *kilobytes * 1024 : kUnknown;
}

struct GroupFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  ///< in memory.stat
};

/// What one group leaves: its limit less what is used and cannot be taken back.
std::uint64_t left_in(const std::string& folder, const GroupFiles& names) {
  const auto limit = number_in(folder + "/" + names.limit);
  if (!limit) return kUnknown;
  const std::uint64_t used = number_in(folder + "/" + names.used).value_or(0);
  const std::uint64_t files = number_after(folder + "/memory.stat", names.reclaimable).value_or(0);
  const std::uint64_t held = used - std::min(used, files);
  return *limit - std::min(*limit, held);
}

/// The least that a group and those it lies in leave. Inside a container the path may be one of the host's, which is
/// not there; the top is then the container's own group.
std::uint64_t left_on_the_way_up(const std::string& top, std::string path, const GroupFiles& names) {
  std::uint64_t least = kUnknown;
  for (;;) {
    least = std::min(least, left_in(top + path, names));
    const std::size_t slash = path.rfind('/');
    if (path.empty() || slash == path.npos) return least;
    path.resize(slash);
  }
}

std::uint64_t left_by_groups(const std::string& root) {
  constexpr GroupFiles kFirst{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
  constexpr GroupFiles kSecond{"memory.max", "memory.current", "inactive_file"};
  std::uint64_t least = kUnknown;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // number:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, left_on_the_way_up(root + "/sys/fs/cgroup", path, kSecond));
    if (controllers.find(",memory,") != controllers.npos) {
      least = std::min(least, left_on_the_way_up(root + "/sys/fs/cgroup/memory", path, kFirst));
    }
  }
  return least;
}

}  // namespace

std::uint64_t free_memory_bytes(const std::string& root) {
  const std::uint64_t free = std::min(available(root), left_by_groups(root));
  return free == kUnknown ? 0 : free;
}

std::uint64_t allowed_memory_bytes(std::uint32_t memory_mb, std::uint64_t most_mb) {
  if (memory_mb == 0) {
    return std::clamp(free_memory_bytes() / kMemoryShare, std::uint64_t{kMinMemoryMb} << 20U, most_mb << 20U);
  }
  require(memory_mb >= kMinMemoryMb, "memory_mb",
          "got " + std::to_string(memory_mb) + ", must be at least " + std::to_string(kMinMemoryMb) +
              ", or 0 for a share of the free memory");
  return std::uint64_t{memory_mb} << 20U;
}

}  // namespace sotto
