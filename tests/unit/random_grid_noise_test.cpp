// Integer noise against a reference in 320-bit arithmetic that reads the same digits, all of them at once.
#include <gtest/gtest.h>

#include <boost/math/constants/constants.hpp>
#include <deque>
#include <map>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/random/grid_noise.h"
#include "sotto/random/lazy_grid.h"

namespace sotto {
namespace {

using Reference =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<320, boost::multiprecision::digit_base_2>,
                                  boost::multiprecision::et_off>;

std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Digits that can be known beforehand: the further ones of a number are a function of its leading ones.
struct KnownDigits {
  std::uint64_t counter = 0;
  std::uint64_t extensions = 0;
  std::uint64_t next() {
    taken.clear();  // what was taken is gone: a sanitizer sees who still reads it
    taken.shrink_to_fit();
    return word();
  }
  std::uint64_t word() { return scramble(++counter * 0x9e3779b97f4a7c15); }
  std::vector<std::uint64_t> taken;
  std::span<const std::uint64_t> take(std::size_t count) {
    taken.assign(count + 8, 0xdeadbeef);  // 8 words after those asked for are read and must not matter
    for (std::size_t i = 0; i < count; ++i) taken[i] = word();
    return std::span(taken).first(count);
  }
  static std::uint64_t further(std::uint64_t lead, int index) {
    return scramble(scramble(lead + 77) + static_cast<std::uint64_t>(index));
  }
  std::uint64_t extend(std::uint64_t lead, int index) {
    ++extensions;
    return further(lead, index);
  }
};

template <class Real>
Real number_of(std::uint64_t lead, int lead_bits) {
  Real sum = 0;
  for (int i = 2; i >= 0; --i) sum = (sum + Real(KnownDigits::further(lead, i))) / Real(18446744073709551616.0);
  return (sum + Real(lead)) / Real(std::uint64_t{1} << lead_bits);
}

template <class Real>
std::pair<Real, Real> normals_of(std::uint64_t u, std::uint64_t v) {
  const Real radius = sqrt(Real(-2 * log(number_of<Real>(u, 48))));
  const Real angle = boost::math::constants::two_pi<Real>() * number_of<Real>(v, 48);
  return {Real(radius * cos(angle)), Real(radius * sin(angle))};
}

/// A block of pairs as the layout has it: 64 bits for every pair, then 32 for every pair, then words on their own.
struct Block {
  std::vector<std::uint64_t> u, v, extra;
  Block(KnownDigits& digits, std::size_t pairs, std::size_t extras) {
    std::vector<std::uint64_t> words(pairs + (pairs + 1) / 2);
    for (auto& w : words) w = digits.next();
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::uint64_t half = words[pairs + i / 2] >> (32 * (i % 2)) & 0xffffffff;
      u.push_back(words[i] >> 16);
      v.push_back((words[i] & 0xffff) << 32 | half);
    }
    for (std::size_t i = 0; i < extras; ++i) extra.push_back(digits.next());
  }
};

std::int64_t nearest(const Reference& x) { return static_cast<std::int64_t>(Reference(floor(Reference(x + 0.5)))); }

/// What all coordinates are multiplied by, twice.
struct Factor {
  double approximate;
  Reference exact;
};

/// rint(factor * normal): in binary64 where that is beyond doubt, else in 320 bits.
void expect_lane(const Factor& factor, std::uint64_t u, std::uint64_t v, bool sine, std::int64_t got) {
  const auto fast = normals_of<double>(u, v);
  const double value = factor.approximate * (sine ? fast.second : fast.first);
  const double doubt = 1e-11 * factor.approximate + 1e-9;
  if (std::abs(value - std::floor(value) - 0.5) > doubt && std::abs(value) < 1e15) {
    ASSERT_EQ(static_cast<double>(got), std::nearbyint(value));
    return;
  }
  const auto exact = normals_of<Reference>(u, v);
  ASSERT_EQ(got, nearest(factor.exact * (sine ? exact.second : exact.first)));
}

void expect_block(const Factor& factor, const Block& block, std::size_t first, std::span<const std::int64_t> got) {
  const std::size_t half = (got.size() + 1) / 2;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t pair = first + i % half;
    ASSERT_NO_FATAL_FAILURE(expect_lane(factor, block.u[pair], block.v[pair], i >= half, got[i]));
  }
}

/// Marsaglia and Tsang without squeeze, all digits at once.
template <class Real>
struct Gamma {
  Real gap, value;
  Gamma(double shape, std::uint64_t u, std::uint64_t v, std::uint64_t w) {
    const Real a = Real(shape) - Real(1) / 3;
    const Real x = normals_of<Real>(u, v).first;
    const Real t = 1 + x / sqrt(Real(9 * a));
    value = a * t * t * t;
    gap = -1;
    if (t > 0) gap = x * x / 2 + a * (1 - t * t * t + 3 * log(t)) - log(number_of<Real>(w, 63));
  }
};

Factor reference_factor(KnownDigits& digits, double scale, std::size_t dimension, std::array<std::uint64_t, 3> uvw) {
  const double shape = (static_cast<double>(dimension) + 1.0) / 2.0;
  auto [u, v, w] = uvw;
  for (;;) {
    const double gap = Gamma<double>(shape, u, v, w).gap;
    const bool accepted = std::abs(gap) > 1e-6 ? gap > 0 : Gamma<Reference>(shape, u, v, w).gap > 0;
    if (accepted) break;
    u = digits.next() >> 16;
    v = digits.next() >> 16;
    w = digits.next() >> 1;
  }
  const Reference exact = scale * sqrt(Reference(2 * Gamma<Reference>(shape, u, v, 0).value));
  return {static_cast<double>(exact), exact};
}

void compare_gaussian(double scale, std::size_t dimension, int vectors) {
  KnownDigits digits, same;
  const Factor factor{scale, Reference(scale)};
  std::vector<std::int64_t> noise(dimension);
  for (int n = 0; n < vectors; ++n) {
    draw_lazy_gaussian(digits, scale, lazy::Lanes<std::int64_t>{noise});
    for (std::size_t done = 0; done < dimension; done += 256) {
      const std::size_t lanes = std::min<std::size_t>(256, dimension - done);
      const Block block(same, (lanes + 1) / 2, 0);
      ASSERT_NO_FATAL_FAILURE(expect_block(factor, block, 0, std::span(noise).subspan(done, lanes)));
    }
  }
  EXPECT_EQ(digits.next(), same.next());
}

/// `vectors` vectors, drawn `together` at a time.
void compare_l2_laplace(double scale, std::size_t dimension, std::size_t vectors, std::size_t together = 1) {
  KnownDigits digits, same;
  std::vector<std::int64_t> noise(dimension * together);
  const std::size_t lanes = std::min<std::size_t>(254, dimension);
  const std::size_t pairs = (lanes + 1) / 2 + 1;
  for (std::size_t n = 0; n < vectors; n += together) {
    draw_lazy_l2_laplace(digits, scale, dimension, lazy::Lanes<std::int64_t>{noise});
    std::span<const std::int64_t> left = noise;
    while (!left.empty()) {
      const std::size_t group = std::min(128 / pairs, left.size() / dimension);
      const Block first(same, group * pairs, group);
      for (std::size_t j = 0; j < group; ++j) {
        const std::size_t last = (j + 1) * pairs - 1;
        const Factor factor =
            reference_factor(same, scale, dimension, {first.u[last], first.v[last], first.extra[j] >> 1});
        ASSERT_NO_FATAL_FAILURE(expect_block(factor, first, j * pairs, left.first(lanes)));
        for (std::size_t done = lanes; done < dimension; done += 256) {
          const std::size_t here = std::min<std::size_t>(256, dimension - done);
          const Block block(same, (here + 1) / 2, 0);
          ASSERT_NO_FATAL_FAILURE(expect_block(factor, block, 0, left.subspan(done, here)));
        }
        left = left.subspan(dimension);
      }
    }
  }
  EXPECT_EQ(digits.next(), same.next());
}

TEST(GridNoise, AMillionGaussiansEqualTheReferenceAtEveryScale) {
  for (const double scale : {0x1p4, 0x1p14, 0x1p22, 12345.678}) compare_gaussian(scale, 50, 5000);
  for (const std::size_t d : {1U, 2U, 3U, 7U, 8U, 9U, 255U, 256U, 257U, 1000U}) compare_gaussian(0x1p16, d, 20);
}

TEST(GridNoise, AMillionL2LaplacesEqualTheReferenceAtEveryScale) {
  for (const double scale : {0x1p4, 0x1p14, 0x1p22, 12345.678}) compare_l2_laplace(scale, 50, 5000);
  for (const std::size_t d : {1U, 2U, 3U, 7U, 8U, 9U, 253U, 254U, 255U, 1000U}) compare_l2_laplace(0x1p16, d, 20);
}

TEST(GridNoise, VectorsDrawnTogetherEqualTheReference) {
  for (const std::size_t d : {1U, 2U, 5U, 50U, 51U, 130U, 254U, 300U}) compare_l2_laplace(0x1p20, d, 200, 20);
  compare_l2_laplace(0x1p36, 50, 40, 20);
}

TEST(GridNoise, MultiplesOfTheStepAreTheIntegersTimesTheStep) {
  constexpr double kStep = 0x1p-13;
  for (const std::size_t d : {1U, 2U, 3U, 7U, 8U, 9U, 17U, 50U, 253U, 254U, 255U, 600U}) {
    for (const double scale : {3.0, 12345.678, 0x1p30, 0x1p45}) {
      BitSource bits(ReproducibleSeed{d}), same(ReproducibleSeed{d});
      std::vector<std::int64_t> integers(40 * d);
      std::vector<double> values(40 * d);
      draw_l2_laplace(bits, scale, d, integers);
      draw_l2_laplace(same, GridScale{scale, kStep}, d, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], kStep * static_cast<double>(integers[i])) << d << " at " << scale;
      }
      draw_gaussian(bits, scale, integers);
      draw_gaussian(same, GridScale{scale, kStep}, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], kStep * static_cast<double>(integers[i])) << d << " at " << scale;
      }
    }
  }
}

TEST(GridNoise, ScalesBeyondBinary64EqualTheReference) {
  compare_gaussian(0x1p34, 50, 40);
  compare_gaussian(0x1p40, 50, 20);
  compare_gaussian(0x1p45, 50, 10);
  compare_l2_laplace(0x1p34, 50, 40);
  compare_l2_laplace(0x1p40, 50, 20);
  compare_l2_laplace(0x1p45, 50, 10);
  compare_l2_laplace(0x1p40, 1, 100);
}

TEST(GridNoise, DigitsAreExtendedOnlyWhenNeeded) {
  KnownDigits digits;
  std::vector<std::int64_t> noise(50);
  for (int n = 0; n < 200; ++n) draw_lazy_gaussian(digits, 0x1p10, lazy::Lanes<std::int64_t>{noise});
  EXPECT_LT(digits.extensions, 100U);  // u outside the range of the kernel: 1 in 2700
  digits.extensions = 0;
  draw_lazy_gaussian(digits, 0x1p55, lazy::Lanes<std::int64_t>{noise});
  EXPECT_EQ(digits.extensions, 25U * 2U * 3U);
}

/// Digits by script: what next() gives, and the further digits of one lead.
struct ScriptedDigits {
  std::deque<std::uint64_t> words;
  std::map<std::uint64_t, std::array<std::uint64_t, 3>> further;
  std::uint64_t next() {
    const std::uint64_t word = words.front();
    words.pop_front();
    return word;
  }
  std::uint64_t extend(std::uint64_t lead, int index) {
    const auto found = further.find(lead);
    return found == further.end() ? KnownDigits::further(lead, index) : found->second[static_cast<std::size_t>(index)];
  }
};

/// The leading 'lead_bits' digits of a number in (0, 1) and the 192 that follow.
struct Expansion {
  std::uint64_t lead;
  std::array<std::uint64_t, 3> further;
  Expansion(const Reference& number, int lead_bits) {
    Reference rest = ldexp(number, lead_bits);
    lead = static_cast<std::uint64_t>(rest);
    rest -= lead;
    for (auto& word : further) {
      rest = ldexp(rest, 64);
      word = static_cast<std::uint64_t>(rest);
      rest -= word;
    }
  }
};

/// The cosine noise of a pair whose u makes scale * normal = half_integer, up to `nudge` in units of 2^-132.
std::int64_t round_near_tie(double scale, double half_integer, std::uint64_t v, std::uint64_t nudge) {
  const Reference cosine = cos(Reference(boost::math::constants::two_pi<Reference>() * number_of<Reference>(v, 48)));
  const Reference radius = Reference(half_integer) / (scale * cosine);
  Expansion u(exp(Reference(-radius * radius / 2)), 48);
  u.further[1] += nudge << 44;
  ScriptedDigits digits{{}, {{u.lead, u.further}}};
  NoiseFactor factor(scale);
  return lazy::round_pair(digits, factor, LazyPair(u.lead, v)).first;
}

TEST(GridNoise, RoundingIsDecidedByTheHundredAndThirtiethDigit) {
  KnownDigits pick;
  for (int n = 0; n < 100; ++n) {
    const std::uint64_t v = pick.next() >> 17;  // first or second quarter turn
    const double scale = n % 2 == 0 ? 0x1p16 : 0x1.23p33;
    const double tie = std::floor(scale * std::cos(2.0 * M_PI * static_cast<double>(v) * 0x1p-48)) + 0.5;
    const auto below = static_cast<std::int64_t>(std::floor(std::abs(tie)));
    // A larger u makes a smaller radius.
    EXPECT_EQ(std::abs(round_near_tie(scale, tie, v, 1)), below);
    EXPECT_EQ(std::abs(round_near_tie(scale, tie, v, ~std::uint64_t{0})), below + 1);
  }
}

/// Settles a gamma whose w is exp(right side) moved by `nudge` in units of 2^-127; true if accepted.
bool accepts_near_tie(double shape, std::uint64_t u, std::uint64_t v, int nudge) {
  Expansion w(exp(Gamma<Reference>(shape, u, v, 0).gap + log(number_of<Reference>(0, 63))), 63);
  w.further[0] += static_cast<std::uint64_t>(nudge);
  ScriptedDigits digits{{std::uint64_t{1} << 60, std::uint64_t{1} << 60, 0}, {{w.lead, w.further}}};
  LazyGamma gamma(shape, LazyPair(u, v), std::nan(""), 0.0);
  gamma.settle(digits, w.lead);
  return digits.words.size() == 3;  // none was used for a second attempt
}

TEST(GridNoise, AcceptanceOfTheGammaIsDecidedByTheHundredAndTwentySixthDigit) {
  KnownDigits pick;
  int decided = 0;
  for (const double shape : {1.0, 1.5, 25.5, 5000.0}) {
    for (int n = 0; n < 25; ++n) {
      const std::uint64_t u = pick.next() >> 16, v = pick.next() >> 16;
      if (Gamma<double>(shape, u, v, 0).gap < 0) continue;  // t <= 0: no tie there
      EXPECT_TRUE(accepts_near_tie(shape, u, v, -2));
      EXPECT_FALSE(accepts_near_tie(shape, u, v, 2));
      ++decided;
    }
  }
  EXPECT_GT(decided, 90);
}

TEST(GridNoise, ResultsStayWithin62Bits) {
  BitSource bits(ReproducibleSeed{1});
  std::vector<std::int64_t> noise(64);
  draw_gaussian(bits, 1e300, noise);
  for (const auto k : noise) EXPECT_EQ(std::abs(k), std::int64_t{1} << 62);
  draw_l2_laplace(bits, 1e308, noise);
  for (const auto k : noise) EXPECT_EQ(std::abs(k), std::int64_t{1} << 62);
}

TEST(GridNoise, AScaleThatIsNotPositiveAndFiniteIsRefused) {
  BitSource bits(ReproducibleSeed{1});
  std::vector<std::int64_t> noise(3);
  for (const double scale : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(draw_gaussian(bits, scale, noise), Error);
    EXPECT_THROW(draw_l2_laplace(bits, scale, noise), Error);
  }
}

TEST(GridNoise, AnEmptyVectorIsFine) {
  BitSource bits(ReproducibleSeed{1});
  draw_gaussian(bits, 1.0, {});
  draw_l2_laplace(bits, 1.0, {});
}

TEST(GridNoise, PartsOfVectorsAreRefused) {
  BitSource bits(ReproducibleSeed{1});
  std::vector<std::int64_t> noise(7);
  EXPECT_THROW(draw_l2_laplace(bits, 1.0, 3, noise), Error);
  EXPECT_THROW(draw_l2_laplace(bits, 1.0, 0, noise), Error);
}

TEST(GridNoise, DistanceFromTheIdealLawIsTheStatedOne) {
  EXPECT_EQ(grid_noise_distance(0), 0.0);
  EXPECT_DOUBLE_EQ(grid_noise_distance(50), 50.0 * (0x1p-68 + 0x1p-100));
}

}  // namespace
}  // namespace sotto
