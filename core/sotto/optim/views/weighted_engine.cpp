#include "sotto/optim/views/weighted_engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

/// Rows at consecutive positions.
class InPlace final : public RowConsumer {
 public:
  InPlace(std::span<const float> weights, RowConsumer& next) : weights_(weights), next_(next) {}
  void consume(const RowBlock& block) noexcept override {
    // More rows than positions are dropped, which whoever counts notices.
    RowBlock part = block.slice(0, std::min(block.rows, weights_.size()));
    part.weights = weights_.data();
    weights_ = weights_.subspan(part.rows);
    next_.consume(part);
  }

 private:
  std::span<const float> weights_;
  RowConsumer& next_;
};

/// Rows at listed positions, which `refill` lists some at a time.
class Gathered : public RowConsumer {
 public:
  Gathered(std::span<const float> weights, RowConsumer& next) : weights_(weights), next_(next) {}
  void consume(const RowBlock& block) noexcept override {
    std::size_t done = 0;
    while (done < block.rows && (!left_.empty() || refill(left_))) {
      const std::size_t count = std::min({block.rows - done, left_.size(), kMax});
      for (std::size_t i = 0; i < count; ++i) chosen_[i] = weights_[left_[i]];
      RowBlock part = block.slice(done, count);
      part.weights = chosen_;
      next_.consume(part);
      left_ = left_.subspan(count);
      done += count;
    }
  }

 protected:
  /// False when there are no more.
  virtual bool refill(std::span<const std::uint64_t>& positions) noexcept = 0;

 private:
  static constexpr std::size_t kMax = 4096;
  std::span<const float> weights_;
  RowConsumer& next_;
  std::span<const std::uint64_t> left_;
  float chosen_[kMax] = {};
};

class AtPositions final : public Gathered {
 public:
  AtPositions(std::span<const float> weights, RowConsumer& next, std::span<const std::uint64_t> positions)
      : Gathered(weights, next), positions_(positions) {}

 private:
  bool refill(std::span<const std::uint64_t>& positions) noexcept override {
    positions = std::exchange(positions_, {});
    return !positions.empty();
  }
  std::span<const std::uint64_t> positions_;
};

class InOrder final : public Gathered {
 public:
  InOrder(std::span<const float> weights, RowConsumer& next, const ScanOrder& order, std::uint32_t pass)
      : Gathered(weights, next),
        order_(order),
        pass_(pass),
        rows_(weights.size()),
        windows_(rows_ > 0 ? order.window_count(rows_) : 0) {
    if (windows_ > 0) order_.window(rows_, pass_, 0, window_);  // no other is larger: nothing allocates later
  }

 private:
  bool refill(std::span<const std::uint64_t>& positions) noexcept override {
    if (index_ == windows_) return false;
    if (index_ > 0) order_.window(rows_, pass_, index_, window_);
    ++index_;
    positions = window_.rows;
    return true;
  }
  const ScanOrder& order_;
  std::uint32_t pass_;
  std::uint64_t rows_;
  std::uint64_t windows_;
  std::uint64_t index_ = 0;
  ScanOrder::Window window_;
};

}  // namespace

WeightedEngine::WeightedEngine(Engine& rows, std::vector<float> weights)
    : RowView(rows), ordered_(rows), weights_(std::move(weights)) {
  require(weights_.size() == rows.facts().rows, "weights",
          "got " + std::to_string(weights_.size()) + ", there are " + std::to_string(rows.facts().rows) + " rows");
  const bool valid = std::ranges::all_of(weights_, [](float weight) { return weight >= 0 && weight <= 1; });
  require(valid, "weights", "must lie between 0 and 1");
}

void WeightedEngine::scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) {
  if (order.kind == ScanOrder::Kind::stored) {
    InPlace weighted(weights_, consumer);
    return ordered_.scan(order, pass, weighted);
  }
  InOrder weighted(weights_, consumer, order, pass);
  ordered_.scan(order, pass, weighted);
}

void WeightedEngine::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  const std::span<const float> all(weights_);
  InPlace weighted(all.subspan(first, count), consumer);
  rows().scan_rows(first, count, weighted);
}

void WeightedEngine::scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const {
  AtPositions weighted(weights_, consumer, positions);
  rows().scan_positions(positions, weighted);
}

}  // namespace sotto
