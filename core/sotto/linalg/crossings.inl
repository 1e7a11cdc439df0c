// Included once for each instruction set (kernels.cpp): rows side by side against crossings of a few weight vectors. No
// sum crosses lanes, so a row has the same bits wherever it lies in a tile; a column that is 0 in a row adds a zero to
// a lane that starts at +0 and can never become -0, and changes no bit.
#if defined(SOTTO_LINALG_CROSSINGS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SOTTO_LINALG_CROSSINGS_INL
#undef SOTTO_LINALG_CROSSINGS_INL
#else
#define SOTTO_LINALG_CROSSINGS_INL
#endif

#include <algorithm>

#include "sotto/linalg/crossings.h"
#include "sotto/linalg/outputs.inl"
#include "sotto/linalg/simd.inl"

HWY_BEFORE_NAMESPACE();
namespace sotto::kernels::HWY_NAMESPACE {

static_assert(kTileRows == kEight);

/// Columns [first, last) of rows.
struct ColumnRange {
  const TransposedRows& rows;
  std::size_t first;
  std::size_t last;
};

/// Adds them to the scores of kCount parents.
template <std::size_t kCount>
HWY_INLINE void add_columns(const ColumnRange& range, const double* weights, std::size_t parents, double* scores) {
  const Doubles d;
  Vector sums[kCount][kEightParts];
#pragma GCC unroll 16
  for (std::size_t p = 0; p < kCount; ++p) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kEightParts; ++part) {
      sums[p][part] = hn::Load(d, scores + p * kTileRows + part * kWidth);
    }
  }
  for (std::size_t i = range.first; i < range.last; ++i) {
    const double* own = weights + range.rows.columns[i] * parents;
    Vector values[kEightParts];
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kEightParts; ++part) {
      values[part] = load(d, range.rows.values + (i + 1) * kTileRows + part * kWidth);
    }
#pragma GCC unroll 16
    for (std::size_t p = 0; p < kCount; ++p) {
      const Vector weight = hn::Set(d, own[p]);
#pragma GCC unroll 16
      for (std::size_t part = 0; part < kEightParts; ++part) {
        sums[p][part] = hn::Add(sums[p][part], hn::Mul(weight, values[part]));
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t p = 0; p < kCount; ++p) {
#pragma GCC unroll 16
    for (std::size_t part = 0; part < kEightParts; ++part) {
      hn::Store(sums[p][part], d, scores + p * kTileRows + part * kWidth);
    }
  }
}

/// The scores of all parents at one output, and, on the way, what the children that are cut there take from them.
HWY_INLINE std::size_t score_parents(const Children& all, const TransposedRows& rows, std::size_t output,
                                     std::size_t child, double* lanes) {
  const Doubles d;
  double* scores = lanes + (kParentSlot + output * all.parents) * kTileRows;
  double* cut_off = lanes + (kParentSlot + all.outputs * all.parents) * kTileRows;
  std::fill(scores, scores + all.parents * kTileRows, 0.0);
  std::size_t done = 0;
  const auto add_until = [&](std::size_t end) HWY_ATTR {
    if (end == done) return;
    for_tiles<kGradientTile>(0, all.parents, [&](auto tile, std::size_t p) HWY_ATTR {
      const double* weights = all.weights + output * all.features * all.parents + p;
      add_columns<tile()>({rows, done, end}, weights, all.parents, scores + p * kTileRows);
    });
    done = end;
  };
  for (; child < all.count && all.children[child].output == output; ++child) {
    add_until(rows.cuts[child]);
    const double* head = scores + all.children[child].head * kTileRows;
    const double* tail = scores + all.children[child].tail * kTileRows;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kTileRows; i += kWidth) {
      hn::Store(hn::Sub(hn::Load(d, head + i), hn::Load(d, tail + i)), d, cut_off + child * kTileRows + i);
    }
  }
  add_until(rows.count);
  return child;
}

/// How many rows have their largest score, the first of equals, at their class.
HWY_INLINE std::size_t right_rows(const std::uint32_t* slots, std::size_t outputs, const double* lanes,
                                  const double* own) {
  const Doubles d;
  std::size_t right = 0;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kTileRows; i += kWidth) {
    Vector best = hn::Load(d, lanes + slots[0] * kTileRows + i);
    Vector chosen = hn::Zero(d), number = hn::Zero(d);
    for (std::size_t k = 1; k < outputs; ++k) {
      const Vector score = hn::Load(d, lanes + slots[k] * kTileRows + i);
      number = hn::Add(number, hn::Set(d, 1.0));
      const auto better = hn::Gt(score, best);
      best = hn::IfThenElse(better, score, best);
      chosen = hn::IfThenElse(better, number, chosen);
    }
    right += hn::CountTrue(d, hn::Eq(chosen, hn::Load(d, own + i)));
  }
  return right;
}

/// The same for one output: class 1 if its score is above 0. Nothing but the count is stored.
HWY_INLINE void count_right_of_two(const Children& all, const TransposedRows& rows, const double* lanes,
                                   std::uint32_t* right) {
  const Doubles d;
  const double* cut_off = lanes + (kParentSlot + all.parents) * kTileRows;
  for (std::size_t child = 0; child < all.count; ++child, cut_off += kTileRows) {
    const double* whole = lanes + all.children[child].whole * kTileRows;
    const float* values = rows.values + rows.moved[child] * kTileRows;
    const Vector move = hn::Set(d, all.children[child].move);
    std::size_t found = 0;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kTileRows; i += kWidth) {
      const Vector mixed = hn::Add(hn::Load(d, cut_off + i), hn::Load(d, whole + i));
      const Vector score = hn::Add(mixed, hn::Mul(move, load(d, values + i)));
      const Vector chosen = hn::IfThenElseZero(hn::Gt(score, hn::Zero(d)), hn::Set(d, 1.0));
      found += hn::CountTrue(d, hn::Eq(chosen, hn::Load(d, rows.classes + i)));
    }
    right[child] += static_cast<std::uint32_t>(found);
  }
}

void count_right(const Children& all, const TransposedRows& rows, double* lanes, std::uint32_t* right) noexcept {
  const Doubles d;
  std::size_t child = 0;
  for (std::size_t k = 0; k < all.outputs; ++k) child = score_parents(all, rows, k, child, lanes);
  if (all.outputs == 1) return count_right_of_two(all, rows, lanes, right);
  const double* cut_off = lanes + (kParentSlot + all.outputs * all.parents) * kTileRows;
  for (child = 0; child < all.count; ++child, cut_off += kTileRows) {
    const Child& own = all.children[child];
    const float* values = rows.values + rows.moved[child] * kTileRows;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kTileRows; i += kWidth) {
      const Vector mixed = hn::Add(hn::Load(d, cut_off + i), hn::Load(d, lanes + own.whole * kTileRows + i));
      hn::Store(mixed, d, lanes + kMixedSlot * kTileRows + i);
      const Vector unmoved = hn::Load(d, lanes + own.unmoved * kTileRows + i);
      const Vector moved = hn::Add(unmoved, hn::Mul(hn::Set(d, own.move), load(d, values + i)));
      hn::Store(moved, d, lanes + kMovedSlot * kTileRows + i);
    }
    right[child] +=
        static_cast<std::uint32_t>(right_rows(all.slots + child * all.outputs, all.outputs, lanes, rows.classes));
  }
}

}  // namespace sotto::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
