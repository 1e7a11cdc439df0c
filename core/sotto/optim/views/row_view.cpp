#include "sotto/optim/views/row_view.h"

namespace sotto {

void RowView::scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) {
  const std::uint64_t count = facts().rows;
  if (order.kind == ScanOrder::Kind::stored) return scan_rows(0, count, consumer);
  ScanOrder::Window window;
  const std::uint64_t windows = order.window_count(count);
  for (std::uint64_t w = 0; w < windows; ++w) {
    order.window(count, pass, w, window);
    for (const std::uint64_t position : window.rows) scan_rows(position, 1, consumer);
  }
}

}  // namespace sotto
