#pragma once
#include <cmath>

#include "sotto/random/lazy_normal.h"

namespace sotto {

/// Gamma of shape >= 1 and scale 1 as an exact function of lazily extended uniforms [MarsagliaTsang00]:
/// a t^3 with a = shape - 1/3, t = 1 + x / sqrt(9 a), x the cosine normal of a pair; accepted if t > 0 and
/// ln w < x^2/2 + a (1 - t^3 + 3 ln t), w a further uniform.
/// Squeeze: with s = t - 1 the right side is 3a (ln(1 + s) - s + s^2/2 - s^3/3) = -3a (s^4/4 - s^5/5 + ...), for
/// |s| <= 1/2 at least -3a s^4/2 = -x^4 / (54 a); so w < 1 - x^4 / (54 a) surely accepts.
class LazyGamma {
 public:
  /// What depends on the shape alone.
  struct Shape {
    Shape(double value) noexcept  // NOLINT(google-explicit-constructor): a shape is a number
        : shape(value), shift(shape - 1.0 / 3.0), slope(1.0 / std::sqrt(9.0 * shift)), squeeze(slope * slope / 6.0) {}
    double shape;
    double shift;    ///< a
    double slope;    ///< 1 / sqrt(9 a)
    double squeeze;  ///< 1 / (54 a)
  };

  /// `x` approximates the cosine normal of `pair` with error at most `x_error` (a NaN says nothing).
  LazyGamma(const Shape& shape, const LazyPair& pair, double x, double x_error) noexcept : shape_(shape), pair_(pair) {
    set_normal(x, x_error);
  }

  /// True if the uniform that begins with the 63 digits of `w` surely accepts: almost always unless the shape is small.
  bool squeezed(std::uint64_t w) const noexcept {
    // Where the right side is positive it is right to 2^-36 if x is right to kPairError. NaN is refused.
    const double x2 = normal_ * normal_;
    return std::abs(root_ - 1.0) <= 0.4999 &&
           static_cast<double>(w) * 0x1p-63 < 1.0 - x2 * x2 * shape_.squeeze - 0x1p-34;
  }

  /// Draws until accepted; `w` as above is the first uniform.
  template <class Digits>
  void settle(Digits& digits, std::uint64_t w_lead) {
    while (!squeezed(w_lead)) {
      LazyDigits w(w_lead, 63);
      Verdict verdict = judge(w);
      if (verdict == Verdict::close) {
        refine(digits);
        verdict = judge(w);
      }
      if (verdict == Verdict::close) {
        pair_.extend(digits, LazyDigits::kWords);
        w.extend(digits, LazyDigits::kWords);
        verdict = judge_precisely(w);
      }
      if (verdict == Verdict::accepted) return;
      const std::uint64_t u = digits.next() >> 16;
      pair_ = LazyPair(u, digits.next() >> 16);
      refined_ = false;
      refine(digits);
      w_lead = digits.next() >> 1;
    }
  }

  /// Makes t as good as binary64 allows.
  template <class Digits>
  void refine(Digits& digits) {
    if (refined_) return;
    refined_ = true;
    pair_.extend(digits, 1);
    const LazyPair::Rounded normal = pair_.rounded();
    set_normal(normal.cosine, normal.error);
  }

  double rounded() const noexcept { return shape_.shift * root_ * root_ * root_; }
  /// Bound on the relative error of rounded(); infinite if binary64 says nothing.
  double relative_error() const noexcept {
    if (root_ > 0.25) return 16.0 * root_error_ + 0x1p-50;  // almost always; saves the division
    return root_ > 8.0 * root_error_ ? 4.0 * root_error_ / root_ + 0x1p-50 : HUGE_VAL;
  }

  template <class Digits>
  Precise precise(Digits& digits) {
    pair_.extend(digits, LazyDigits::kWords);
    return value();
  }

 private:
  enum class Verdict { accepted, rejected, close };

  void set_normal(double x, double error) noexcept {
    normal_ = x;
    normal_error_ = error;
    root_ = 1.0 + shape_.slope * x;
    root_error_ = shape_.slope * error + 0x1p-49;  // |slope x| < 4, four roundings
  }
  Verdict judge(const LazyDigits& w) const noexcept;
  Verdict judge_precisely(const LazyDigits& w) const;
  Precise value() const;

  Shape shape_;
  double normal_ = 0.0;
  double normal_error_ = 0.0;
  double root_ = 1.0;  ///< t
  double root_error_ = 0.0;
  bool refined_ = false;
  LazyPair pair_;
};

}  // namespace sotto
