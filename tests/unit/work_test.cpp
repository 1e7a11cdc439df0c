#include "sotto/work/work.h"

#include <gtest/gtest.h>

#include <string>

#include "descent_tables.h"
#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/train.h"

namespace sotto::test {
namespace {

// A method without a reference, or whose plan is not one, is none, and its list does not compile.
struct WithoutReference {
  static constexpr std::string_view kName = "x", kSummary = "x";
  static constexpr auto fields() { return std::tuple{}; }
  Plan plan(const PlanInput& input) const;
};
struct Changing : WithoutReference {
  static constexpr std::string_view kReference = "x";
  Plan plan(const PlanInput& input);
};
static_assert(!well_formed(std::type_identity<std::variant<BoltOn, WithoutReference>>{}));
static_assert(!well_formed(std::type_identity<std::variant<BoltOn, Changing>>{}));

PlanInput input_of(const Engine& engine, Relation relation) {
  return {engine.facts(), {Logistic{}, 0.05}, {.epsilon = 1, .delta = 1e-6, .relation = relation}};
}

std::string refusal_of(const Work& work, Engine& rows) {
  BitSource bits(ReproducibleSeed{1});
  Curator curator(bits);
  try {
    run(work, {rows, curator, [](double) {}});
  } catch (const Error& error) {
    return error.field().empty() ? error.what() : std::string(error.field());
  }
  return "none";
}

TEST(Work, RunsOnTheRowsItWasPlannedForAlone) {
  const Rows planned = sphere_rows(40, 3, 1), longer = sphere_rows(41, 3, 1), wider = sphere_rows(40, 4, 1);
  TableEngine engine(planned), more(longer), others(wider);
  for_each_member<Method>([&](auto tag) {
    using M = typename decltype(tag)::type;
    Work work;
    try {
      work = M{}.plan(input_of(engine, Relation::replace_one)).work;
    } catch (const Error&) {
      return;  // cms11 is pure
    }
    EXPECT_NE(refusal_of(work, more), "none") << M::kName;
    EXPECT_NE(refusal_of(work, others), "none") << M::kName;
  });
}

TEST(Work, UnderAddRemoveTheCapacityIsThatOfTheDeclarationForEveryMethod) {
  const Rows few = sphere_rows(10, 3, 1);
  TableEngine engine(few);
  int methods = 0;
  for_each_member<Method>([&](auto tag) {
    using M = typename decltype(tag)::type;
    if constexpr (requires(M m) { m.declared_rows; }) {
      for (const std::uint64_t declared : {10ULL, 40000ULL}) {
        M method;
        method.declared_rows = declared;
        const Plan plan = method.plan(input_of(engine, Relation::add_remove));
        const std::uint64_t most =
            std::max<std::uint64_t>(4 * declared, std::min<std::uint64_t>(1 << 25, 1024 * declared));
        EXPECT_LE(plan.work.rows.most, most) << M::kName;
        EXPECT_GE(plan.work.rows.most, 4 * declared) << M::kName;
        if (M::kName != WhitenedDpgd::kName && M::kName != Auto::kName) {
          EXPECT_EQ(plan.work.rows.most, most) << M::kName;
        }
        EXPECT_EQ(plan.work.rows.fewest, 0U) << M::kName;
        EXPECT_EQ(plan.work.rows.facts.rows, 0U) << "the number of rows is private";
        EXPECT_THROW(plan.work.rows.require_count(most + 1), Error);
      }
      ++methods;
    }
  });
  EXPECT_EQ(methods, 9);
}

TEST(Work, MoreRowsThanTheCapacityAreRefusedWhenPlannedAndWhenRun) {
  const Rows few = sphere_rows(10, 3, 1), many = sphere_rows(1025, 3, 1);
  TableEngine engine(few), crowd(many);
  const Output method{.declared_rows = 1};
  const Plan plan = method.plan(input_of(engine, Relation::add_remove));
  EXPECT_EQ(refusal_of(plan.work, crowd), "declared_rows");
  EXPECT_THROW(method.plan(input_of(crowd, Relation::add_remove)), Error);
}

TEST(Work, APlanMadeOnceRunsAsOftenAsOneLikes) {
  const Rows rows = sphere_rows(60, 3, 2);
  TableEngine engine(rows);
  TrainRequest request;
  request.problem = {Logistic{}, 0.05};
  request.budget = {.epsilon = 1, .delta = 1e-6};
  request.method = Dpgd{};
  request.order_seed = 1;
  const Plan plan = plan_of(request, engine.facts());
  for (const std::uint64_t seed : {1U, 2U}) {
    BitSource bits(ReproducibleSeed{seed}), again(ReproducibleSeed{seed});
    Curator curator(again);
    EXPECT_EQ(train(engine, request, bits).weights, train(engine, request, plan, curator).weights);
  }
}

}  // namespace
}  // namespace sotto::test
