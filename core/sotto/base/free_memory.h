#pragma once
#include <cstdint>
#include <string>

namespace sotto {

/// The memory a process may take without pushing others out, in bytes: what the system calls available, and no more
/// than the limits of the process's control groups leave (versions 1 and 2; pages of files that are not in use count as
/// free). A function of the machine alone, never of rows. `root` stands before /proc and /sys, for tests.
std::uint64_t free_memory_bytes(const std::string& root = "");

/// The bytes that a parameter `memory_mb` allows. 0 is automatic: one half of the free memory, at most `most_mb` and at
/// least kMinMemoryMb. Throws Error{invalid_argument} for another number below kMinMemoryMb.
inline constexpr std::uint32_t kMinMemoryMb = 8;
inline constexpr std::uint64_t kMemoryShare = 2;  ///< one half
std::uint64_t allowed_memory_bytes(std::uint32_t memory_mb, std::uint64_t most_mb = UINT32_MAX);

}  // namespace sotto
