// The hidden-state factors against an exact solution of the payments they stand for: the cheapest way to pay off shifts
// s_t that decay by c a step is the greatest convex minorant of what is owed, in discounted units.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/losses/loss.h"
#include "sotto/optim/hidden_state.h"

namespace sotto {
namespace {

/// min sum a_t^2 with z_t = c z_{t-1} + s_t - a_t >= 0, z_T = 0. With x_t = c^(T-t) a_t and X their sums: minimise
/// sum x_t^2 / c^(2(T-t)) under X_t <= S_t and X_T = S_T; the solution is the lower hull of the points (u_t, S_t).
double cheapest(double c, const std::vector<double>& shifts) {
  struct Point {
    double u, owed;
  };
  std::vector<Point> hull = {{0, 0}};
  Point at{0, 0};
  for (std::size_t t = 0; t < shifts.size(); ++t) {
    const double discount = std::pow(c, static_cast<double>(shifts.size() - 1 - t));
    at = {at.u + discount * discount, at.owed + discount * shifts[t]};
    const auto slope = [](const Point& a, const Point& b) { return (b.owed - a.owed) / (b.u - a.u); };
    while (hull.size() >= 2 && slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), at)) hull.pop_back();
    hull.push_back(at);
  }
  double cost = 0;
  for (std::size_t i = 1; i < hull.size(); ++i) {
    cost += std::pow(hull[i].owed - hull[i - 1].owed, 2) / (hull[i].u - hull[i - 1].u);
  }
  return cost;
}

TEST(HiddenState, TheFullScanFactorIsTheCheapestPayment) {
  for (const double c : {0.3, 0.9, 0.999}) {
    for (const std::size_t steps : {1, 2, 7, 60}) {
      const double exact = cheapest(c, std::vector<double>(steps, 1.0));
      const double factor = hidden_factor_full(1 - c, steps);
      EXPECT_NEAR(factor, exact, 1e-9 * exact);
      EXPECT_GE(factor, exact * (1 - 1e-13));
      EXPECT_LE(factor, static_cast<double>(steps) * (1 + 1e-11)) << "never above composition";
    }
  }
}

TEST(HiddenState, TheCyclicFactorIsTheCheapestPaymentOfTheWorstPosition) {
  for (const double c : {0.3, 0.9, 0.99}) {
    for (const std::size_t batches : {2, 3, 6}) {
      for (const std::size_t passes : {1, 2, 5}) {
        double worst = 0;
        for (std::size_t position = 0; position < batches; ++position) {
          std::vector<double> shifts(batches * passes, 0.0);
          for (std::size_t t = position; t < shifts.size(); t += batches) shifts[t] = 1;
          worst = std::max(worst, cheapest(c, shifts));
        }
        EXPECT_NEAR(hidden_factor_cyclic(1 - c, batches, passes), worst, 1e-9 * worst);
      }
    }
  }
}

TEST(HiddenState, ShiftsAtEveryStepOnTopOfHitsCostAtMostTheSumOfBothNorms) {
  const double c = 0.95;
  std::vector<double> shifts(40, 0.01);
  for (std::size_t t = 3; t < 40; t += 4) shifts[t] += 1;
  const double claimed =
      std::sqrt(hidden_factor_cyclic(1 - c, 4, 10)) + 0.01 * std::sqrt(hidden_factor_full(1 - c, 40));
  EXPECT_LE(std::sqrt(cheapest(c, shifts)), claimed);
}

TEST(HiddenState, AStepThatDoesNotContractIsRefused) {
  const LossConstants logistic = constants_of(Logistic{}, 1);
  EXPECT_NEAR(contraction_gap(4, 0.01, logistic), 0.04, 1e-9);
  EXPECT_NEAR(contraction_gap(7.5, 0.01, logistic), 2 - 7.5 * 0.26, 1e-9);
  const std::function<void()> refused[] = {[&] { contraction_gap(1, 0, logistic); },
                                           [&] { contraction_gap(2 / 0.26, 0.01, logistic); },
                                           [] { contraction_gap(1, 0.01, constants_of(Hinge{}, 1)); }};
  for (const auto& action : refused) {
    try {
      action();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::unsupported);
      EXPECT_FALSE(e.field().empty());
    }
  }
}

}  // namespace
}  // namespace sotto
