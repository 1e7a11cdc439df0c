#pragma once
#include <cstddef>

namespace sotto::kernels {

/// Copies past the caches, for memory that another processor reads next and this one does not: an ordinary store
/// would first fetch each line back from the reader's cache. Visible to a thread that synchronises with the caller
/// after the call.
void streamed_copy(const void* from, void* to, std::size_t bytes) noexcept;

}  // namespace sotto::kernels
