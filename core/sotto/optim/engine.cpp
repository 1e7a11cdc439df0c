#include "sotto/optim/engine.h"

namespace sotto {

void Engine::scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const {
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t end = i + 1;
    while (end < positions.size() && positions[end] == positions[i] + (end - i)) ++end;
    scan_rows(positions[i], end - i, consumer);
    i = end;
  }
}

}  // namespace sotto
