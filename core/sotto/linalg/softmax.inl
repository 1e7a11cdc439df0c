// Included once for each instruction set (kernels.cpp): value and slopes of losses/softmax.h for the rows of a block at
// once, operation by operation.
#if defined(SOTTO_LINALG_SOFTMAX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_SOFTMAX_INL
#undef SOTTO_LINALG_SOFTMAX_INL
#else
#define SOTTO_LINALG_SOFTMAX_INL
#endif

#include "sotto/linalg/exp.inl"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/simd.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

/// Of some rows the largest score, as std::max_element finds it: one that is not a number stays if it is the first.
template <class D>
HWY_INLINE hn::Vec<D> largest_scores(D d, const ClassScores& block, std::size_t i) {
  auto top = hn::LoadU(d, block.scores + i);
  for (std::size_t k = 1; k < block.classes; ++k) {
    const auto score = hn::LoadU(d, block.scores + k * block.stride + i);
    top = hn::IfThenElse(hn::Lt(top, score), score, top);
  }
  return top;
}

struct SoftmaxValues {
  ClassScores block;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto top = largest_scores(d, block, i);
    const auto label = hn::LoadU(d, block.labels + i);
    auto own = top;
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < block.classes; ++k) {
      const auto score = hn::LoadU(d, block.scores + k * block.stride + i);
      own = hn::IfThenElse(hn::Eq(label, hn::Set(d, static_cast<double>(k))), score, own);
      sum = hn::Add(sum, exp_negatives(d, hn::Sub(score, top)));
    }
    hn::StoreU(hn::Add(logs_from_one(d, sum), hn::Sub(top, own)), d, block.scores + i);
  }
};

void softmax_values(const ClassScores& block) noexcept { sweep(Doubles(), SoftmaxValues{block}, 0, block.rows); }

struct SoftmaxSlopes {
  ClassScores block;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto top = largest_scores(d, block, i);
    const auto label = hn::LoadU(d, block.labels + i);
    const auto one = hn::Set(d, 1.0);
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < block.classes; ++k) {
      double* score = block.scores + k * block.stride + i;
      const auto share = exp_negatives(d, hn::Sub(hn::LoadU(d, score), top));
      hn::StoreU(share, d, score);
      sum = hn::Add(sum, share);
    }
    sum = hn::IfThenElse(hn::Lt(sum, one), one, sum);
    for (std::size_t k = 0; k < block.classes; ++k) {
      double* score = block.scores + k * block.stride + i;
      const auto share = hn::Div(hn::LoadU(d, score), sum);
      const auto own = hn::Eq(label, hn::Set(d, static_cast<double>(k)));
      hn::StoreU(hn::Sub(share, hn::IfThenElseZero(own, one)), d, score);
    }
  }
};

void softmax_slopes(const ClassScores& block) noexcept { sweep(Doubles(), SoftmaxSlopes{block}, 0, block.rows); }

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
