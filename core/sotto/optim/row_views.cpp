#include "sotto/optim/row_views.h"

#include <algorithm>

#include "sotto/optim/row_sum.h"

namespace sotto {
namespace {

/// Passes rows on with labels for one class.
class Relabel final : public RowConsumer {
 public:
  Relabel(float label, RowConsumer& to) : label_(label), to_(to) {}
  void consume(const RowBlock& block) noexcept override {
    float labels[kAtOnce];
    for (std::size_t done = 0; done < block.rows; done += kAtOnce) {
      RowBlock part = block.slice(done, std::min(kAtOnce, block.rows - done));
      for (std::size_t i = 0; i < part.rows; ++i) labels[i] = part.labels[i] == label_ ? 1.0F : -1.0F;
      part.labels = labels;
      to_.consume(part);
    }
  }

 private:
  static constexpr std::size_t kAtOnce = 256;
  float label_;
  RowConsumer& to_;
};

}  // namespace

void RowView::scan(const ScanOrder& /*order*/, std::uint32_t /*pass*/, RowConsumer& consumer) {
  scan_rows(0, facts().rows, consumer);
}

SomeRows::SomeRows(const Engine& rows) : RowView(rows), run_(rows_in_part(rows.facts().rows) / kStride) {}

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

Facts OneAgainstRest::facts() const {
  Facts facts = rows().facts();
  facts.classes = 2;
  return facts;
}

void OneAgainstRest::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  Relabel relabel(label_, consumer);
  rows().scan_rows(first, count, relabel);
}

}  // namespace sotto
