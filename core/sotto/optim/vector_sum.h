#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/row_sum.h"

namespace sotto {

/// A sum over rows that is one vector: parts are added coordinate by coordinate. `Sum` is the class that derives from
/// it.
template <class Sum>
class VectorSum : public RowSum {
 public:
  std::unique_ptr<RowSum> empty_copy() const override {
    auto copy = std::make_unique<Sum>(static_cast<const Sum&>(*this));
    copy->clear();
    return copy;
  }
  void clear() noexcept override { std::fill(sum_.begin(), sum_.end(), 0.0); }
  void merge(const RowSum& other) noexcept override {
    kernels::axpy(1.0, static_cast<const VectorSum&>(other).sum_.data(), sum_.data(), sum_.size());
  }

 protected:
  explicit VectorSum(std::size_t size) : sum_(size, 0.0) {}

  AlignedVector sum_;
};

}  // namespace sotto
