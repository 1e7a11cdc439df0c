// Laws every loss obeys; the catalogue is walked, so that a new loss is covered by being listed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "sotto/base/catalog.h"
#include "sotto/base/error.h"
#include "sotto/losses/loss.h"

namespace sotto {
namespace {

const double kHuge[] = {-1e300, -1e4, -750, -709, -40, -1, 0, 1, 40, 709, 750, 1e4, 1e300};

/// Parameters a user may choose, besides the default ones.
std::vector<Loss> variants_of(Loss loss) {
  std::vector<Loss> all = {loss};
  if (std::holds_alternative<HuberSvm>(loss)) all = {HuberSvm{}, HuberSvm{1e-3}, HuberSvm{0.5}, HuberSvm{20}};
  return all;
}

template <class Visit>
void for_each_loss(const Visit& visit) {
  for_each_member<Loss>([&](auto tag) {
    for (const Loss& loss : variants_of(typename decltype(tag)::type{})) with_margin_loss(loss, visit);
  });
}

std::vector<double> margins() {
  std::vector<double> all;
  for (double m = -30; m <= 30; m += 0.01) all.push_back(m + 1e-3);
  return all;
}

TEST(LossLaws, TheSlopeIsTheDerivativeOfTheValue) {
  for_each_loss([](const auto& loss) {
    const double h = 1e-6;
    for (const double m : margins()) {
      if (loss.slope(m - h) != loss.slope(m + h) && !loss.constants(1).smooth()) continue;  // a corner
      const double difference = (loss.value(m + h) - loss.value(m - h)) / (2 * h);
      // An error of order h times the curvature, and the rounding of the difference.
      const double curvature = loss.constants(1).smooth() ? loss.constants(1).smoothness : 0;
      EXPECT_NEAR(loss.slope(m), difference, 1e-8 + h * curvature) << loss.kName << " at " << m;
    }
  });
}

TEST(LossLaws, TheSlopeLiesInMinusOneToZeroAndNeverFalls) {
  for_each_loss([](const auto& loss) {
    double before = -1;
    for (const double m : margins()) {
      const double slope = loss.slope(m);
      EXPECT_GE(slope, -1);
      EXPECT_LE(slope, 0);
      EXPECT_GE(slope, before - 1e-15) << loss.kName << ": convex at " << m;
      before = slope;
    }
  });
}

TEST(LossLaws, TheValueIsConvexAndNotNegative) {
  for_each_loss([](const auto& loss) {
    for (double m = -20; m < 20; m += 0.0137) {
      EXPECT_GE(loss.value(m), 0);
      EXPECT_LE(loss.value(m), (loss.value(m - 0.3) + loss.value(m + 0.3)) / 2 + 1e-13) << loss.kName << " at " << m;
    }
  });
}

TEST(LossLaws, ValueAndSlopeAreFiniteAtEveryMargin) {
  for_each_loss([](const auto& loss) {
    for (const double m : kHuge) {
      EXPECT_TRUE(std::isfinite(loss.value(m))) << loss.kName << " at " << m;
      EXPECT_TRUE(loss.slope(m) >= -1 && loss.slope(m) <= 0) << loss.kName << " at " << m;
    }
    // Linear on the left, nothing on the right; relative to the size of the margin.
    EXPECT_NEAR(loss.value(-1e4), 1e4, 20);
    EXPECT_NEAR(loss.value(-1e300) / 1e300, 1, 1e-12);
    EXPECT_EQ(loss.value(1e4), 0);
    EXPECT_EQ(loss.slope(-1e4), -1);
    EXPECT_EQ(loss.slope(1e4), 0);
    EXPECT_EQ(loss.slope(-1e300), -1);
    EXPECT_EQ(loss.slope(1e300), 0);
  });
}

// Public weights may be infinite, and then one row's margin is no number where another's is: that row must not count
// for more than a row.
TEST(LossLaws, ASlopeIsOneOfARowWhateverTheMargin) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity(),
                   kNone = std::numeric_limits<double>::quiet_NaN();
  for_each_loss([&](const auto& loss) {
    for (const double m : {kNone, -kNone, kInfinite, -kInfinite}) {
      EXPECT_TRUE(loss.slope(m) >= -1 && loss.slope(m) <= 0) << loss.kName << " at " << m;
      if constexpr (requires(double* x) { loss.slopes(x, std::size_t{1}, x); }) {
        std::vector<double> many(9, m);
        loss.slopes(many.data(), many.size(), many.data());
        for (const double slope : many) EXPECT_EQ(slope, loss.slope(m)) << loss.kName << " at " << m;
      }
    }
  });
}

TEST(LossLaws, TheSmoothnessIsNeverExceededAndIsAttained) {
  for_each_loss([](const auto& loss) {
    const double beta = loss.constants(1).smoothness;
    if (!loss.constants(1).smooth()) return;
    double steepest = 0;
    const double h = 1e-3 * std::min(1.0, 1 / beta);
    for (double m = -8; m <= 8; m += h) {
      const double curvature = (loss.slope(m + h) - loss.slope(m)) / h;
      EXPECT_LE(curvature, beta * (1 + 1e-9));
      steepest = std::max(steepest, curvature);
    }
    EXPECT_GE(steepest, 0.999 * beta) << loss.kName;
  });
}

/// The data gradient of a labelled row of norm at most X at w, in two dimensions.
struct Gradient {
  double x, y;
};
template <class L>
Gradient gradient(const L& loss, std::mt19937_64& random, double norm, const Gradient& w) {
  std::uniform_real_distribution<double> angle(0, 6.283185307179586), unit(0, 1);
  const double a = angle(random), r = norm * (random() % 2 == 0 ? 1.0 : unit(random));
  const double label = random() % 2 == 0 ? 1 : -1;
  const Gradient row{r * std::cos(a), r * std::sin(a)};
  const double slope = label * loss.slope(label * (w.x * row.x + w.y * row.y));
  return {slope * row.x, slope * row.y};
}

TEST(LossLaws, GradientsNeverExceedTheirBoundsAndComeNearThem) {
  std::mt19937_64 random(11);
  for_each_loss([&](const auto& loss) {
    for (const double norm : {0.2, 1.0, 3.0}) {
      const LossConstants c = loss.constants(norm);
      EXPECT_EQ(c.diameter_replace_one, 2 * c.diameter_add_remove);
      double longest = 0, widest = 0;
      for (int i = 0; i < 100000; ++i) {
        const double reach = i % 2 == 0 ? 0.01 : 60 / norm;
        const Gradient w{reach * std::cos(i), reach * std::sin(i)};
        const Gradient one = gradient(loss, random, norm, w), other = gradient(loss, random, norm, w);
        longest = std::max(longest, std::hypot(one.x, one.y));
        widest = std::max(widest, std::hypot(one.x - other.x, one.y - other.y));
      }
      EXPECT_LE(longest, c.lipschitz * (1 + 1e-12));
      EXPECT_LE(longest, c.diameter_add_remove * (1 + 1e-12));
      EXPECT_LE(widest, c.diameter_replace_one * (1 + 1e-12));
      EXPECT_GE(longest, 0.99 * c.lipschitz) << loss.kName;
      EXPECT_GE(widest, 0.9 * c.diameter_replace_one) << loss.kName;
    }
  });
}

TEST(LossLaws, SlopesOfABlockAreTheSlopesOneByOne) {
  for_each_loss([](const auto& loss) {
    if constexpr (requires(double* x) { loss.slopes(x, std::size_t{1}, x); }) {
      std::vector<double> in = margins(), out(in.size());
      for (const double m : kHuge) in.push_back(m);
      out.resize(in.size());
      loss.slopes(in.data(), in.size(), out.data());
      for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], loss.slope(in[i]));
    }
  });
}

// The answers of losses/traits.h against the slopes, both ways: a loss that has the property says so.
TEST(LossTraits, SigmoidsAreProbabilitiesWhereTheirLogOddsMinimiseTheExpectedLoss) {
  for_each_loss([]<class L>(const L& loss) {
    double off = 0;  // p phi'(m) - (1 - p) phi'(-m) at the log odds m of p
    for (double m = -5; m <= 5; m += 0.1) {
      const double p = 1 / (1 + std::exp(-m));
      off = std::max(off, std::fabs(p * loss.slope(m) - (1 - p) * loss.slope(-m)));
    }
    EXPECT_EQ(L::kProbabilities == Probabilities::sigmoid, off < 1e-12) << loss.kName;
    EXPECT_NE(L::kProbabilities, Probabilities::shares) << loss.kName << " has one score for two classes";
  });
}

TEST(LossTraits, TheLogisticSlopeIsNamedAsSuch) {
  for_each_loss([]<class L>(const L& loss) {
    double off = 0;
    for (double m = -30; m <= 30; m += 0.1) off = std::max(off, std::fabs(loss.slope(m) + 1 / (1 + std::exp(m))));
    EXPECT_EQ(L::kLogisticSlope, off < 1e-12) << loss.kName;
  });
}

TEST(LossTraits, TwoDerivativesMeanThatTheSecondDoesNotJump) {
  for_each_loss([]<class L>(const L&) {
    const L loss{};  // of other widths the corners may lie elsewhere
    const double h = 1e-4;
    double jump = 0;  // of the difference quotient of the slope, over a distance of h
    for (double m = -4; m <= 4; m += h) {
      const double left = (loss.slope(m) - loss.slope(m - h)) / h, right = (loss.slope(m + h) - loss.slope(m)) / h;
      jump = std::max(jump, std::fabs(right - left));
    }
    EXPECT_EQ(L::kTwiceDifferentiable, jump < 1e-3) << loss.kName;
    EXPECT_EQ(has_two_derivatives(loss), L::kTwiceDifferentiable);
  });
}

TEST(LossTraits, StraightMeansThatTheSlopeIsMinusOneFarBelowZero) {
  for_each_loss([]<class L>(const L& loss) {
    EXPECT_EQ(L::kStraightBelowZero, loss.slope(-20) == -1) << loss.kName;
    EXPECT_EQ(is_straight_below_zero(loss), L::kStraightBelowZero);
  });
}

TEST(LossTraits, WhatTakesItsPlaceUnderNoiseIsStraightAndPullsHarderAtTheStart) {
  for_each_loss([]<class L>(const L& loss) {
    const Loss other = straightened(loss);
    if (name_of(other) == loss.kName) return;
    EXPECT_TRUE(is_straight_below_zero(other)) << loss.kName;
    EXPECT_EQ(constants_of(other, 1).lipschitz, loss.constants(1).lipschitz) << loss.kName;
    EXPECT_GT(steepness_across(other), steepness_across(loss)) << loss.kName;
  });
  EXPECT_EQ(name_of(straightened(Logistic{})), "robust_logistic");
  EXPECT_EQ(std::get<HuberSvm>(straightened(HuberSvm{0.3})).huber_width, 0.3) << "its own parameters stay";
}

TEST(LossTraits, WhatTakesItsPlaceForAGradientIsSmoothAndHardlyAbove) {
  const double width = 0.01;
  for_each_loss([&]<class L>(const L& loss) {
    const Loss smooth = smoothed(loss, width);
    EXPECT_TRUE(constants_of(smooth, 1).smooth()) << loss.kName;
    EXPECT_EQ(constants_of(smooth, 1).diameter_replace_one, loss.constants(1).diameter_replace_one) << loss.kName;
    with_margin_loss(smooth, [&](const auto& other) {
      for (double m = -3; m <= 3; m += 1e-3) {
        EXPECT_GE(other.value(m), loss.value(m) - 1e-15) << loss.kName;
        EXPECT_LE(other.value(m), loss.value(m) + width / 4 + 1e-15) << loss.kName;
      }
    });
    if (loss.constants(1).smooth()) {
      EXPECT_EQ(name_of(smooth), loss.kName);
    }
  });
}

TEST(LossTraits, OfOneRowsHessianTraceRankAndMeanAgree) {
  for_each_member<Loss>([](auto tag) {
    const typename decltype(tag)::type loss;
    if (!loss.constants(1).smooth()) return;
    for (const std::uint32_t classes : {2U, 3U, 10U}) {
      const RowCurvature row = row_curvature(loss, 0.7, classes);
      EXPECT_NEAR(row.trace, row.corners * row.mean, 1e-15) << loss.kName;
      EXPECT_LE(row.mean, loss.constants(0.7).smoothness * (1 + 1e-15)) << loss.kName;
      EXPECT_GE(row.corners * loss.constants(0.7).smoothness, row.trace * (1 - 1e-15)) << loss.kName;
      EXPECT_EQ(row.corners, is_margin_loss(loss) ? 1 : classes - 1.0) << loss.kName;
    }
  });
}

TEST(LossTraits, BoundsAtSmallWeightsAreGentlerWhereTheLossSaysSo) {
  for_each_member<Loss>([](auto tag) {
    const typename decltype(tag)::type loss;
    for (const std::uint32_t classes : {2U, 5U}) {
      const bool less = constants_at(loss, 1, classes, 0).lipschitz < constants_of(loss, 1, classes).lipschitz;
      EXPECT_EQ(is_gentler_at_small_weights(loss), less) << loss.kName;
    }
  });
  EXPECT_EQ(steepness_across(Logistic{}), 0.5) << "to the last bit: half of the largest gradient";
  EXPECT_EQ(steepness_across(Softmax{}), 0);
}

TEST(LossTraits, MessagesNameTheLossesThatHaveAProperty) {
  const std::string smooth = " " + smooth_loss_names() + ",";
  for_each_member<Loss>([&](auto tag) {
    const typename decltype(tag)::type loss;
    const std::string name = " " + std::string(loss.kName);
    const bool named = smooth.find(name + ",") != std::string::npos || smooth.find(name + " or ") != std::string::npos;
    EXPECT_EQ(named, loss.constants(1).smooth()) << smooth;
  });
  EXPECT_EQ(loss_names([](auto tag) {
              const std::string_view name = decltype(tag)::type::kName;
              return name == "logistic" || name == "hinge" || name == "softmax";
            }),
            "logistic, hinge or softmax");
}

TEST(LossLaws, EveryLossIsFoundByItsName) {
  for (const std::string_view name : names<Loss>()) EXPECT_EQ(name_of(make_by_name<Loss>(name, "loss")), name);
}

TEST(Logistic, CrossEntropyIsTheSameLoss) {
  const Loss loss = make_by_name<Loss>("cross_entropy", "loss");
  ASSERT_TRUE(std::holds_alternative<Logistic>(loss));
  for (double score = -30; score <= 30; score += 0.37) {
    const long double p = 1 / (1 + std::exp(-static_cast<long double>(score)));
    for (const int y : {0, 1}) {
      const long double q = 1 / (1 + std::exp(static_cast<long double>(score)));  // 1 - p without cancellation
      const long double cross_entropy = -(y * std::log(p) + (1 - y) * std::log(q));
      const double margin = (2 * y - 1) * score;
      const double value = std::get<Logistic>(loss).value(margin);
      EXPECT_NEAR(value, static_cast<double>(cross_entropy), 1e-14 * std::max(1.0, value));
      // d/dscore of the cross-entropy is p - y; of the logistic loss it is (2y - 1) slope.
      EXPECT_NEAR((2 * y - 1) * std::get<Logistic>(loss).slope(margin), static_cast<double>(y == 1 ? -q : p), 1e-15);
    }
  }
}

TEST(RobustLogistic, IsTwiceTheLogisticLossAndThenStraight) {
  const RobustLogistic robust;
  const Logistic logistic;
  for (double margin = 0; margin <= 30; margin += 0.37) {
    EXPECT_EQ(robust.value(margin), 2 * logistic.value(margin));
    EXPECT_EQ(robust.slope(margin), 2 * logistic.slope(margin));
    EXPECT_NEAR(robust.value(-margin), std::log(4.0) + margin, 1e-14 * (1 + margin));
    EXPECT_EQ(robust.slope(-margin), -1);
  }
}

TEST(HuberSvm, RefusesAWidthThatIsNotPositive) {
  for (const double width : {0.0, -1.0, std::nan(""), 1e7}) {
    try {
      HuberSvm{width}.check();
      ADD_FAILURE() << width;
    } catch (const Error& e) {
      EXPECT_EQ(e.field(), "huber_width");
    }
  }
}

TEST(HuberSvm, JoinsItsThreePartsWithoutAJump) {
  for (const double h : {0.01, 0.1, 2.0}) {
    const HuberSvm loss{h};
    EXPECT_NEAR(loss.value(1 - h), h, 1e-12);
    EXPECT_NEAR(loss.slope(1 - h), -1, 1e-12);
    EXPECT_NEAR(loss.value(1 + h), 0, 1e-12);
    EXPECT_NEAR(loss.slope(1 + h), 0, 1e-12);
    EXPECT_NEAR(loss.value(1), h / 4, 1e-12);
    EXPECT_NEAR(loss.slope(1), -0.5, 1e-12);
  }
}

}  // namespace
}  // namespace sotto
