// An allowance is spent exactly, is tested before each draw, and cannot be copied, lent or opened twice.
#include <gtest/gtest.h>

#include <random>
#include <type_traits>

#include "refusals.h"
#include "sotto/base/error.h"
#include "sotto/privacy/curator.h"

namespace sotto {
namespace {

using Secret = Sensitive<Vector>;
static_assert(!std::is_copy_constructible_v<Allowance> && !std::is_copy_assignable_v<Allowance>);

Mechanism gaussian(double rho, std::size_t dimension = 1) {
  DiscreteGaussianNoise noise;
  noise.sensitivity = 1;
  noise.dimension = dimension;
  noise.grid = make_grid(1, dimension);
  noise.rho = rho;
  return noise;
}
Choice choice(double epsilon, std::size_t candidates = 2) {
  return {1, epsilon, Aim::largest, Vector(candidates, 0.0)};
}
Secret secret(std::size_t size = 1) { return Secret(Vector(size, 3.0)); }

class AllowanceTest : public testing::Test {
 protected:
  Allowance open(const Event& whole) {
    curator_.charge({whole});
    return curator_.open_allowance(whole);
  }
  BitSource bits_{ReproducibleSeed{1}};
  Curator curator_{bits_};
};

TEST_F(AllowanceTest, NeedsAChargeOfItsOwn) {
  EXPECT_REFUSED(budget_exceeded, "", curator_.open_allowance(ZcdpEvent{0.1}));
  curator_.charge({ZcdpEvent{0.1}});
  EXPECT_REFUSED(budget_exceeded, "", curator_.open_allowance(ZcdpEvent{0.2}));
  EXPECT_REFUSED(budget_exceeded, "", curator_.open_allowance(PureEvent{0.1}));
  const Allowance allowance = curator_.open_allowance(ZcdpEvent{0.1});
  EXPECT_REFUSED(budget_exceeded, "", curator_.open_allowance(ZcdpEvent{0.1}));
}

TEST_F(AllowanceTest, IsAnAmountOfRhoOrOfPureEpsilonOnly) {
  curator_.charge({GaussianEvent{1}});
  EXPECT_REFUSED(unsupported, "", curator_.open_allowance(GaussianEvent{1}));
}

TEST_F(AllowanceTest, IsSpentExactly) {
  Allowance allowance = open(PureEvent{0.3});
  curator_.choose(secret(2), choice(0.1), allowance);
  EXPECT_TRUE(allowance.fits(ExponentialEvent{0.2}));
  EXPECT_FALSE(allowance.fits(ExponentialEvent{0.2000000001}));
  curator_.choose(secret(2), choice(0.2), allowance);
  EXPECT_EQ(allowance.left(), 0);
  EXPECT_REFUSED(budget_exceeded, "", curator_.choose(secret(2), choice(1e-9), allowance));
}

TEST_F(AllowanceTest, ChargesAChoiceAnEighthOfItsSquareAndAGaussianItsRho) {
  Allowance allowance = open(ZcdpEvent{1});
  curator_.choose(secret(2), choice(2), allowance);
  EXPECT_NEAR(allowance.left(), 0.5, 1e-12);
  curator_.release(secret(), gaussian(0.25), allowance);
  EXPECT_NEAR(allowance.left(), 0.25, 1e-12);
}

TEST_F(AllowanceTest, ARefusedDrawSpendsNothingAndDrawsNothing) {
  Allowance allowance = open(ZcdpEvent{0.5});
  BitSource same(ReproducibleSeed{1});
  Curator twin(same);
  EXPECT_REFUSED(budget_exceeded, "", curator_.release(secret(), gaussian(0.6), allowance));
  EXPECT_NEAR(allowance.left(), 0.5, 1e-12);
  twin.charge({DiscreteGaussianEvent{0.4}});
  EXPECT_EQ(curator_.release(secret(), gaussian(0.4), allowance), twin.release(secret(), gaussian(0.4)));
}

TEST_F(AllowanceTest, PureEpsilonTakesNoUnboundedNoise) {
  Allowance allowance = open(PureEvent{1});
  EXPECT_REFUSED(unsupported, "", curator_.release(secret(), gaussian(1e-9), allowance));
  EXPECT_TRUE(allowance.fits(PureEvent{1}));
}

TEST_F(AllowanceTest, CannotBeLentOrUsedAfterItWasMoved) {
  Allowance allowance = open(ZcdpEvent{1});
  BitSource other_bits(ReproducibleSeed{2});
  Curator other(other_bits);
  EXPECT_REFUSED(internal, "", other.release(secret(), gaussian(0.1), allowance));
  Allowance moved = std::move(allowance);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is left behind must be harmless
  EXPECT_REFUSED(internal, "", curator_.release(secret(), gaussian(0.1), allowance));
  EXPECT_NO_THROW(curator_.release(secret(), gaussian(0.99), moved));
}

TEST_F(AllowanceTest, AChoiceAmongAnotherNumberOfCandidatesIsRefusedUncharged) {
  Allowance allowance = open(ZcdpEvent{1});
  EXPECT_REFUSED(internal, "", curator_.choose(secret(3), choice(1), allowance));
  EXPECT_REFUSED(internal, "", curator_.release(secret(3), gaussian(1), allowance));
  EXPECT_NEAR(allowance.left(), 1, 1e-12);
}

TEST_F(AllowanceTest, AChoiceNeedsAChargeAndUsesItUp) {
  EXPECT_REFUSED(budget_exceeded, "", curator_.choose(secret(2), choice(1)));
  curator_.charge({ExponentialEvent{1}});
  EXPECT_REFUSED(budget_exceeded, "", curator_.choose(secret(2), choice(2)));
  EXPECT_LT(curator_.choose(secret(2), choice(1)), 2U);
  EXPECT_REFUSED(budget_exceeded, "", curator_.choose(secret(2), choice(1)));
}

// Ten thousand adaptive paths: the next price is a function of the outputs so far. An accountant of the test's own adds
// them up; no path ever draws when the amount is short.
TEST_F(AllowanceTest, NoAdaptivePathOverdraws) {
  std::mt19937_64 random(5);
  std::uint64_t refused = 0;
  for (int path = 0; path < 10000; ++path) {
    const double rho = std::ldexp(std::uniform_real_distribution<double>(0.5, 1)(random), -static_cast<int>(path % 20));
    Allowance allowance = open(ZcdpEvent{rho});
    long double spent = 0;
    std::size_t last = 0;
    for (int step = 0; step < 12; ++step) {
      const double share = rho * std::uniform_real_distribution<double>(0.01, last == 0 ? 0.3 : 0.6)(random);
      const double epsilon = std::sqrt(8 * share);
      if (!allowance.fits(ExponentialEvent{epsilon})) {
        ++refused;
        EXPECT_GT(spent + static_cast<long double>(epsilon) * epsilon / 8, rho * (1 - 1e-12L));
        EXPECT_THROW(curator_.choose(secret(2), choice(epsilon), allowance), Error);
        continue;
      }
      last = curator_.choose(secret(2), choice(epsilon), allowance);
      spent += static_cast<long double>(epsilon) * epsilon / 8;
      ASSERT_LE(spent, static_cast<long double>(rho));
    }
  }
  EXPECT_GT(refused, 10000U);
}

}  // namespace
}  // namespace sotto
