#include "sotto/optim/compensated_gradient.h"

#include <algorithm>

#include "sotto/linalg/kernels.h"

namespace sotto {

CompensatedGradient::CompensatedGradient(const Loss& loss, const Facts& facts)
    : gradients_(loss, facts),
      plain_(gradients_.weights(), 0.0),
      high_(gradients_.weights(), 0.0),
      low_(gradients_.weights(), 0.0) {}

void CompensatedGradient::start(std::span<const double> weights) noexcept {
  weights_ = weights.data();
  clear();
}

// Runs of kPlainRows are counted from where the sum began, so that they do not depend on how rows are blocked.
void CompensatedGradient::consume(const RowBlock& block) noexcept {
  for (std::size_t done = 0; done < block.rows;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block.rows - done, kPlainRows - plain_rows_));
    gradients_.add(block.slice(done, count), weights_, plain_.data());
    done += count;
    plain_rows_ += count;
    if (plain_rows_ == kPlainRows) flush();
  }
}

void CompensatedGradient::flush() noexcept {
  if (plain_rows_ == 0) return;
  kernels::add_exactly(plain_.data(), high_.data(), low_.data(), plain_.size());
  std::fill(plain_.begin(), plain_.end(), 0.0);
  plain_rows_ = 0;
}

std::unique_ptr<RowSum> CompensatedGradient::empty_copy() const {
  auto copy = std::make_unique<CompensatedGradient>(*this);
  copy->clear();
  return copy;
}

void CompensatedGradient::clear() noexcept {
  plain_rows_ = 0;
  for (AlignedVector* sum : {&plain_, &high_, &low_}) std::fill(sum->begin(), sum->end(), 0.0);
}

void CompensatedGradient::merge(const RowSum& other) noexcept {
  const auto& part = static_cast<const CompensatedGradient&>(other);
  flush();
  const std::size_t size = high_.size();
  kernels::add_exactly(part.high_.data(), high_.data(), low_.data(), size);
  kernels::axpy(1, part.low_.data(), low_.data(), size);
  if (part.plain_rows_ > 0) kernels::add_exactly(part.plain_.data(), high_.data(), low_.data(), size);
}

void CompensatedGradient::total(std::span<double> out) const noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = high_[i] + low_[i];
}

}  // namespace sotto
