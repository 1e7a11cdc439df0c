#pragma once
#include <cstddef>
#include <memory>

#include "sotto/optim/integer_sum.h"
#include "sotto/optim/row_sum.h"

namespace sotto {

/// A sum over rows that is one vector of integers: parts are added coordinate by coordinate. `Sum` is the class that
/// derives from it; its add(block, lanes) adds a few rows.
template <class Sum>
class VectorSum : public RowSum {
 public:
  void consume(const RowBlock& block) noexcept final {
    for (std::uint64_t done = 0; done < block.rows;) {
      std::uint64_t rows = block.rows - done;
      std::int64_t* lanes = sum_.lanes_for(rows);
      static_cast<Sum*>(this)->add(block.slice(done, rows), lanes);
      done += rows;
    }
  }
  std::unique_ptr<RowSum> empty_copy() const final {
    auto copy = std::make_unique<Sum>(static_cast<const Sum&>(*this));
    copy->clear();
    return copy;
  }
  void clear() noexcept final { sum_.clear(); }
  void merge(const RowSum& other) noexcept final { sum_.merge(static_cast<const VectorSum&>(other).sum_); }

 protected:
  VectorSum(std::size_t size, const RowGrid& grid) : sum_(size, grid) {}

  IntegerSum sum_;
};

}  // namespace sotto
