#pragma once
#include <atomic>
#include <cstdint>

namespace sotto {

inline std::atomic<std::uint64_t> fork_count{0};

/// The number of forks of this process and its ancestors since counting began. Bits drawn ahead and rights to draw
/// remember this number. They are valid only in a process where it is unchanged.
inline std::uint64_t fork_epoch() noexcept { return fork_count.load(std::memory_order_relaxed); }

/// Starts counting forks; every BitSource calls it. Returns false if the system cannot count them.
bool count_forks() noexcept;

}  // namespace sotto
