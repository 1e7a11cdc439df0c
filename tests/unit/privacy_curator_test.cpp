// The curator: nothing is opened without a charge, seeds and unprotected releases leave a stamp, secrets stay shut.
#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <ostream>
#include <type_traits>
#include <utility>

#include "refusals.h"
#include "sotto/base/error.h"
#include "sotto/privacy/curator.h"

namespace sotto {
namespace {

// A secret can be moved and destroyed, nothing else.
template <class T>
concept Comparable = requires(const T& a, const T& b) {
  a == b;
};
template <class T>
concept Ordered = requires(const T& a, const T& b) {
  a < b;
};
template <class T>
concept Printable = requires(std::ostream& out, const T& a) {
  out << a;
};
template <class T>
concept Readable = requires(const T& a) {
  a.value_;
}
|| requires(const T& a) { *a; }
|| requires(T& a) { a.get(); };
template <class T>
concept Indexable = requires(const T& a) {
  a[0];
};

using Secret = Sensitive<Vector>;
static_assert(!std::copy_constructible<Secret> && !std::is_copy_assignable_v<Secret>);
static_assert(std::movable<Secret>);
static_assert(!Comparable<Secret> && !Ordered<Secret> && !Printable<Secret> && !Readable<Secret> && !Indexable<Secret>);
static_assert(!std::convertible_to<Secret, Vector> && !std::constructible_from<Vector, Secret>);
static_assert(!std::convertible_to<Vector, Secret>);     // becoming secret is said out loud
static_assert(Comparable<Vector> && Indexable<Vector>);  // the concepts can be true

constexpr std::size_t kDimension = 4;

Calibrated noise(std::uint64_t times = 1, std::uint64_t parts = 1) {
  return calibrate(MechanismChoice::l2_laplace, {1, kDimension, times, parts}, {.epsilon = 1});
}
Secret secret(std::size_t size = kDimension) { return Secret(Vector(size, 3.0)); }

class CuratorTest : public testing::Test {
 protected:
  BitSource bits_{ReproducibleSeed{1}};
  Curator curator_{bits_};
};

TEST_F(CuratorTest, RefusesAReleaseThatWasNotCharged) {
  EXPECT_REFUSED(budget_exceeded, "", curator_.release(secret(), noise().mechanism));
  EXPECT_REFUSED(budget_exceeded, "", curator_.step_noise(noise().mechanism, 1));
}

TEST_F(CuratorTest, RefusesAReleaseThatCostsAnotherEvent) {
  curator_.charge(noise().charge());
  const Calibrated dearer = calibrate(MechanismChoice::l2_laplace, {1, kDimension, 1, 1}, {.epsilon = 2});
  EXPECT_REFUSED(budget_exceeded, "", curator_.release(secret(), dearer.mechanism));
  const Calibrated other = calibrate(MechanismChoice::discrete_laplace, {1, kDimension, 1, 1}, {.epsilon = 1});
  EXPECT_REFUSED(budget_exceeded, "", curator_.release(secret(), other.mechanism));
}

TEST_F(CuratorTest, AChargeIsUsedUpOnce) {
  curator_.charge(noise().charge());
  const Vector released = curator_.release(secret(), noise().mechanism);
  EXPECT_EQ(released.size(), kDimension);
  EXPECT_REFUSED(budget_exceeded, "", curator_.release(secret(), noise().mechanism));
  EXPECT_EQ(curator_.charges().size(), 1U);
}

TEST_F(CuratorTest, ReleasesLieOnTheGridAndCarryNoise) {
  const Calibrated c = noise();
  curator_.charge(c.charge());
  const Vector released = curator_.release(secret(), c.mechanism);
  const double step = base_of(c.mechanism).grid.step;
  for (const double value : released) {
    EXPECT_EQ(value / step, std::rint(value / step));
    EXPECT_NE(value, 3.0);
  }
}

TEST_F(CuratorTest, RefusesAVectorOfAnotherDimension) {
  curator_.charge(noise().charge());
  EXPECT_REFUSED(internal, "", curator_.release(secret(kDimension + 1), noise().mechanism));
  NoisySums sums = curator_.step_noise(noise().mechanism, 1);
  Vector sum(kDimension + 3, 5.0);
  sums.perturb(sum);
  EXPECT_EQ(sum, Vector(kDimension + 3, 0.0));
}

TEST_F(CuratorTest, MoreSumsThanChargedBecomeZeros) {
  const Calibrated c = noise(2, 3);
  curator_.charge(c.charge());
  NoisySums sums = curator_.step_noise(c.mechanism, 6);
  Vector sum;
  for (int i = 0; i < 6; ++i) {
    sum.assign(kDimension, 5.0);
    sums.perturb(sum);
    EXPECT_NE(sum, Vector(kDimension, 0.0));
    EXPECT_NE(sum, Vector(kDimension, 5.0));
  }
  EXPECT_EQ(sums.draws_left(), 0U);
  sum.assign(kDimension, 5.0);
  sums.perturb(sum);
  EXPECT_EQ(sum, Vector(kDimension, 0.0));
  EXPECT_REFUSED(budget_exceeded, "", curator_.step_noise(c.mechanism, 1));
}

TEST_F(CuratorTest, PostProcessingIsFreeOnlyAfterEverySumWasNoised) {
  const Calibrated c = noise(1, 2);
  curator_.charge(c.charge());
  NoisySums sums = curator_.step_noise(c.mechanism, 2);
  Vector sum(kDimension, 0.0);
  sums.perturb(sum);
  EXPECT_REFUSED(internal, "", curator_.release_post_processed(secret(), sums));
  sums.perturb(sum);
  EXPECT_EQ(curator_.release_post_processed(secret(), sums), Vector(kDimension, 3.0));
}

TEST_F(CuratorTest, ChargedDrawsCannotBeCopiedLentOrAskedForInNoNumber) {
  static_assert(!std::is_copy_constructible_v<NoisySums> && !std::is_copy_assignable_v<NoisySums>);
  const Calibrated c = noise(1, 2);
  curator_.charge(c.charge());
  EXPECT_REFUSED(internal, "", curator_.step_noise(c.mechanism, 0));
  NoisySums sums = curator_.step_noise(c.mechanism, 2);
  NoisySums moved = std::move(sums);
  EXPECT_EQ(moved.draws_left(), 2U);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is left behind must be harmless
  EXPECT_REFUSED(internal, "", curator_.release_post_processed(secret(), sums));
  Vector sum(kDimension, 5.0);
  sums.perturb(sum);
  EXPECT_EQ(sum, Vector(kDimension, 0.0));

  moved.perturb(sum);
  moved.perturb(sum);
  BitSource other_bits(ReproducibleSeed{2});
  Curator other(other_bits);
  EXPECT_REFUSED(internal, "", other.release_post_processed(secret(), moved));
}

TEST(Curator, ASeededSourceLeavesAStampAndTheSystemsDoesNot) {
  BitSource seeded(ReproducibleSeed{1}), real;
  EXPECT_EQ(Curator(seeded).stamps().size(), 1U);
  EXPECT_TRUE(Curator(real).stamps().empty());
}

/// Draws as the product does, and keeps what it saw.
class Watching : public Drawer {
 public:
  using Drawer::Drawer;
  Vector release(Vector value, const Mechanism& mechanism) override {
    seen = value;
    return Drawer::release(std::move(value), mechanism);
  }
  Vector seen;
};

TEST(Curator, AnotherDrawerLeavesAStampThoughItsBitsArePrivate) {
  BitSource bits;
  Drawer plain(bits);
  EXPECT_EQ(Curator(plain).stamps().size(), 1U) << "whatever it does";
  Watching watching(bits);
  Curator curator(watching);
  ASSERT_EQ(curator.stamps().size(), 1U);
  curator.charge(noise().charge());
  curator.release(secret(), noise().mechanism);
  EXPECT_EQ(watching.seen, Vector(kDimension, 3.0));
}

TEST(Curator, AnotherDrawerDrawsNothingThatWasNotChargedAndDrawsForTheRunsInside) {
  BitSource bits(ReproducibleSeed{3});
  Watching watching(bits);
  Curator curator(watching);
  EXPECT_REFUSED(budget_exceeded, "", curator.release(secret(), noise().mechanism));
  EXPECT_TRUE(watching.seen.empty()) << "it was not even asked";
  const Event whole = parallel({event_of(noise().mechanism)}, PartBy::position);
  curator.charge({whole});
  Trials trials = curator.open_trials(whole, Relation::replace_one);
  Curator inner = trials.next();
  EXPECT_EQ(inner.stamps(), curator.stamps());
  inner.charge(noise().charge());
  inner.release(secret(), noise().mechanism);
  EXPECT_EQ(watching.seen, Vector(kDimension, 3.0));
}

TEST(Curator, AnUnprotectedReleaseNeedsAStamp) {
  BitSource real;
  Curator curator(real);
  EXPECT_REFUSED(internal, "", curator.release_unprotected(secret()));
  curator.stamp("a test");
  EXPECT_EQ(curator.release_unprotected(secret()), Vector(kDimension, 3.0));
}

TEST_F(CuratorTest, AValueThatIsNotANumberOrTooLargeIsReleasedAsSomeNumberOfTheGrid) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e308}) {
    curator_.charge(noise().charge());
    for (const double value : curator_.release(Secret(Vector(kDimension, bad)), noise().mechanism)) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace sotto
