// The attack of [Mironov12]: which doubles can f + noise be? With the textbook Laplace sampler in binary64 the answer
// depends on f, and one output often excludes f or its neighbour outright, whatever epsilon. Released on the grid
// (spec 5.2) every output is possible under both and the same attack learns no more than epsilon allows.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/audit/samplers.h"
#include "sotto/random/grid_noise.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

const audit::LowBitsAttack kAttack;  // a query of sensitivity 1 that is 0 on the data and 1 on its neighbour
constexpr double kTrials = 20000;

double naive_release(double value, double uniform, double sign) {
  return value + sign * (-std::log(uniform) / kAttack.epsilon);
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
  for (double i = 0; i < kTrials; ++i) tally.add(kAttack.verdict(release()));
  return tally;
}

TEST(LowBitsAttack, TellsNeighboursApartWithCertaintyUnderTheTextbookSampler) {
  BitSource bits(ReproducibleSeed{71});
  const auto draw = [&](double value) {
    const double uniform = draw_uniform(bits);
    return naive_release(value, uniform, draw_below(bits, 2) == 0 ? 1.0 : -1.0);
  };
  const Tally here = attack([&] { return draw(kAttack.here); });
  const Tally there = attack([&] { return draw(kAttack.there); });
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
  double scale_ = (1.0 + kGrid) / kAttack.epsilon / kGrid;  // Delta' = Delta + g, in grid steps
};

TEST(LowBitsAttack, GainsNoMoreThanEpsilonOnTheGrid) {
  BitSource bits(ReproducibleSeed{72});
  const GridRelease release;
  const Tally here = attack([&] { return release(bits, kAttack.here); });
  const Tally there = attack([&] { return release(bits, kAttack.there); });
  // Any event has probability p and p' with p <= e^epsilon p': five standard errors of leeway.
  const auto allowed = [](double often, double seldom) {
    return often <= std::exp(kAttack.epsilon) * seldom + 5.0 * std::sqrt(often + 3.0 * seldom + 1.0);
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
