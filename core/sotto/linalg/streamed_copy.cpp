#include "sotto/linalg/streamed_copy.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sotto::kernels {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::size_t bytes_to_alignment(const void* address, std::size_t alignment) noexcept {
  return (alignment - reinterpret_cast<std::uintptr_t>(address) % alignment) % alignment;
}

}  // namespace

void streamed_copy(const void* from, void* to, std::size_t bytes) noexcept {
  const hn::ScalableTag<std::uint8_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto* in = static_cast<const std::uint8_t*>(from);
  auto* out = static_cast<std::uint8_t*>(to);
  const std::size_t head = std::min(bytes, bytes_to_alignment(to, lanes));
  std::memcpy(out, in, head);
  std::size_t i = head;
  for (; i + lanes <= bytes; i += lanes) hn::Stream(hn::LoadU(tag, in + i), tag, out + i);
  std::memcpy(out + i, in + i, bytes - i);
  hwy::FlushStream();  // streamed stores are ordered by nothing else, not even by releasing a lock
}

}  // namespace sotto::kernels
