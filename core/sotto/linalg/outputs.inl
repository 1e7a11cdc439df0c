// Included once for each instruction set (kernels.cpp): dense rows against several weight vectors at once. A row is
// read and promoted once for all of them, and eights of its columns that are 0 are passed over: images are mostly
// margin. That changes no bit. A lane starts at +0 and can never become -0, so adding 0 would keep it (dot.inl); nor
// can a sum of gradients.
#if defined(SOTTO_LINALG_OUTPUTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_OUTPUTS_INL
#undef SOTTO_LINALG_OUTPUTS_INL
#else
#define SOTTO_LINALG_OUTPUTS_INL
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "sotto/linalg/dot.inl"
#include "sotto/linalg/kernels.h"
#include "sotto/linalg/simd.inl"
#include "sotto/linalg/update.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

inline constexpr std::size_t kEight = kLanes / 2;            ///< columns that are passed over together
inline constexpr std::size_t kEightParts = kEight / kWidth;  ///< vectors of them
/// Outputs whose sums stay in registers. Of scores fewer: the weights of a tile should stay in the nearest cache.
inline constexpr std::size_t kGradientTile = kEightParts > 4 ? 1 : 10 / kEightParts;
inline constexpr std::size_t kScoreTile = kEightParts == 1 ? 5 : kEightParts == 2 ? 4 : kEightParts == 4 ? 2 : 1;
inline constexpr std::size_t kGroup = 64;        ///< rows that read such a tile one after the other
inline constexpr std::size_t kMinPacking = 8;    ///< of them, so that packing the tile is worth it
inline constexpr std::size_t kMaxPacked = 2048;  ///< columns
inline constexpr std::size_t kListed = 512;      ///< the most eights of a row, and the most rows of one sum

HWY_INLINE std::size_t any_of_eight(const float* x) {
  const hn::CappedTag<float, kEight> d;
  bool any = false;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kEight; i += hn::MaxLanes(d)) {
    any |= !hn::AllFalse(d, hn::Ne(hn::LoadU(d, x + i), hn::Zero(d)));
  }
  return any ? 1 : 0;
}

/// Where the eights of columns of a row are that are not all 0: those of the lower lanes and those of the upper.
struct Filled {
  std::uint16_t at[2][kMaxPacked / kEight / 2 + 1];
  std::size_t count[2];
};
HWY_INLINE void find_filled(const float* x, std::size_t n, Filled& filled) {
  std::size_t low = 0, high = 0;
  const auto list = [&](std::size_t half, std::size_t& count, std::size_t i) HWY_ATTR {
    filled.at[half][count] = static_cast<std::uint16_t>(i);
    count += any_of_eight(x + i);
  };
  std::size_t i = 0;
  for (; i + 2 * kEight <= n; i += 2 * kEight) {
    list(0, low, i);
    list(1, high, i + kEight);
  }
  if (i + kEight <= n) list(0, low, i);
  filled.count[0] = low;
  filled.count[1] = high;
}

/// Eight columns of kCount weight vectors after each other, aligned, the last eight filled up with zeros: lines of the
/// cache are then read whole.
template <std::size_t kCount>
HWY_INLINE void pack_weights(const double* w, std::size_t n, double* packed) {
  const Doubles d;
  for (std::size_t i = 0; i < n; i += kEight) {
    for (std::size_t k = 0; k < kCount; ++k, packed += kEight) {
      const double* from = w + k * n + i;
#pragma GCC unroll 8
      for (std::size_t part = 0; part < kEight; part += kWidth) {
        const std::size_t left = n - std::min(n, i + part);
        hn::Store(left >= kWidth ? load(d, from + part) : load_first(d, from + part, left), d, packed + part);
      }
    }
  }
}

/// Where weights are read: `at` gives those of output k for the columns from `first` on, `rest` the last ones, fewer
/// than a vector, then zeros.
template <std::size_t kCount>
struct PackedWeights {
  const double* packed;
  HWY_INLINE Vector at(std::size_t k, std::size_t first) const {
    return hn::Load(Doubles(), packed + first / kEight * (kEight * kCount) + k * kEight + first % kEight);
  }
  HWY_INLINE Vector rest(std::size_t k, std::size_t first, std::size_t /*left*/) const { return at(k, first); }
};
struct PlainWeights {
  const double* w;
  std::size_t n;
  HWY_INLINE Vector at(std::size_t k, std::size_t first) const { return load(Doubles(), w + k * n + first); }
  HWY_INLINE Vector rest(std::size_t k, std::size_t first, std::size_t left) const {
    return load_first(Doubles(), w + k * n + first, left);
  }
};

/// The dot products of one row with kCount weight vectors.
template <std::size_t kCount, class Weights>
HWY_INLINE void dots_of_row(const float* x, std::size_t n, const Filled& filled, const Weights& weights, double* out,
                            std::size_t stride) {
  const Doubles d;
  Vector sums[kCount][kParts];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kCount; ++k) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kParts; ++part) sums[k][part] = hn::Zero(d);
  }
#pragma GCC unroll 2
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t lane = half * kEightParts;
    for (std::size_t f = 0; f < filled.count[half]; ++f) {
#pragma GCC unroll 16
      for (std::size_t part = 0; part < kEightParts; ++part) {
        const std::size_t first = filled.at[half][f] + part * kWidth;
        const Vector values = load(d, x + first);
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kCount; ++k) {
          sums[k][lane + part] = hn::Add(sums[k][lane + part], hn::Mul(values, weights.at(k, first)));
        }
      }
    }
    // What is left of the last, unfinished eight.
    const std::size_t tail = n / kEight * kEight;
    if (tail / kEight % 2 != half) continue;
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kEightParts; ++part) {
      const std::size_t first = tail + part * kWidth;
      if (first >= n) break;
      const bool whole = first + kWidth <= n;
      const Vector values = whole ? load(d, x + first) : load_first(d, x + first, n - first);
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kCount; ++k) {
        const Vector own = whole ? weights.at(k, first) : weights.rest(k, first, n - first);
        sums[k][lane + part] = hn::Add(sums[k][lane + part], hn::Mul(values, own));
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kCount; ++k) out[k * stride] = fold_lanes(d, fold_parts(sums[k]));
}

/// Outputs [k, outputs), as many at a time as there are registers for.
template <std::size_t kCount, class Visit>
HWY_INLINE void for_tiles(std::size_t k, std::size_t outputs, const Visit& visit) {
  for (; k + kCount <= outputs; k += kCount) visit(std::integral_constant<std::size_t, kCount>(), k);
  if constexpr (kCount > 1) for_tiles<kCount / 2>(k, outputs, visit);
}

void dots_of_outputs(const DenseRows& rows, const double* w, std::size_t outputs, double* out,
                     std::size_t stride) noexcept {
  const std::size_t n = rows.features;
  // By the columns alone: what is 0 is passed over for any number of rows, or for none. It matters where a weight is
  // infinite.
  if (n > kMaxPacked) {
    for (std::size_t k = 0; k < outputs; ++k) dots(rows.dense, rows.rows, n, w + k * n, out + k * stride);
    return;
  }
  alignas(64) double packed[kScoreTile * kMaxPacked];
  Filled filled[kGroup];
  for (std::size_t first = 0; first < rows.rows; first += kGroup) {
    const std::size_t count = std::min(kGroup, rows.rows - first);
    const float* x = rows.dense + first * n;
    for (std::size_t row = 0; row < count; ++row) find_filled(x + row * n, n, filled[row]);
    const float* ahead = x + count * n;
    for_tiles<kScoreTile>(0, outputs, [&](auto tile, std::size_t k) HWY_ATTR {
      // Long rows: a tile fetches its share of the group behind this one.
      const std::size_t lines = n < kLongRow ? 0 : (n * tile() + kLine * outputs - 1) / (kLine * outputs);
      const auto visit = [&](const auto& weights) HWY_ATTR {
        for (std::size_t row = 0; row < count; ++row) {
          for (std::size_t line = 0; line < lines; ++line, ahead += kLine) fetch_ahead<kLine>(ahead);
          dots_of_row<tile()>(x + row * n, n, filled[row], weights, out + k * stride + first + row, stride);
        }
      };
      if (count < kMinPacking) return visit(PlainWeights{w + k * n, n});
      pack_weights<tile()>(w + k * n, n, packed);
      visit(PackedWeights<tile()>{packed});
    });
  }
}

/// Adds the listed rows, at eight columns or fewer, to the sums of kCount outputs.
struct Listed {
  const float* x;  ///< the columns, in the first row
  std::size_t stride;
  const std::uint32_t* at;
  std::size_t count;
};
template <std::size_t kCount, class How>
HWY_INLINE void add_listed(const Listed& rows, const double* coefficients, std::size_t stride, typename How::Number* g,
                           std::size_t features) {
  const Doubles d;
  const typename How::template Tag<Doubles> numbers;
  hn::Vec<typename How::template Tag<Doubles>> sums[kCount][kEightParts];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kCount; ++k) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kEightParts; ++part) {
      sums[k][part] = load(numbers, g + k * features + part * kWidth);
    }
  }
  for (std::size_t f = 0; f < rows.count; ++f) {
    const std::size_t row = rows.at[f];
    const float* x = rows.x + row * rows.stride;
    Vector values[kEightParts];
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kEightParts; ++part) values[part] = load(d, x + part * kWidth);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < kCount; ++k) {
      const Vector coefficient = hn::Set(d, coefficients[k * stride + row]);
#pragma GCC unroll 16
      for (std::size_t part = 0; part < kEightParts; ++part) {
        sums[k][part] = How::add(d, sums[k][part], hn::Mul(coefficient, values[part]));
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kCount; ++k) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kEightParts; ++part) {
      hn::StoreU(How::finish(d, sums[k][part], rows.count), numbers, g + k * features + part * kWidth);
    }
  }
}

HWY_INLINE void add_row(double a, const float* x, double* g, std::size_t n) { axpy_float(a, x, g, n); }
HWY_INLINE void add_row(double a, const float* x, std::int64_t* sums, std::size_t n) {
  add_rounded_float(a, x, sums, n);
}

template <class How>
HWY_INLINE void accumulate_outputs_as(const double* coefficients, std::size_t stride, const DenseRows& rows,
                                      std::size_t outputs, typename How::Number* g) {
  const std::size_t n = rows.features;
  const std::size_t even = n / kEight * kEight;
  for (std::size_t done = 0; done < rows.rows; done += kListed) {
    const std::size_t count = std::min(kListed, rows.rows - done);
    const float* dense = rows.dense + done * n;
    for (std::size_t i = 0; i < even; i += kEight) {
      std::uint32_t at[kListed];
      Listed listed{dense + i, n, at, 0};
      for (std::size_t row = 0; row < count; ++row) {
        at[listed.count] = static_cast<std::uint32_t>(row);
        listed.count += any_of_eight(listed.x + row * n);
      }
      for_tiles<kGradientTile>(0, outputs, [&](auto tile, std::size_t k) {
        add_listed<tile(), How>(listed, coefficients + k * stride + done, stride, g + k * n + i, n);
      });
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t row = 0; row < count; ++row) {
        add_row(coefficients[k * stride + done + row], dense + row * n + even, g + k * n + even, n - even);
      }
    }
  }
}
void accumulate_outputs(const double* coefficients, std::size_t stride, const DenseRows& rows, std::size_t outputs,
                        double* g) noexcept {
  accumulate_outputs_as<Plain>(coefficients, stride, rows, outputs, g);
}
void accumulate_outputs_rounded(const double* coefficients, std::size_t stride, const DenseRows& rows,
                                std::size_t outputs, std::int64_t* sums) noexcept {
  accumulate_outputs_as<Rounded>(coefficients, stride, rows, outputs, sums);
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
