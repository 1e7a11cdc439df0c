// The exact Gaussian profile, its inverse, and the zCDP conversion, against values from elsewhere.
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

struct Known {
  double first, second, expected;
};

TEST(Gaussian, MatchesPublishedValues) {
  // google/differential-privacy, privacy_loss_mechanism_test.py and accountant_test.py: (mu, epsilon, delta) to 5e-8.
  const Known published[] = {
      {1, 1, 0.12693674}, {3, 1, 0.78760074}, {2, 1, 0.50986166}, {2, 2, 0.331897999}, {1, 0, 0.38292492}};
  for (const Known& k : published) EXPECT_NEAR(gaussian_delta(k.first, k.second), k.expected, 5e-8);
  // numerical-mechanisms_test.cc: standard deviation 14 for epsilon 1 and delta 6.486452831e-47, sensitivity 1.
  EXPECT_NEAR(1 / gaussian_mu(1, 6.486452831e-47), 14.0, 1e-4);
  EXPECT_NEAR(1 / gaussian_mu(1, 0.12693674), 1.0, 5e-4);
  EXPECT_NEAR(2 / gaussian_mu(1, 0.12693674), 2.0, 1e-3);
  EXPECT_NEAR(1 / gaussian_mu(1, 0.78760074), 0.3333333333, 5e-8);
  // Their search stops up to 0.1 percent above the exact standard deviation.
  const double ln3 = 1 / gaussian_mu(std::log(3.0), 1e-5);
  EXPECT_LE(ln3, 3.42578125);
  EXPECT_GE(ln3, 3.42578125 / 1.001);
  // Ten times the sensitivity, 100 releases: mu = 1; epsilon 4.3771781 at delta 1e-5.
  EXPECT_NEAR(gaussian_delta(1, 4.3771781), 1e-5, 1e-11);
}

TEST(Gaussian, MatchesValuesWithFourHundredDigits) {
  // Phi(-e/mu + mu/2) - exp(e) Phi(-e/mu - mu/2) by mpmath 1.3 at 400 digits.
  const Known exact[] = {{1, 1, 0.1269367375066439458},
                         {0.25, 1, 2.924272104856407347e-6},
                         {2, 0, 0.68268949213708589717},
                         {0.03125, 1, 8.7601531696745180128e-228},
                         {0.5, 8, 1.0486591789128747036e-57},
                         {4, 50, 1.1783736583641462224e-26},
                         {1.5, 50, 1.5516651656909845727e-234},
                         {10, 50, 0.46049330589861399706},
                         {0.02734375, 1, 5.0099338293605073196e-296}};
  for (const Known& k : exact) {
    const double delta = gaussian_delta(k.first, k.second);
    EXPECT_GE(delta, k.expected) << "rounded up";
    EXPECT_LE(delta, k.expected * (1 + 1e-15));
  }
}

TEST(Gaussian, CalibratesFromDelta1em300ToFourTenths) {
  // The mu with delta_G(mu; e) = delta, bisection by mpmath 1.3 at 350 digits.
  const Known exact[] = {{0.0001, 1e-300, 2.7321103614469256e-6},
                         {0.0001, 1e-100, 4.8672971584831698e-6},
                         {0.0001, 1e-12, 1.9951982722232506e-5},
                         {0.0001, 1e-5, 0.00010667971445313292},
                         {0.0001, 0.1, 0.25143636661385157},
                         {0.0001, 0.4, 1.0488873047348838},
                         {0.01, 1e-300, 0.00027227775922067665},
                         {0.01, 1e-12, 0.0017271220791801818},
                         {0.01, 1e-5, 0.0041019677366059834},
                         {0.01, 0.4, 1.0573917804413413},
                         {0.1, 1e-300, 0.0027180616715849265},
                         {0.1, 1e-100, 0.0047895275654430419},
                         {0.1, 1e-5, 0.032520784056203912},
                         {0.1, 0.1, 0.3512562495190931},
                         {1, 1e-300, 0.027125633915817536},
                         {1, 1e-100, 0.047597721477390765},
                         {1, 1e-12, 0.15248965124598128},
                         {1, 1e-5, 0.26805112321129422},
                         {1, 0.1, 0.9209139666132833},
                         {1, 0.4, 1.7029108336583402},
                         {10, 1e-300, 0.26991341142978368},
                         {10, 1e-12, 1.3429807286510384},
                         {10, 1e-5, 2.0004456204306324},
                         {10, 0.4, 4.4352521801357829},
                         {50, 1e-300, 1.329051035687914},
                         {50, 1e-100, 2.2436774536487023},
                         {50, 1e-5, 6.6773233381400261},
                         {50, 0.1, 8.8921895579847874},
                         {50, 0.4, 9.8477731174972687}};
  for (const Known& k : exact) {
    const double mu = gaussian_mu(k.first, k.second);
    EXPECT_LE(mu, k.expected * (1 + 3e-16)) << k.first << " " << k.second;  // rounded down; the constant has 17 digits
    EXPECT_GE(mu, k.expected * (1 - 1e-14)) << k.first << " " << k.second;
  }
}

TEST(Gaussian, GoesThereAndBack) {
  for (const double epsilon : {1e-4, 0.03, 1.0, 7.0, 50.0}) {
    for (const double delta : {1e-300, 1e-40, 1e-9, 1e-3, 0.4}) {
      const double mu = gaussian_mu(epsilon, delta);
      const double back = gaussian_delta(mu, epsilon);
      // d log(delta) / d log(mu) is at most about (epsilon/mu)^2.
      const double slack = 1e-15 * (10 + epsilon * epsilon / (mu * mu));
      EXPECT_NEAR(back, delta, delta * slack) << epsilon << " " << delta;
      EXPECT_LE(back, std::nextafter(delta, 1.0) * (1 + 1e-15));
      EXPECT_GT(gaussian_delta(std::nextafter(mu, 1e9), epsilon), delta) << "the next number would do as well";
    }
  }
}

TEST(Gaussian, RisesWithMuAndFallsWithEpsilonAndIsNeverNaN) {
  for (const double epsilon : {0.0, 1e-4, 1.0, 50.0, 1e4}) {
    double before = 0;
    for (double mu = 1e-6; mu < 1e3; mu *= 1.7) {
      const double delta = gaussian_delta(mu, epsilon);
      EXPECT_TRUE(delta >= before && delta > 0 && delta <= 1 + 1e-15) << mu << " " << epsilon;
      EXPECT_GE(delta, gaussian_delta(mu, epsilon + 0.5));
      before = delta;
    }
  }
}

TEST(Gaussian, TinyShiftsAreNotRoundedBelowTheirProfile) {
  // delta(0) = 2 Phi(mu/2) - 1 = mu phi(0) (1 - mu^2/24 + ...).
  const double density = 0.3989422804014327;
  for (const double mu : {1e-12, 1e-19, 1e-21, 1e-40, 1e-58, 1e-62, 1e-170, 1e-300}) {
    EXPECT_GE(gaussian_delta(mu, 0), mu * density * (1 - 1e-15)) << mu;
    EXPECT_LE(gaussian_delta(mu, 0), mu * density * (1 + 1e-15)) << mu;
    // At epsilon = mu b: mu (phi(b) - b Phi(-b)) to first order, here b = 3.
    EXPECT_NEAR(gaussian_delta(mu, 3 * mu) / (mu * 3.8215431704772e-4), 1, 1e-11) << mu;
  }
  EXPECT_GE(gaussian_delta(1e-315, 0), 1e-315 * density);
  // Both ways of evaluation meet.
  EXPECT_NEAR(gaussian_delta(1.0000001e-20, 2e-20) / gaussian_delta(0.9999999e-20, 2e-20), 1, 2e-6);
}

TEST(Gaussian, RefusesWhatCannotBeBracketed) {
  EXPECT_THROW(gaussian_mu(1e-13, 1e-300), Error);
  EXPECT_THROW(gaussian_mu(1, 1), Error);
  EXPECT_THROW(gaussian_mu(1, 0), Error);
  EXPECT_THROW(gaussian_mu(std::nan(""), 1e-5), Error);
  EXPECT_THROW(gaussian_mu(1, std::nan("")), Error);
  EXPECT_THROW(gaussian_delta(0, 1), Error);
  EXPECT_THROW(gaussian_delta(1, -1), Error);
  EXPECT_THROW(gaussian_delta(std::nan(""), 1), Error);
}

TEST(Zcdp, MatchesValuesWithSixtyDigits) {
  // inf over a of exp((a-1)(a rho - e)) (1 - 1/a)^a / (a - 1): golden section by mpmath 1.3 at 60 digits.
  const Known exact[] = {{0.5, 1, 0.24684633078294449},        {0.01, 1, 1.6641139773879954e-13},
                         {0.001, 0.1, 0.00058317891957458667}, {0.1, 3, 1.7944352083338352e-11},
                         {2, 20, 1.8896033873603833e-19},      {0.0001, 0.05, 2.8062773826311535e-6}};
  for (const Known& k : exact) {
    const double delta = zcdp_delta(k.first, k.second);
    EXPECT_GE(delta, k.expected * (1 - 1e-15)) << "rounded up";
    EXPECT_LE(delta, k.expected * (1 + 1e-9));
  }
  const Known rho[] = {{1, 1e-6, 0.024355970359538373},
                       {0.1, 1e-9, 0.00017713844718502088},
                       {10, 1e-5, 1.7826956163289516},
                       {1, 1e-100, 0.0011177986873161037}};
  for (const Known& k : rho) {
    EXPECT_LE(zcdp_rho(k.first, k.second), k.expected);
    EXPECT_GE(zcdp_rho(k.first, k.second), k.expected * (1 - 1e-9));
  }
  // google/differential-privacy, rdp_privacy_accountant_test.py: noise 4.530877117 is (1, 1e-6) by the same conversion.
  EXPECT_NEAR(1 / std::sqrt(2 * zcdp_rho(1, 1e-6)), 4.530877117, 1e-6);
}

TEST(Zcdp, IsNeverBelowTheExactGaussianProfile) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (double mu = 0.01; mu < 3; mu *= 1.5) {
      EXPECT_GE(zcdp_delta(mu * mu / 2, epsilon), gaussian_delta(mu, epsilon) * (1 - 1e-12));
    }
  }
}

TEST(Zcdp, RefusesWhatMakesNoSense) {
  EXPECT_THROW(zcdp_delta(0, 1), Error);
  EXPECT_THROW(zcdp_delta(std::nan(""), 1), Error);
  EXPECT_THROW(zcdp_rho(1, 0), Error);
}

}  // namespace
}  // namespace sotto
