#include "sotto/optim/views/some_rows.h"

#include <algorithm>

namespace sotto {

SomeRows::SomeRows(const Engine& rows)
    : RowView(rows), run_(std::max<std::uint64_t>(128, rows.facts().rows / (64 * kStride))) {}

Facts SomeRows::facts() const {
  Facts facts = rows().facts();
  const std::uint64_t rest = facts.rows % (kStride * run_);
  facts.rows = facts.rows / (kStride * run_) * run_ + std::min(rest, run_);
  return facts;
}

void SomeRows::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  for (const std::uint64_t end = first + count; first < end;) {
    const std::uint64_t within = first % run_, some = std::min(run_ - within, end - first);
    rows().scan_rows(first / run_ * kStride * run_ + within, some, consumer);
    first += some;
  }
}

}  // namespace sotto
