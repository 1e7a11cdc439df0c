// The attack of [Mironov12]: which doubles can f + noise be? With the textbook Laplace sampler in binary64 the answer
// depends on f, and one output often excludes f or its neighbour outright, whatever epsilon. Released on the grid
// (spec 5.2) every output is possible under both and the same attack learns no more than epsilon allows.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/random/grid_noise.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

constexpr double kEpsilon = 0.1;
constexpr double kHere = 0.0;   // the query on the data
constexpr double kThere = 1.0;  // on its neighbour: sensitivity 1
constexpr double kTrials = 20000;

double naive_release(double value, double uniform, double sign) {
  return value + sign * (-std::log(uniform) / kEpsilon);
}

/// Whether some uniform k / 2^53 and some sign make the textbook sampler output y for this value.
bool reachable(double y, double value) {
  for (const double sign : {1.0, -1.0}) {
    const double noise = sign * (y - value);
    if (noise < 0.0) continue;
    // The uniforms whose noise is within two roundings of y - value.
    const double slack = 4.0 * 0x1p-53 * (std::abs(y) + std::abs(value) + 1.0);
    const double low = std::exp(-(noise + slack) * kEpsilon), high = std::exp(-(noise - slack) * kEpsilon);
    const double first = std::floor(low * 0x1p53) - 4.0, last = std::ceil(high * 0x1p53) + 4.0;
    for (double k = std::max(1.0, first); k <= std::min(last, 0x1p53 - 1.0); k += 1.0) {
      if (naive_release(value, k * 0x1p-53, sign) == y) return true;
    }
  }
  return false;
}

/// +1: only kHere can have given y; -1: only kThere; 0: no certainty.
int verdict(double y) {
  const bool here = reachable(y, kHere), there = reachable(y, kThere);
  return (here ? 1 : 0) - (there ? 1 : 0);
}

/// How often the attack says here, there, nothing.
struct Tally {
  double here = 0.0, there = 0.0;
  void add(int said) {
    here += said > 0;
    there += said < 0;
  }
};

template <class Release>
Tally attack(const Release& release) {
  Tally tally;
  for (double i = 0; i < kTrials; ++i) tally.add(verdict(release()));
  return tally;
}

TEST(LowBitsAttack, TellsNeighboursApartWithCertaintyUnderTheTextbookSampler) {
  BitSource bits(ReproducibleSeed{71});
  const auto draw = [&](double value) {
    const double uniform = draw_uniform(bits);
    return naive_release(value, uniform, draw_below(bits, 2) == 0 ? 1.0 : -1.0);
  };
  const Tally here = attack([&] { return draw(kHere); });
  const Tally there = attack([&] { return draw(kThere); });
  EXPECT_EQ(here.there, 0.0) << "the attack never errs";
  EXPECT_EQ(there.here, 0.0) << "the attack never errs";
  EXPECT_GT(here.here + there.there, 0.25 * 2.0 * kTrials);
}

/// The release path of spec 5.2 in one dimension.
class GridRelease {
 public:
  double operator()(BitSource& bits, double value) const {
    std::int64_t noise = 0;
    draw_l2_laplace(bits, scale_, std::span(&noise, 1));
    return kGrid * static_cast<double>(std::llrint(value / kGrid) + noise);
  }
  static constexpr double kGrid = 0x1p-10;

 private:
  double scale_ = (1.0 + kGrid) / kEpsilon / kGrid;  // Delta' = Delta + g, in grid steps
};

TEST(LowBitsAttack, GainsNoMoreThanEpsilonOnTheGrid) {
  BitSource bits(ReproducibleSeed{72});
  const GridRelease release;
  const Tally here = attack([&] { return release(bits, kHere); });
  const Tally there = attack([&] { return release(bits, kThere); });
  // Any event has probability p and p' with p <= e^epsilon p': five standard errors of leeway.
  const auto allowed = [](double often, double seldom) {
    return often <= std::exp(kEpsilon) * seldom + 5.0 * std::sqrt(often + 3.0 * seldom + 1.0);
  };
  EXPECT_TRUE(allowed(here.here, there.here)) << here.here << ' ' << there.here;
  EXPECT_TRUE(allowed(there.here, here.here)) << there.here << ' ' << here.here;
  EXPECT_TRUE(allowed(there.there, here.there)) << there.there << ' ' << here.there;
  EXPECT_TRUE(allowed(here.there, there.there)) << here.there << ' ' << there.there;
}

TEST(LowBitsAttack, EveryReleaseIsAMultipleOfTheGrid) {
  BitSource bits(ReproducibleSeed{73});
  const GridRelease release;
  for (double i = 0; i < kTrials; ++i) {
    const double steps = release(bits, 0.1 + i / kTrials) / GridRelease::kGrid;
    ASSERT_EQ(steps, std::nearbyint(steps));
  }
}

}  // namespace
}  // namespace sotto
