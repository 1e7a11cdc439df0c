// The neighbour test: noise off, two tables that differ in one row, the same order. For every smooth loss x schedule x
// batch x averaging x order x lambda x projection the distance of what is released stays within the sensitivity that
// the plan claims. The catalogues are walked, so that a new entry is covered by being listed.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "planned.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/method.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

/// One combination of what may be chosen, with its plan.
struct Case {
  SgdOptions sgd;
  Plan plan;
  std::uint64_t rows = 0;
  std::string name;
};

std::optional<Plan> plan_of(const SgdOptions& sgd, const PlanInput& input) {
  try {
    return BoltOn{.sgd = sgd}.plan(input);
  } catch (const Error& e) {
    // What is refused cannot be tested; it must be refused for the steps: lambda 0, or so large that no bound is
    // useful.
    EXPECT_TRUE(e.field() == "step" || e.field() == "passes") << e.what();
    return std::nullopt;
  }
}

/// m = q b + 1, so that the last row is alone in a short last batch (spec 9 c); the whole table for batch 0.
std::uint64_t rows_for(std::uint64_t batch) { return batch <= 1 ? 40 : 2 * batch + 1; }

template <class Visit>
void for_each_choice(const Visit& visit) {
  for_each_member<StepSchedule>([&](auto schedule) {
    for (const std::uint64_t batch : {0, 1, 7, 50}) {
      for (const auto& [averaging_name, averaging] : enum_names(Averaging{})) {
        for (const auto& [order_name, order] : enum_names(RowOrder{})) {
          for (const double radius : {0.0, 0.3}) {
            SgdOptions sgd;
            sgd.passes = 2;
            sgd.batch_rows = batch == 0 ? rows_for(0) : batch;
            sgd.step = typename decltype(schedule)::type{};
            sgd.averaging = averaging;
            sgd.radius = radius;
            sgd.order = order;
            visit(sgd, rows_for(batch));
          }
        }
      }
    }
  });
}

std::string describe(const SgdOptions& sgd, const PlanInput& input) {
  std::string text = std::string(name_of(input.problem.loss)) + " lambda=" + number_text(input.problem.lambda);
  SgdOptions copy = sgd;
  for_each_field_deep(copy, [&](std::string_view name, auto& value, std::string_view) {
    text += " " + std::string(name) + "=" + value_text(value);
  });
  return text;
}

/// Every plan for one loss.
void for_each_case(const Loss& loss, const std::function<void(const Case&)>& visit) {
  for (const double lambda : {0.0, 0.05}) {
    for_each_choice([&](const SgdOptions& sgd, std::uint64_t rows) {
      const PlanInput input{{rows, kPairFeatures, 1.0, false}, {loss, lambda}, {.epsilon = 1}};
      if (const std::optional<Plan> plan = plan_of(sgd, input)) visit({sgd, *plan, rows, describe(sgd, input)});
    });
  }
}

/// Orders as the plan has them: as stored, one shuffle, or a shuffle for every pass.
std::vector<Order> orders_of(const Case& one, std::mt19937_64& random) {
  if (one.sgd.order == RowOrder::stored) return {stored_order(one.rows)};
  std::vector<Order> orders = {shuffled_order(one.rows, random)};
  for (std::uint32_t pass = 1; one.sgd.order == RowOrder::fresh && pass < one.sgd.passes; ++pass) {
    orders.push_back(shuffled_order(one.rows, random));
  }
  return orders;
}

void expect_within(const Case& one, const Pair& pair, const Feeding& feeding) {
  const double apart =
      distance(run(recipe_of(one.plan), pair.first, feeding), run(recipe_of(one.plan), pair.second, feeding));
  EXPECT_LE(apart, one.plan.l2_sensitivity) << pair.name << " at " << pair.position << ": " << one.name;
}

class NeighbourTest : public testing::Test {
 protected:
  std::mt19937_64 random_{20130512};

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  void check_all_cases(const Loss& loss) {
    std::map<std::uint64_t, std::vector<Pair>> pairs;  // by the number of rows: first, middle and last position
    std::size_t cases = 0;
    for_each_case(loss, [&](const Case& one) {
      std::vector<Pair>& mine = pairs[one.rows];
      for (const std::size_t position : {std::size_t{0}, one.rows / 2, one.rows - 1}) {
        if (mine.size() >= 30) break;
        for (Pair& pair : adversarial_pairs(one.rows, position, one.rows + position)) mine.push_back(std::move(pair));
      }
      const std::vector<Order> orders = orders_of(one, random_);
      const bool sparse = ++cases % 2 == 0;
      for (const Pair& pair : mine) expect_within(one, pair, {orders, 64, sparse});
    });
    EXPECT_GT(cases, 500U);
  }
};

TEST_F(NeighbourTest, NoPlanOfAnySmoothLossIsExceededByTheAdversarialPairs) {
  std::size_t smooth = 0;
  for_each_member<Loss>([&](auto tag) {
    const Loss loss = typename decltype(tag)::type{};
    if (!constants_of(loss, 1).smooth() || outputs_of(loss, 2) != 1) return;
    ++smooth;
    check_all_cases(loss);
  });
  EXPECT_GE(smooth, 3U);
}

TEST_F(NeighbourTest, ThousandsOfRandomPairsStayWithinTheClaim) {
  const Averaging averagings[] = {Averaging::last, Averaging::uniform, Averaging::last_log, Averaging::weighted};
  for (int trial = 0; trial < 4000; ++trial) {
    const std::uint64_t rows = 2 + random_() % 30;
    SgdOptions sgd{.passes = static_cast<std::uint32_t>(1 + random_() % 3), .batch_rows = 1 + random_() % 12};
    sgd.step = ConstantStep{uniform(0.01, 9)};
    if (trial % 3 == 1) sgd.step = CappedInverseStep{uniform(0.1, 8)};
    sgd.averaging = averagings[random_() % 4];
    sgd.radius = trial % 5 == 0 ? uniform(0.1, 3) : 0;
    sgd.order = trial % 2 == 0 ? RowOrder::fixed : RowOrder::fresh;
    const Loss losses[] = {Logistic{}, HuberSvm{uniform(0.05, 2)}, RobustLogistic{}};
    const Loss loss = losses[random_() % 3];
    const PlanInput input{{rows, kPairFeatures, 1.0, false}, {loss, uniform(0.005, 0.5)}, {.epsilon = 1}};
    const std::optional<Plan> plan = plan_of(sgd, input);
    if (!plan) continue;
    const Pair pair = make_pair("random", random_background(random_, rows, 2), random_() % rows,
                                {random_row(random_, 2), random_row(random_, 2)});
    const Case one{sgd, *plan, rows, describe(sgd, input)};
    expect_within(one, pair, {orders_of(one, random_), 1 + random_() % 40, trial % 2 == 1});
  }
}

TEST_F(NeighbourTest, ADeclaredNormOtherThanOneScalesTheClaimAndHolds) {
  for (const double norm : {0.1, 5.0}) {
    for (const double lambda : {0.0, 0.2}) {
      SgdOptions sgd{.passes = 3, .batch_rows = 4};
      const PlanInput input{{21, kPairFeatures, norm, false}, {Logistic{}, lambda}, {.epsilon = 1}};
      const Plan plan = BoltOn{.sgd = sgd}.plan(input);
      for (std::size_t position = 0; position < 21; ++position) {
        const Row large{{1e3, 0, 0}, 1};  // clipped to the declared norm like every row
        const Pair pair =
            make_pair("norm", background_of(21, large, norm), position, {{{0, 1e3, 0}, 1}, {{0, -1e3, 0}, 1}});
        EXPECT_LE(distance(run(recipe_of(plan), pair.first), run(recipe_of(plan), pair.second)), plan.l2_sensitivity);
      }
    }
  }
}

TEST_F(NeighbourTest, ARemovedRowIsRefusedByEveryPlanThatRestsOnTheCount) {  // spec 9 (j)
  for_each_member<Method>([&](auto tag) {
    const Method method = typename decltype(tag)::type{};
    const PlanInput input{{1000, 4, 1.0, false}, {Logistic{}, 0.1}, {1, 1e-6, Relation::add_remove}};
    try {
      const Plan plan = make_plan(method, input);
      // Counts need no number of rows. Everything else says no, or is not private.
      EXPECT_TRUE(std::holds_alternative<Majority>(method) || !plan.not_private.empty()) << name_of(method);
    } catch (const Error& e) {
      // Not at all, or not without a public number that stands for the count (spec 1.3).
      EXPECT_TRUE(e.field() == "relation" || e.field() == "declared_rows" || e.field() == "delta") << e.what();
    }
  });
}

}  // namespace
}  // namespace sotto::test
