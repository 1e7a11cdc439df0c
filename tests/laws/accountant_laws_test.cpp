#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/accountant/report.h"

/// What holds for every event and every accountant, over random trees.
namespace sotto {
namespace {

class RandomEvents {
 public:
  explicit RandomEvents(unsigned seed) : random_(seed) {}

  double log_uniform(double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random_));
  }
  std::uint64_t upto(std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>(0, most)(random_); }

  Event leaf() {
    switch (upto(12)) {
      case 0: return PureEvent{log_uniform(1e-4, 20)};
      case 1: return ApproximateEvent{log_uniform(1e-4, 5), log_uniform(1e-12, 0.1)};
      case 2: return L2LaplaceEvent{log_uniform(1e-4, 5)};
      case 3: return DiscreteLaplaceEvent{log_uniform(1e-4, 5)};
      case 4: return ScalarLaplaceEvent{log_uniform(1e-3, 5)};
      case 5: return ScalarDiscreteLaplaceEvent{log_uniform(1e-3, 2), 1 + upto(4)};
      case 6: return GaussianEvent{log_uniform(1e-3, 5)};
      case 7: return DiscreteGaussianEvent{log_uniform(1e-6, 2)};
      case 8: return ExponentialEvent{log_uniform(1e-3, 5)};
      case 9: return PoissonSampledEvent{log_uniform(1e-4, 1), log_uniform(0.3, 20)};
      case 11:
        return ObjectiveEvent{0.5 + log_uniform(0.1, 2),
                              log_uniform(1e-4, 0.1),
                              log_uniform(1e-3, 0.05),
                              {{log_uniform(1e-2, 0.5), 1}, {log_uniform(1e-2, 0.3), 2}}};
      case 10: return FixedSizeSampledEvent{log_uniform(1e-4, 1), log_uniform(0.3, 20)};
      default: return PoissonSampledEvent{log_uniform(1e-3, 1), log_uniform(0.5, 20), NoiseLaw::laplace};
    }
  }
  Event tree(int depth) {
    if (depth == 0) return leaf();
    switch (upto(5)) {
      case 0: return repeat(tree(depth - 1), upto(200));
      case 1: return sequence({tree(depth - 1), leaf()});
      case 2: return parallel({tree(depth - 1), leaf()}, static_cast<PartBy>(upto(2)));
      case 3: return select_best(leaf(), NegativeBinomialRuns{1.5 + 50 * log_uniform(0.01, 1), log_uniform(0.1, 3)});
      case 4: return one_of({tree(depth - 1), leaf()});
      default: return leaf();
    }
  }
  Relation relation() { return upto(1) ? Relation::replace_one : Relation::add_remove; }

 private:
  std::mt19937 random_;
};

std::optional<AccountReport> asked(const Event& event, Relation relation, double given, bool epsilon) {
  try {
    return epsilon ? account_epsilon(event, relation, given) : account_delta(event, relation, given);
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::unsupported || error.kind() == ErrorKind::invalid_argument) << error.what();
    return {};
  }
}

void expect_sane(const AccountReport& report, double most, const std::string& what) {
  for (const AccountLine& line : report.lines) {
    if (!line.value) {
      EXPECT_FALSE(line.refused.empty()) << what;
      continue;
    }
    EXPECT_GE(line.value->lower, 0) << what;  // false for NaN too
    EXPECT_GE(line.value->upper, line.value->lower) << what;
    EXPECT_LE(line.value->upper, most) << what;
  }
}

TEST(AccountantLaws, NeverNegativeNeverNanNeverACrash) {
  RandomEvents random(1);
  int answered = 0;
  for (int i = 0; i < 80; ++i) {
    const Event event = random.tree(static_cast<int>(random.upto(3)));
    const Relation relation = random.relation();
    const std::string what = event_text(event);
    if (const auto report = asked(event, relation, random.log_uniform(1e-15, 0.4), true)) {
      expect_sane(*report, std::numeric_limits<double>::infinity(), what);
      ++answered;
    }
    if (const auto report = asked(event, relation, random.log_uniform(1e-4, 50), false)) expect_sane(*report, 1, what);
  }
  EXPECT_GT(answered, 40);
}

TEST(AccountantLaws, AccountantsOfTheSamePlanDoNotContradictEachOther) {
  // Where the pair is attained, its lower bound is a lower bound on what any accountant may say.
  RandomEvents random(2);
  for (int i = 0; i < 40; ++i) {
    const Event leaf = random.upto(1)
                           ? Event(PoissonSampledEvent{random.log_uniform(1e-3, 1), random.log_uniform(0.4, 9)})
                           : Event(PureEvent{random.log_uniform(1e-3, 3)});
    const Event event = repeat(leaf, 1 + random.upto(500));
    const auto report = asked(event, random.relation(), random.log_uniform(1e-12, 0.1), true);
    ASSERT_TRUE(report);
    const double lower = report->line(AccountantChoice::pld).value->lower;
    for (const AccountLine& line : report->lines) {
      if (!line.value) continue;
      EXPECT_GE(line.value->upper, lower * (1 - 1e-9)) << event_text(event);
    }
  }
}

TEST(AccountantLaws, MoreReleasesNeverCostLess) {
  RandomEvents random(3);
  for (int i = 0; i < 40; ++i) {
    const Event event = random.leaf();
    const Relation relation = random.relation();
    const double delta = random.log_uniform(1e-10, 0.01);
    const auto once = asked(repeat(event, 3), relation, delta, true),
               more = asked(repeat(event, 4), relation, delta, true);
    if (!once || !more) continue;
    EXPECT_GE(more->value.upper, once->value.lower * (1 - 1e-9)) << event_text(event);
  }
}

TEST(AccountantLaws, EpsilonAndDeltaAreInverse) {
  RandomEvents random(4);
  for (int i = 0; i < 30; ++i) {
    const Event event = repeat(random.leaf(), 1 + random.upto(50));
    const double delta = random.log_uniform(1e-9, 0.01);
    const auto epsilon = asked(event, Relation::replace_one, delta, true);
    if (!epsilon || !std::isfinite(epsilon->value.upper) || epsilon->value.upper > 1e4) continue;
    const auto back = asked(event, Relation::replace_one, epsilon->value.upper, false);
    ASSERT_TRUE(back);
    EXPECT_LE(back->value.lower, delta * (1 + 1e-9)) << event_text(event);
  }
}

TEST(AccountantLaws, FiltersNeverPassTheirLimitWhateverIsAsked) {
  RandomEvents random(5);
  for (const FilterKind kind : {FilterKind::sum, FilterKind::zcdp, FilterKind::rdp, FilterKind::gdp}) {
    Filter filter = Filter::open(kind, {2, 1e-5, Relation::replace_one});
    for (int i = 0; i < 300; ++i) {
      const Filter::Cost before = filter.spent();
      try {
        const bool taken = filter.try_spend(random.leaf(), random.upto(3) == 0 ? 1e-14 : 0);
        EXPECT_EQ(taken, filter.spent() != before);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unsupported);
        EXPECT_EQ(filter.spent(), before);
      }
      EXPECT_LE(filter.spent().loss, filter.limit().loss);
      EXPECT_LE(filter.spent().delta, filter.limit().delta);
    }
    EXPECT_GT(filter.spent().loss, 0u);
  }
}

}  // namespace
}  // namespace sotto
