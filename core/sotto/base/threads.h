#pragma once

namespace sotto {

/// How many threads a computation may use, the caller's included, that would like `wanted` of them (0: one a
/// processor). Results have the same bits for any number.
unsigned allowed_threads(unsigned wanted = 0) noexcept;

/// For hosts that must stay single-threaded: a database server's process handles its signals in one thread and lets
/// only that one call it. `most` = 1: no thread is ever started. 0 takes the limit off. Holds for the whole process.
void limit_threads(unsigned most) noexcept;

}  // namespace sotto
