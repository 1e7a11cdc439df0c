#pragma once
#include <atomic>
#include <cstdint>

namespace sotto {

inline std::atomic<std::uint64_t> fork_count{0};

/// How often this process and those it descends from forked since they were first counted. What was drawn ahead of its
/// use, or allowed once, belongs to the process in which this has the value it had then.
inline std::uint64_t fork_epoch() noexcept { return fork_count.load(std::memory_order_relaxed); }

/// Forks are counted from now on; every BitSource sees to it. False where the system cannot.
bool count_forks() noexcept;

}  // namespace sotto
