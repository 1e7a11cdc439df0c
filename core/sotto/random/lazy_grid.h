#pragma once
// The safe path of spec 5.2: K_i = rint(factor G_i), G_i independent lazy normals.
// Gaussian: factor = scale. L2-Laplace: factor = scale sqrt(2 V), V ~ Gamma((d + 1)/2), one V a vector: |G|^2 = 2 W
// with W ~ Gamma(d/2), and 4 V W has moments 4^s Gamma((d+1)/2 + s) Gamma(d/2 + s) / (Gamma((d+1)/2) Gamma(d/2)) =
// Gamma(d + 2s) / Gamma(d) by the duplication formula: those of R^2, R ~ Gamma(d). So |Z| = scale R, and the direction
// of Z is that of G, uniform and independent of it: the density is proportional to exp(-|z| / scale) (4.1). A
// coordinate is first computed in binary64 from 48 digits of each uniform (noise_kernels.h); if that falls within its
// error bound of a half-integer, again from 112 digits, then in 192-bit arithmetic from 240: error below scale 2^-180.
// Fails if wrong: random_grid_noise_test (320-bit reference on the same digits), random_noise_law_test (the laws).
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <type_traits>

#include "sotto/random/lazy_gamma.h"
#include "sotto/random/noise_kernels.h"

namespace sotto {

/// What every coordinate of a vector is multiplied by: scale, or scale sqrt(2 V).
class NoiseFactor {
 public:
  explicit NoiseFactor(double scale) : scale_(scale), rounded_(scale) {}
  NoiseFactor(double scale, LazyGamma& gamma) : scale_(scale), gamma_(&gamma) { round(); }

  double rounded() const noexcept { return rounded_; }
  double relative_error() const noexcept { return relative_error_; }

  /// Makes rounded() as good as binary64 allows.
  template <class Digits>
  void refine(Digits& digits) {
    if (gamma_ == nullptr) return;
    gamma_->refine(digits);
    round();
  }

  template <class Digits>
  const Precise& precise(Digits& digits) {
    if (!precise_ && gamma_ != nullptr) precise_ = scale_ * sqrt(Precise(2 * gamma_->precise(digits)));
    if (!precise_) precise_ = scale_;
    return *precise_;
  }

 private:
  void round() noexcept {
    rounded_ = scale_ * std::sqrt(2.0 * gamma_->rounded());
    relative_error_ = gamma_->relative_error() + 0x1p-51;
  }

  double scale_;
  double rounded_ = 0.0;
  double relative_error_ = 0.0;
  LazyGamma* gamma_ = nullptr;
  std::optional<Precise> precise_;
};

namespace lazy {

inline constexpr std::size_t kChunkPairs = 128;

/// Where noise goes: as multiples of `unit`, a power of two, in binary64, or as integers (unit 1).
template <class T>
struct Lanes {
  std::span<T> values;
  double unit = 1.0;

  std::size_t size() const noexcept { return values.size(); }
  Lanes first(std::size_t count) const noexcept { return {values.first(count), unit}; }
  Lanes from(std::size_t start) const noexcept { return {values.subspan(start), unit}; }
  void set(std::size_t i, std::int64_t k) const noexcept {
    if constexpr (std::is_same_v<T, double>) {
      values[i] = unit * static_cast<double>(k);
    } else {
      values[i] = k;
    }
  }
};

/// The nearest integer, no larger in size than 2^62.
std::int64_t round_precise(const Precise& value);

/// Normals on their way to being noise: up to kChunkPairs pairs and up to half as many `extra` words drawn after them.
class Chunk {
 public:
  template <class Digits>
  Chunk(Digits& digits, std::size_t pairs, std::size_t extra)
      : pairs_(pairs), view_(digits.take(words(pairs) + extra)) {
    make_pairs(bits(), cosines.data(), sines.data());
  }

  LazyPair pair(std::size_t i) const noexcept { return {bits().u(i), bits().v(i)}; }
  std::uint64_t extra(std::size_t i) const noexcept { return view_[words(pairs_) + i]; }

  /// Must be called before more digits are drawn while pairs are still wanted: the view does not outlive that.
  void keep() noexcept {
    if (view_.data() == kept_.data()) return;
    std::copy(view_.begin(), view_.end(), kept_.begin());
    view_ = std::span(kept_).first(view_.size());
  }

  alignas(64) std::array<double, kChunkPairs + kNormalSlack> cosines;
  alignas(64) std::array<double, kChunkPairs + kNormalSlack> sines;

 private:
  static constexpr std::size_t words(std::size_t pairs) noexcept { return PairBits::words_for(pairs); }
  PairBits bits() const noexcept { return {view_.data(), pairs_}; }

  std::size_t pairs_;
  std::span<const std::uint64_t> view_;
  std::array<std::uint64_t, PairBits::words_for(kChunkPairs) + kChunkPairs / 2> kept_;
};

/// rint(factor * normal) for both normals of a pair, whatever it takes.
template <class Digits>
std::pair<std::int64_t, std::int64_t> round_pair(Digits& digits, NoiseFactor& factor, LazyPair pair) {
  pair.extend(digits, 1);
  factor.refine(digits);
  const LazyPair::Rounded normal = pair.rounded();
  const double first = factor.rounded() * normal.cosine;
  const double second = factor.rounded() * normal.sine;
  const double bound =
      factor.rounded() * normal.error + (std::abs(first) + std::abs(second)) * (factor.relative_error() + 0x1p-52);
  // False for NaN and infinity; true only if both are below 2^51 in size.
  const auto safe = [bound](double x) { return std::abs(x - std::nearbyint(x)) < 0.5 - bound; };
  if (safe(first) && safe(second)) return {std::llrint(first), std::llrint(second)};
  pair.extend(digits, LazyDigits::kWords);
  const auto [cosine, sine] = pair.precise();
  const Precise& multiplier = factor.precise(digits);
  return {round_precise(multiplier * cosine), round_precise(multiplier * sine)};
}

/// The coordinates of a vector: cosines of pairs of the chunk from `first` on, then their sines.
template <class Digits, class T>
void round_chunk(Digits& digits, NoiseFactor& factor, Chunk& chunk, std::size_t first, const Lanes<T>& noise) {
  // A normal in binary64 is below 4.2 in size. Where limit is not negative, factor is below 2^37.
  const double bound = factor.rounded() * (kPairError + 4.2 * (factor.relative_error() + 0x1p-52));
  const Rounding rounding{factor.rounded() * noise.unit, (0.5 - bound) * noise.unit, noise.unit};
  std::array<std::uint16_t, kChunkPairs> doubtful;
  const auto round = [&](std::span<double> values) {
    return round_pairs(chunk.cosines.data() + first, chunk.sines.data() + first, rounding, values, doubtful.data());
  };
  std::size_t doubts = 0;
  if constexpr (std::is_same_v<T, double>) {
    doubts = round(noise.values);
  } else {
    std::array<double, 2 * kChunkPairs> integers;
    doubts = round(std::span(integers).first(noise.size()));
    // A doubtful one may be anything; below it is computed anew.
    for (std::size_t i = 0; i < noise.size(); ++i) {
      noise.values[i] = std::abs(integers[i]) < 0x1p52 ? static_cast<std::int64_t>(integers[i]) : 0;
    }
  }
  if (doubts == 0) return;
  chunk.keep();
  const std::size_t half = (noise.size() + 1) / 2;
  for (std::size_t j = 0; j < doubts; ++j) {
    const std::size_t i = doubtful[j];
    const auto [cosine, sine] = round_pair(digits, factor, chunk.pair(first + i));
    noise.set(i, cosine);
    if (half + i < noise.size()) noise.set(half + i, sine);
  }
}

template <class Digits, class T>
void draw_lanes(Digits& digits, NoiseFactor& factor, const Lanes<T>& noise) {
  for (std::size_t done = 0; done < noise.size();) {
    const std::size_t lanes = std::min(2 * kChunkPairs, noise.size() - done);
    Chunk chunk(digits, (lanes + 1) / 2, 0);
    round_chunk(digits, factor, chunk, 0, noise.from(done).first(lanes));
    done += lanes;
  }
}

}  // namespace lazy

/// Spec 4.2 in grid units.
template <class Digits, class T>
void draw_lazy_gaussian(Digits& digits, double scale, const lazy::Lanes<T>& noise) {
  NoiseFactor factor(scale);
  lazy::draw_lanes(digits, factor, noise);
}

/// Spec 4.1 in grid units: vectors of `dimension` coordinates one after the other. In a chunk each vector has its
/// pairs, the last of which makes its gamma number with a word from the end; several small vectors share a chunk.
template <class Digits, class T>
void draw_lazy_l2_laplace(Digits& digits, double scale, std::size_t dimension, const lazy::Lanes<T>& noise) {
  const std::size_t lanes = std::min(2 * lazy::kChunkPairs - 2, dimension);
  const std::size_t pairs = (lanes + 1) / 2 + 1;
  const LazyGamma::Shape shape(0.5 * (static_cast<double>(dimension) + 1.0));
  for (std::size_t done = 0; done < noise.size();) {
    const std::size_t vectors = std::min(lazy::kChunkPairs / pairs, (noise.size() - done) / dimension);
    lazy::Chunk chunk(digits, vectors * pairs, vectors);
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::size_t last = (j + 1) * pairs - 1;
      LazyGamma gamma(shape, chunk.pair(last), chunk.cosines[last], kPairError);
      const std::uint64_t w = chunk.extra(j) >> 1;
      if (!gamma.squeezed(w)) {
        chunk.keep();
        gamma.settle(digits, w);
      }
      NoiseFactor factor(scale, gamma);
      lazy::round_chunk(digits, factor, chunk, j * pairs, noise.from(done).first(lanes));
      if (lanes < dimension) lazy::draw_lanes(digits, factor, noise.from(done).first(dimension).from(lanes));
      done += dimension;
    }
  }
}

}  // namespace sotto
