// The neighbour test with several outputs: softmax and one against the rest, 3 and 10 classes. Noise off, two tables
// that differ in one row, the same order: the distance stays within the claim (spec 9 b, c, f to i), and pairs that
// saturate the loss come near it, so that a diameter of two classes (2X in place of 2 sqrt2 X or 2X sqrt K) is caught.
#include <gtest/gtest.h>

#include <optional>

#include "planned.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/method.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

constexpr double kTiny = 0.05;  // rows so short that every margin stays in the linear part of the Huber loss

Rows table_of(std::size_t rows, const Row& row, std::uint32_t classes, double norm = 1) {
  Rows table(rows, kPairFeatures, norm, classes);
  for (std::size_t i = 0; i < rows; ++i) table.set(i, row);
  return table;
}

Row random_row_of(std::mt19937_64& random, double largest, std::uint32_t classes) {
  Row row = random_row(random, largest);
  row.label = static_cast<float>(random() % classes);
  return row;
}

Rows random_table(std::mt19937_64& random, std::size_t rows, double largest, std::uint32_t classes) {
  Rows table(rows, kPairFeatures, 1, classes);
  for (std::size_t i = 0; i < rows; ++i) table.set(i, random_row_of(random, largest, classes));
  return table;
}

std::vector<Pair> pairs_of(std::uint32_t classes, std::size_t rows, std::size_t position) {
  std::mt19937_64 random(classes + rows + position);
  const float last = static_cast<float>(classes - 1);
  const Row along{{1, 0, 0}, 0}, zero{{0, 0, 0}, 1};
  std::vector<Pair> pairs;
  const auto add = [&](const char* name, const Rows& background, const std::vector<Row>& differing) {
    pairs.push_back(make_pair(name, background, position, differing));
  };
  for (const double c : {0.1, 0.3}) {  // (b): the others make class 0 certain along the first axis
    const double s = std::sqrt(1 - c * c);
    add("saturated", table_of(rows, along, classes), {{{c, s, 0}, last}, {{c, -s, 0}, last}});
  }
  add("lone row", table_of(rows, zero, classes), {{{0, 1, 0}, last}, {{0, -1, 0}, last}});
  add("classes swapped", table_of(rows, along, classes), {{{0.6, 0.8, 0}, 1}, {{0.6, 0, 0.8}, last}});  // (f)
  add("classes swapped", random_table(random, rows, 1, classes), {{{0.6, 0.8, 0}, 0}, {{0.6, 0, 0.8}, last}});
  add("zero against unit", table_of(rows, along, classes), {zero, {{1, 0, 0}, last}});                // (g)
  add("label flip", table_of(rows, {{0.1, 0, 0}, 0}, classes), {{{1, 0, 0}, 0}, {{1, 0, 0}, last}});  // (h)
  add("random", random_table(random, rows, 3, classes),                                               // (i)
      {random_row_of(random, 3, classes), random_row_of(random, 3, classes)});
  return pairs;
}

std::optional<Plan> plan_of(const SgdOptions& sgd, const PlanInput& input) {
  try {
    return BoltOn{.sgd = sgd}.plan(input);
  } catch (const Error& e) {
    EXPECT_TRUE(e.field() == "step" || e.field() == "passes") << e.what();
    return std::nullopt;
  }
}

double apart(const Recipe& recipe, const Pair& pair, const Feeding& feeding = {}) {
  return distance(run(recipe, pair.first, feeding), run(recipe, pair.second, feeding));
}

template <class Visit>
void for_each_choice(const Visit& visit) {
  for_each_member<StepSchedule>([&](auto schedule) {
    for (const std::uint64_t batch : {1, 7, 15}) {
      for (const auto& [averaging_name, averaging] : enum_names(Averaging{})) {
        for (const RowOrder order : {RowOrder::fixed, RowOrder::fresh}) {
          SgdOptions sgd{.passes = 2, .batch_rows = batch};
          sgd.step = typename decltype(schedule)::type{};
          sgd.averaging = averaging;
          sgd.order = order;
          sgd.radius = batch == 7 ? 0.3 : 0;
          visit(sgd);
        }
      }
    }
  });
}

/// Every plan for the loss and the number of classes against three of the pairs, in turn.
void check_all_cases(const Loss& loss, std::uint32_t classes) {
  constexpr std::uint64_t kRows = 15;  // 2 b + 1 for b = 7: the last row is alone in its batch
  std::mt19937_64 random(17);
  std::vector<Pair> pairs;
  for (const std::size_t position : {std::size_t{0}, std::size_t{14}}) {
    for (Pair& pair : pairs_of(classes, kRows, position)) pairs.push_back(std::move(pair));
  }
  std::size_t cases = 0, next = 0;
  for (const double lambda : {0.0, 0.05}) {
    for_each_choice([&](const SgdOptions& sgd) {
      const PlanInput input{{kRows, kPairFeatures, 1.0, false, classes}, {loss, lambda}, {.epsilon = 1}};
      const std::optional<Plan> plan = plan_of(sgd, input);
      if (!plan) return;
      ++cases;
      std::vector<Order> orders = {shuffled_order(kRows, random)};
      if (sgd.order == RowOrder::fresh) orders.push_back(shuffled_order(kRows, random));
      for (int i = 0; i < 3; ++i) {
        const Pair& pair = pairs[next++ % pairs.size()];
        EXPECT_LE(apart(recipe_of(*plan), pair, {orders, 4, cases % 2 == 0}), plan->l2_sensitivity)
            << name_of(loss) << " classes " << classes << " " << pair.name << " step " << name_of(sgd.step)
            << " batch_rows " << sgd.batch_rows << " averaging " << enum_name(sgd.averaging) << " lambda " << lambda;
      }
    });
  }
  EXPECT_GT(cases, 150U);
}

TEST(NeighbourClasses, NoPlanOfAnySmoothLossIsExceeded) {
  for_each_member<Loss>([&](auto tag) {
    const Loss loss = typename decltype(tag)::type{};
    if (!constants_of(loss, 1).smooth()) return;
    for (const std::uint32_t classes : {3U, 10U}) check_all_cases(loss, classes);
  });
}

TEST(NeighbourClasses, RandomPairsStayWithinTheClaim) {
  std::mt19937_64 random(5);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const std::uint64_t rows = 2 + random() % 20;
    const std::uint32_t classes = trial % 4 == 0 ? 2 : 3 + static_cast<std::uint32_t>(random() % 8);
    SgdOptions sgd{.passes = static_cast<std::uint32_t>(1 + random() % 3), .batch_rows = 1 + random() % 9};
    sgd.step = ConstantStep{uniform(0.01, 5)};
    sgd.radius = trial % 5 == 0 ? uniform(0.1, 3) : 0;
    const Loss loss = trial % 2 == 0 ? Loss(Softmax{}) : Loss(Logistic{});
    const PlanInput input{{rows, kPairFeatures, 1.0, false, classes}, {loss, uniform(0.005, 0.5)}, {.epsilon = 1}};
    const std::optional<Plan> plan = plan_of(sgd, input);
    if (!plan) continue;
    Rows background = random_table(random, rows, 2, classes);
    const auto draw = [&] {
      Row row = random_row_of(random, 2, classes);
      row.label = label_of_class(static_cast<std::uint32_t>(row.label), classes);
      return row;
    };
    for (std::size_t i = 0; classes == 2 && i < rows; ++i) background.set(i, draw());
    const Pair pair = make_pair("random", background, random() % rows, {draw(), draw()});
    EXPECT_LE(apart(recipe_of(*plan), pair, {{}, 1 + random() % 20, trial % 3 == 0}), plan->l2_sensitivity);
  }
}

TEST(NeighbourClasses, OneAgainstTheRestReachesItsClaimInTheLinearPart) {
  // Every output sees the differing row with slope -1: K gradients of length 2X side by side.
  for (const std::uint32_t classes : {3U, 10U}) {
    for (const double lambda : {0.0, 0.05}) {
      SgdOptions sgd{.passes = 2, .batch_rows = 4, .step = ConstantStep{0.5}};
      const PlanInput input{{20, kPairFeatures, kTiny, false, classes}, {HuberSvm{0.1}, lambda}, {.epsilon = 1}};
      const Plan plan = BoltOn{.sgd = sgd}.plan(input);
      double largest = 0;
      for (std::size_t position = 0; position < 20; ++position) {
        const Pair pair = make_pair("linear", table_of(20, {{0, 0, 0}, 1}, classes, kTiny), position,
                                    {{{kTiny, 0, 0}, 1}, {{-kTiny, 0, 0}, 1}});
        largest = std::max(largest, apart(recipe_of(plan), pair));
      }
      EXPECT_LE(largest, plan.l2_sensitivity);
      EXPECT_GE(largest, 0.99 * plan.l2_sensitivity) << classes << " classes, lambda " << lambda;
    }
  }
}

TEST(NeighbourClasses, SoftmaxComesNearItsClaimOnceTheOthersSaturateIt) {
  // 4000 rows make class 0 certain along the first axis; the last row is of another class and across that axis.
  constexpr std::size_t kRows = 4000;
  for (const std::uint32_t classes : {3U, 10U}) {
    SgdOptions sgd{.passes = 1, .batch_rows = 1, .step = ConstantStep{3.9}};
    const PlanInput input{{kRows, kPairFeatures, 1.0, false, classes}, {Softmax{}, 0.0}, {.epsilon = 1}};
    const Plan plan = BoltOn{.sgd = sgd}.plan(input);
    EXPECT_NEAR(plan.l2_sensitivity, 2 * std::sqrt(2.0) * 3.9, 1e-3);
    const double c = 0.5, s = std::sqrt(1 - c * c);
    const Pair pair =
        make_pair("saturated", table_of(kRows, {{1, 0, 0}, 0}, classes), kRows - 1, {{{c, s, 0}, 1}, {{c, -s, 0}, 1}});
    const double gap = apart(recipe_of(plan), pair);
    EXPECT_LE(gap, plan.l2_sensitivity);
    EXPECT_GE(gap, 0.75 * plan.l2_sensitivity) << classes;  // more than the diameter 2X of two classes would claim
  }
}

}  // namespace
}  // namespace sotto::test
