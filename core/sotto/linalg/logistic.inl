// Included once for each instruction set (kernels.cpp): logistic_slope() and logistic_value() of exp.h on vectors,
// operation by operation.
#if defined(SOTTO_LINALG_LOGISTIC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_LOGISTIC_INL
#undef SOTTO_LINALG_LOGISTIC_INL
#else
#define SOTTO_LINALG_LOGISTIC_INL
#endif

#include "sotto/linalg/exp.inl"
#include "sotto/linalg/simd.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

struct LogisticValues {
  const double* margins;
  double* values;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto margin = hn::LoadU(d, margins + i);
    const auto small = log1p_units(d, exp_negatives(d, hn::Neg(hn::Abs(margin))));
    const auto wrong = hn::IfThenElseZero(hn::Lt(margin, hn::Zero(d)), hn::Neg(margin));
    hn::StoreU(hn::Add(small, wrong), d, values + i);
  }
};

void logistic_values(const double* margins, std::size_t n, double* values) noexcept {
  sweep(Doubles(), LogisticValues{margins, values}, 0, n);
}

struct LogisticSlopes {
  const double* margins;
  double* slopes;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i) const {
    const auto margin = hn::LoadU(d, margins + i);
    const auto one = hn::Set(d, 1.0);
    const auto e = exp_negatives(d, hn::Neg(hn::Abs(margin)));
    const auto numerator = hn::IfThenElse(hn::Lt(margin, hn::Zero(d)), one, e);
    hn::StoreU(hn::Neg(hn::Div(numerator, hn::Add(one, e))), d, slopes + i);
  }
};

void logistic_slopes(const double* margins, std::size_t n, double* slopes) noexcept {
  sweep(Doubles(), LogisticSlopes{margins, slopes}, 0, n);
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
