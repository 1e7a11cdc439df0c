// Laws every method obeys; the catalogue is walked, so that a new method is covered by being listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <type_traits>

#include "planned.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/method.h"
#include "sotto/model/privacy_card.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/privacy/accountant/pld.h"

namespace sotto {
namespace {

PlanInput input_of(const Loss& loss, const Budget& budget, std::uint32_t classes = 2) {
  return {{10000, 5, 1.0, false, classes}, {loss, 0.01}, budget};
}

const Budget kBudgets[] = {
    {.epsilon = 0.1}, {.epsilon = 1}, {.epsilon = 5}, {.epsilon = 1, .delta = 1e-6}, {.epsilon = 0.01, .delta = 1e-12}};

/// Every plan that is not refused: method x loss x budget x mechanism, where the method has one.
template <class Visit>
void visit_plan(const Method& method, const PlanInput& input, const Visit& visit) {
  try {
    visit(make_plan(method, input), method, input);
  } catch (const Error& e) {
    // Refused for a reason the user can act on.
    EXPECT_TRUE(e.kind() == ErrorKind::unsupported || e.kind() == ErrorKind::invalid_argument);
    EXPECT_FALSE(e.field().empty()) << e.what();
  }
}

template <class A>
constexpr bool is_sampled = std::is_same_v<A, Dpsgd> || std::is_same_v<A, Bst14>;

template <class Visit>
void for_each_plan(const Visit& visit) {
  for_each_member<Method>([&](auto method_tag) {
    for_each_member<Loss>([&](auto loss_tag) {
      for (const Budget& budget : kBudgets) {
        typename decltype(method_tag)::type method;
        // Calibration of sampled sums is slow and depends on the loss by its bound alone.
        const bool logistic = std::is_same_v<typename decltype(loss_tag)::type, Logistic>;
        if (is_sampled<decltype(method)> && (!logistic || budget.epsilon < 1)) continue;
        for (const auto& [name, choice] : enum_names(MechanismChoice{})) {
          if constexpr (requires { method.mechanism; }) {
            method.mechanism = choice;
          } else if (choice != MechanismChoice::automatic) {
            break;
          }
          visit_plan(method, input_of(typename decltype(loss_tag)::type{}, budget), visit);
        }
        visit_plan(typename decltype(method_tag)::type{}, input_of(typename decltype(loss_tag)::type{}, budget, 4),
                   visit);
      }
    });
  });
}

/// delta of all charges by an accountant that takes every kind of them.
double spent_delta(const Plan& plan) {
  const auto sampled = [](const Charge& c) { return std::holds_alternative<PoissonSampledEvent>(c.event); };
  if (std::none_of(plan.charges.begin(), plan.charges.end(), sampled)) {
    return composed_delta(plan.charges, plan.guarantee.epsilon);
  }
  return pld_delta(event_of(plan.charges), plan.guarantee.relation, plan.guarantee.epsilon).upper;
}

TEST(Methods, EveryPlanRecomputesToItsGuarantee) {
  std::size_t plans = 0;
  for_each_plan([&](const Plan& plan, const Method&, const PlanInput& input) {
    if (plan.charges.empty()) return;
    ++plans;
    const double delta_num = plan.noise ? plan.noise->delta_num : 0;
    const double delta = spent_delta(plan) + delta_num;
    EXPECT_LE(delta, plan.guarantee.delta * (1 + 1e-12) + 1e-300);
    EXPECT_LE(plan.guarantee.epsilon, input.budget.epsilon);
    EXPECT_LE(plan.guarantee.delta, std::max(input.budget.delta, delta_num)) << plan.method;
    EXPECT_EQ(plan.guarantee.relation, Relation::replace_one);
    // What a ledger charges for the numerics is what the plan's own delta contains.
    const double distance = plan.distance ? *plan.distance : plan.noise ? plan.noise->distance : 0;
    EXPECT_GE(distance * (1 + std::exp(plan.guarantee.epsilon)), delta_num * (1 - 1e-9)) << plan.method;
  });
  EXPECT_GT(plans, 30U);
}

TEST(Methods, EveryPlanEitherAddsNoiseToASensitivityOrSaysThatItIsNotPrivate) {
  for_each_plan([&](const Plan& plan, const Method& method, const PlanInput& input) {
    EXPECT_EQ(plan.method, name_of(method));
    EXPECT_FALSE(plan.theorem.empty());
    if (plan.noise_at == NoiseAt::nowhere) {
      EXPECT_FALSE(plan.noise);
      EXPECT_FALSE(plan.not_private.empty());
      return;
    }
    ASSERT_FALSE(plan.charges.empty());
    if (plan.noise_at == NoiseAt::choice) {
      EXPECT_EQ(planned_cost(plan).distance, 0) << "choices are exact, and every ledger must be able to price them";
      return;
    }
    // What a filter charges for numerics: noise with a numerical delta says how far it is from the ideal law.
    EXPECT_EQ(planned_cost(plan).distance > 0, plan.noise->delta_num > 0) << plan.method;
    ASSERT_TRUE(plan.noise);
    EXPECT_EQ(base_of(plan.noise->mechanism).sensitivity, plan.l2_sensitivity);
    EXPECT_GE(base_of(plan.noise->mechanism).grid.sensitivity, plan.l2_sensitivity);
    // Other works take their draws in their own tests.
    if (!std::holds_alternative<PermutationWork>(plan.work.way)) return;
    EXPECT_EQ(base_of(plan.noise->mechanism).dimension, weight_count(input.problem.loss, input.facts));
    const std::uint64_t needed = plan.noise_at == NoiseAt::release ? 1 : recipe_of(plan).steps(10000);
    EXPECT_EQ(plan.charges.front().draws(), needed);
  });
}

TEST(Methods, APlanIsAFunctionOfItsInput) {
  for_each_plan([&](const Plan& plan, const Method& method, const PlanInput& input) {
    const Plan again = make_plan(method, input);
    EXPECT_EQ(card_json(make_card(plan)), card_json(make_card(again)));
  });
}

/// False for methods that refuse delta = 0.
bool method_is_pure(const Method& method) {
  try {
    make_plan(method, input_of(Logistic{}, {.epsilon = 1}));
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Methods, SmallerBudgetsNeverMeanLessNoise) {
  for_each_member<Method>([](auto tag) {
    const Method method = typename decltype(tag)::type{};
    double before = 0;
    for (const double epsilon : {8.0, 4.0, 1.0, 0.1, 0.01}) {
      const double delta = method_is_pure(method) ? 0 : 1e-6;
      const Plan plan = make_plan(method, input_of(Logistic{}, {.epsilon = epsilon, .delta = delta}));
      if (!plan.noise) return;
      const double stddev = std::visit([](const auto& m) { return m.stddev(); }, plan.noise->mechanism);
      EXPECT_GT(stddev, before);
      before = stddev;
    }
  });
}

TEST(Methods, EveryFieldHasOneSpellingAndHelp) {
  for_each_member<Method>([](auto tag) {
    typename decltype(tag)::type method;
    std::set<std::string_view> seen;
    for_each_field_deep(method, [&](std::string_view name, auto& value, std::string_view help) {
      EXPECT_TRUE(seen.insert(name).second) << name;
      EXPECT_FALSE(help.empty()) << name;
      EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; }));
      // What is printed on a card reads back as the same value.
      auto copy = method;
      EXPECT_TRUE(set_field(copy, name, value_text(value)));
    });
  });
}

TEST(Methods, HaveANameASummaryAndAReference) {
  for_each_member<Method>([](auto tag) {
    using A = typename decltype(tag)::type;
    EXPECT_FALSE(A::kName.empty() || A::kSummary.empty() || A::kReference.empty());
    EXPECT_EQ(name_of(make_by_name<Method>(A::kName, "method")), A::kName);
  });
}

}  // namespace
}  // namespace sotto
