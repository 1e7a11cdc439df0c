#include <gtest/gtest.h>

#include <cmath>

#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/rounded_sum.h"

namespace sotto {
namespace {

TEST(Split, NeitherSumIsAboveTheWhole) {
  for (int hundredths = 5; hundredths <= 1000; ++hundredths) {
    const double whole = hundredths / 100.0;
    for (int percent = 5; percent <= 50; percent += 5) {
      const Split parts = split(whole, percent / 100.0, Filter::kLossUnits);
      EXPECT_LE(sum_up(parts.share, parts.rest), whole);
      EXPECT_NEAR(parts.share, whole * percent / 100, 2e-12);
      const double units = std::ceil(parts.share * 1e12 - 1e-3) + std::ceil(parts.rest * 1e12 - 1e-3);
      EXPECT_LE(units, hundredths * 1e10) << whole << ' ' << percent;
    }
  }
}

TEST(Split, ALedgerOfTheWholeTakesBothParts) {
  for (const double whole : {0.3, 0.7, 1.0, 1.1, 2.9}) {
    Filter filter = Filter::open(FilterKind::sum, {.epsilon = whole, .delta = 1e-6});
    const Split parts = split(whole, 0.1, Filter::kLossUnits);
    EXPECT_TRUE(filter.fits(filter.cost_of(PureEvent{parts.share})));
    filter.spend(filter.cost_of(PureEvent{parts.share}));
    EXPECT_TRUE(filter.fits(filter.cost_of(PureEvent{parts.rest}))) << whole;
  }
}

TEST(Split, TinyAndHugeNumbersAddUpToo) {
  for (const double whole : {0.0, 5e-13, 1e-300, 1e4}) {
    const Split parts = split(whole, 0.1, Filter::kLossUnits);
    EXPECT_EQ(parts.share + parts.rest, whole);
  }
}

}  // namespace
}  // namespace sotto
