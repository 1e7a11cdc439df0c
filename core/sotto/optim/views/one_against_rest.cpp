#include "sotto/optim/views/one_against_rest.h"

#include <algorithm>

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

Facts OneAgainstRest::facts() const {
  Facts facts = rows().facts();
  facts.classes = 2;
  return facts;
}

void OneAgainstRest::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  Relabel relabel(label_, consumer);
  rows().scan_rows(first, count, relabel);
}

void OneAgainstRest::scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const {
  Relabel relabel(label_, consumer);
  rows().scan_positions(positions, relabel);
}

}  // namespace sotto
