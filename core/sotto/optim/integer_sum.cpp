#include "sotto/optim/integer_sum.h"

#include <algorithm>

namespace sotto {

IntegerSum::IntegerSum(std::size_t size, const RowGrid& grid)
    : grid_(grid), lanes_(size, 0), totals_(grid.narrow ? 0 : size, 0) {}

std::int64_t* IntegerSum::lanes_for(std::uint64_t& rows) noexcept {
  if (totals_.empty()) return lanes_.data();  // all rows of a plan are covered
  if (in_lanes_ == grid_.room) empty_lanes();
  rows = std::min(rows, grid_.room - in_lanes_);
  in_lanes_ += rows;
  return lanes_.data();
}

void IntegerSum::empty_lanes() noexcept {
  for (std::size_t i = 0; i < lanes_.size(); ++i) totals_[i] += lanes_[i];
  std::fill(lanes_.begin(), lanes_.end(), 0);
  in_lanes_ = 0;
}

void IntegerSum::clear() noexcept {
  in_lanes_ = 0;
  std::fill(lanes_.begin(), lanes_.end(), 0);
  std::fill(totals_.begin(), totals_.end(), 0);
}

void IntegerSum::merge(const IntegerSum& other) noexcept {
  if (totals_.empty()) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i] += other.lanes_[i];
    return;
  }
  for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += other.integer(i);
}

Vector IntegerSum::values() const {
  Vector values(size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
  return values;
}

}  // namespace sotto
