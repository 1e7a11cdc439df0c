#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace sotto {

/// Weights, gradients and sums: always binary64 (spec 5.4).
using Vector = std::vector<double>;

/// An allocator whose memory starts at a cache line.
template <class T>
struct CacheLineAllocator {
  using value_type = T;  // NOLINT(readability-identifier-naming): the allocator requirements name it
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() noexcept = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, kAlignment); }
  bool operator==(const CacheLineAllocator&) const noexcept = default;
};

/// For the vectors a training loop reads and writes at every step. The results do not depend on it, the speed does: at
/// batches of one row, weights that straddle cache lines cost up to half as much again.
using AlignedVector = std::vector<double, CacheLineAllocator<double>>;

}  // namespace sotto
