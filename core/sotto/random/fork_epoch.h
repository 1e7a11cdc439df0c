#pragma once
#include <cstdint>

namespace sotto {

/// How often this process and those it descends from forked since the first call. What was drawn ahead of its use, or
/// allowed once, belongs to the process in which this has the value it had then. Cheap.
std::uint64_t fork_epoch() noexcept;

}  // namespace sotto
