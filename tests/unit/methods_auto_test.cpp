// `auto` chooses and adds nothing: its plan and its weights are those of the solver it names, and what it chooses is a
// function of public facts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "descent_tables.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/methods/auto_descent.h"
#include "sotto/methods/method.h"
#include "sotto/model/privacy_card.h"
#include "sotto/optim/views/projected_rows.h"

namespace sotto::test {
namespace {

constexpr std::uint64_t kRows = 30000;

PlanInput input_of(const Loss& loss, const Budget& budget, std::uint32_t features = 100, std::uint32_t classes = 2) {
  return {{kRows, features, 1.0, false, classes}, {loss, 0}, budget};
}
/// So few that second moments would be noise.
PlanInput few_rows(PlanInput input) {
  input.facts.rows = 1000;
  return input;
}
std::string solver_of(const PlanInput& input) { return std::string(name_of(Auto{}.choose(input).solver)); }
double stddev_of(const Plan& plan) {
  return std::visit([](const auto& m) { return m.stddev(); }, plan.noise->mechanism);
}

/// Every loss, relation, form of the guarantee and number of classes, at small and large budgets and sizes.
template <class Visit>
void for_each_input(const Visit& visit) {
  for_each_member<Loss>([&](auto tag) {
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      for (const double delta : {0.0, 1e-9}) {
        for (const double epsilon : {0.05, 8.0}) {
          for (const std::uint32_t features : {3U, 200U}) {
            for (const std::uint32_t classes : {2U, 5U}) {
              PlanInput input = input_of(typename decltype(tag)::type{}, {epsilon, delta, relation}, features, classes);
              input.facts.rows = features == 200 && classes == 5 && epsilon > 1 ? kRows : 1000;  // long scans, or short
              visit(input);
            }
          }
        }
      }
    }
  });
}

Auto for_relation(const PlanInput& input) {
  return {.declared_rows = input.budget.relation == Relation::add_remove ? input.facts.rows : 0};
}

TEST(Auto, ThePlanIsThatOfTheSolverItChooses) {
  std::size_t plans = 0;
  for_each_input([&](const PlanInput& input) {
    const Auto automatic = for_relation(input);
    const Plan plan = automatic.plan(input);
    const AutoChoice choice = automatic.choose(input);
    const Plan own = std::visit([&](const auto& solver) { return solver.plan(choice.input); }, choice.solver);
    ASSERT_EQ(plan.charges.size(), own.charges.size());
    for (std::size_t i = 0; i < own.charges.size(); ++i) {
      EXPECT_EQ(plan.charges[i].event, own.charges[i].event);
      EXPECT_EQ(plan.charges[i].draws(), own.charges[i].draws());
    }
    EXPECT_EQ(plan.guarantee.epsilon, own.guarantee.epsilon);
    EXPECT_EQ(plan.guarantee.delta, own.guarantee.delta);
    EXPECT_EQ(plan.guarantee.relation, input.budget.relation);
    EXPECT_EQ(plan.guarantee.released, own.guarantee.released);
    EXPECT_EQ(stddev_of(plan), stddev_of(own));
    EXPECT_EQ(plan.theorem, own.theorem);
    EXPECT_EQ(planned_cost(plan).distance, planned_cost(own).distance);
    ++plans;
  });
  EXPECT_EQ(plans, 5U * 2 * 2 * 2 * 2 * 2) << "every combination has a plan";
}

TEST(Auto, NoPlanPromisesMoreThanTheBudgetAsksFor) {
  for_each_input([&](const PlanInput& input) {
    const Plan plan = for_relation(input).plan(input);
    EXPECT_LE(plan.guarantee.epsilon, input.budget.epsilon);
    EXPECT_LE(plan.guarantee.delta, std::max(input.budget.delta, plan.noise->delta_num));
    EXPECT_TRUE(plan.not_private.empty());
  });
}

TEST(Auto, NothingDependsOnAPrivateNumberOfRows) {
  for_each_input([&](PlanInput input) {
    if (input.budget.relation != Relation::add_remove) return;
    const Plan plan = Auto{.declared_rows = 1000}.plan(input);
    input.facts.rows = 777;
    const Plan other = Auto{.declared_rows = 1000}.plan(input);
    EXPECT_EQ(plan.remarks, other.remarks);
    EXPECT_EQ(stddev_of(plan), stddev_of(other));
    try {
      Auto{}.plan(input);
      ADD_FAILURE() << "add_remove needs a declared number of rows";
    } catch (const Error& e) {
      EXPECT_EQ(e.field(), "declared_rows");
    }
  });
}

// The noise on a certified minimiser grows with the rounding of its gradient over the curvature.
TEST(Auto, AMinimiserOfManyRowsIsNotDrownedByItsCertificate) {
  for (const std::uint64_t rows : {std::uint64_t{10'000'000}, std::uint64_t{1'000'000'000}}) {
    PlanInput input = input_of(Logistic{}, {.epsilon = 1, .delta = 1e-9}, 28);
    input.facts.rows = rows;
    const Plan plan = Auto{}.plan(input);
    const auto* way = std::get_if<MinimiserWork>(&plan.work.way);
    ASSERT_NE(way, nullptr) << rows;
    const auto& noise = std::get<ObjectiveNoise>(way->noise);
    EXPECT_LT(std::visit([](const auto& m) { return m.stddev(); }, noise.on_release), 0.05) << rows;
  }
}

TEST(Auto, TheRowsOfAPrivateNumberAreCoveredAlikeWhateverTheirNumber) {
  for (const std::uint32_t features : {300U, 100U}) {
    PlanInput input =
        input_of(Logistic{}, {.epsilon = 0.2, .delta = 1e-10, .relation = Relation::add_remove}, features);
    const Auto method{.declared_rows = 60000};
    std::vector<std::vector<std::string>> said;
    const bool whitened = features == 100;
    for (const std::uint64_t rows : {0, 10, 60'000, 240'001, 1'000'000}) {
      input.facts.rows = rows;
      EXPECT_EQ(name_of(method.choose(input).solver), whitened ? "whitened_dpgd" : "dpsgd") << rows;
      said.push_back(method.plan(input).remarks);
    }
    input.facts.rows = std::uint64_t{1} << 40;
    EXPECT_THROW(method.plan(input), Error) << "another solver would tell that there are so many";
    for (const auto& remarks : said) EXPECT_EQ(remarks, said.front());
  }
}

TEST(Auto, NoNumberOfRowsThatItsCardCoversIsRefused) {
  PlanInput input = input_of(Logistic{}, {.epsilon = 1, .relation = Relation::add_remove}, 20);
  const Auto method{.declared_rows = 5'000'000};
  input.facts.rows = 1;
  const Plan plan = method.plan(input);
  EXPECT_EQ(name_of(method.choose(input).solver), "objective");
  for (const std::uint64_t rows : {20'000'001U, 33'554'431U, 33'554'432U}) {
    input.facts.rows = rows;
    EXPECT_EQ(method.plan(input).remarks, plan.remarks) << rows;
  }
  input.facts.rows = 33'554'433;
  EXPECT_THROW(method.plan(input), Error);
}

TEST(Auto, PersonalEpsilonsAreServedByDescent) {
  for (const double delta : {0.0, 1e-10}) {
    PlanInput input = input_of(Logistic{}, {.epsilon = 1, .delta = delta}, 20);
    input.personal = true;
    EXPECT_EQ(name_of(Auto{}.choose(input).solver), "dpgd");
  }
}

TEST(Auto, IntervalsAreThoseOfObjectivePerturbationWithTheLossThatWasAskedFor) {
  const Auto method{.intervals = 0.2};
  for (const double delta : {0.0, 1e-10}) {
    for (const std::uint32_t features : {5U, 60U}) {
      const PlanInput input = input_of(Logistic{}, {.epsilon = 1, .delta = delta}, features);
      const AutoChoice choice = method.choose(input);
      ASSERT_EQ(name_of(choice.solver), "objective");
      EXPECT_EQ(std::get<Objective>(choice.solver).intervals, 0.2);
      EXPECT_EQ(name_of(choice.input.problem.loss), "logistic");
      const Plan plan = method.plan(input);
      EXPECT_TRUE(plan.work.intervals.has_value());
      EXPECT_LE(plan.guarantee.epsilon, 1);
      EXPECT_LE(plan.guarantee.delta, std::max(delta, 1e-12));
    }
  }
  // The numerical delta of the law for 0 is more than this budget has, and the law for delta has no noise for so little.
  EXPECT_THROW(method.plan(input_of(Logistic{}, {.epsilon = 1, .delta = 1e-20}, 5)), Error);
  const PlanInput hinge = input_of(Hinge{}, {.epsilon = 1, .delta = 1e-10}, 5);
  EXPECT_THROW(method.plan(hinge), Error);
  PlanInput personal = input_of(Logistic{}, {.epsilon = 1, .delta = 1e-10}, 5);
  personal.personal = true;
  EXPECT_THROW(method.choose(personal), Error);
  EXPECT_THROW(Auto{.intervals = -0.1}.plan(input_of(Logistic{}, {.epsilon = 1, .delta = 1e-10}, 60)), Error);
  EXPECT_THROW(auto_descent(method, hinge), Error) << "for ledgers that objective perturbation has no price for";
}

TEST(Auto, GradientsAreNotClippedWhereThereIsHardlyAnyNoise) {
  const PlanInput much = input_of(Logistic{}, {.epsilon = 0.1, .delta = 1e-10}, 300);
  const PlanInput little = input_of(Logistic{}, {.epsilon = 1e4, .delta = 1e-10}, 300);
  EXPECT_GT(auto_descent(Auto{}, much).clip, 0);
  EXPECT_EQ(auto_descent(Auto{}, little).clip, 0);
}

TEST(Auto, ALambdaThatWasGivenIsKept) {
  for_each_input([&](PlanInput input) {
    input.problem.lambda = 0.02;
    EXPECT_EQ(for_relation(input).choose(input).input.problem.lambda, 0.02);
  });
  // Its gradient is not clipped: heavy ball must be stable on it alone.
  for (const double lambda : {0.1, 1.0, 5.0}) {
    PlanInput input = input_of(Softmax{}, {.epsilon = 4, .delta = 1e-10}, 50, 10);
    input.problem.lambda = lambda;
    const Dpgd descent = auto_descent(Auto{}, input);
    EXPECT_LT(descent.step_size * lambda, 2 * (1 + descent.momentum));
  }
  // So small that the Jacobian alone would cost more than epsilon: another solver.
  PlanInput input = few_rows(input_of(Logistic{}, {.epsilon = 0.1, .delta = 1e-9}, 5));
  EXPECT_EQ(solver_of(input), "objective");
  input.problem.lambda = 1e-6;
  EXPECT_EQ(solver_of(input), "dpgd");
}

TEST(Auto, FewFeaturesGetPureNoiseAndMuchNoiseGetsDescent) {
  const Budget small{.epsilon = 0.1, .delta = 1e-9}, large{.epsilon = 1, .delta = 1e-9};
  EXPECT_EQ(solver_of(few_rows(input_of(Logistic{}, small, 6))), "objective");
  EXPECT_EQ(Auto{}.choose(few_rows(input_of(Logistic{}, small, 6))).input.budget.delta, 0);
  EXPECT_EQ(solver_of(few_rows(input_of(Logistic{}, small, 40))), "dpgd");
  EXPECT_EQ(solver_of(input_of(Logistic{}, large, 300)), "dpsgd");
  PlanInput many = input_of(Logistic{}, large, 100);
  many.facts.rows = 10'000'000;
  EXPECT_EQ(solver_of(many), "objective") << "hardly any noise: nothing is better than the minimiser";
  EXPECT_EQ(Auto{}.choose(many).input.budget.delta, 1e-9);
  EXPECT_EQ(solver_of(input_of(Softmax{}, {.epsilon = 1}, 784, 10)), "objective");
  EXPECT_EQ(solver_of(input_of(Hinge{}, large, 40)), "dpgd") << "objective perturbation has no proof for it";
  EXPECT_EQ(solver_of(input_of(Logistic{}, large, 5, 4)), "dpgd");
}

TEST(Auto, SamplesTheSameStepsWhereScansTakeLong) {
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    PlanInput input = input_of(Softmax{}, {.epsilon = 1, .delta = 1e-9, .relation = relation}, 784, 10);
    const Auto method = for_relation(input);
    const AutoChoice choice = method.choose(input);
    ASSERT_EQ(name_of(choice.solver), "dpsgd");
    const auto& sampled = std::get<Dpsgd>(choice.solver);
    const Dpgd full = auto_descent(method, input);
    EXPECT_EQ(sampled.step_size, full.step_size);
    EXPECT_EQ(sampled.momentum, full.momentum);
    EXPECT_EQ(sampled.clip, full.clip);
    EXPECT_GE(sampled.passes, 4);
    EXPECT_LE(sampled.passes, full.passes / 4.0);
    EXPECT_NEAR(sampled.passes * kRows / static_cast<double>(sampled.batch_rows), full.passes, 1);
    // What a margin gathers of noise is that of full scans, up to what is lost by sampling.
    const auto gathered = [&](const Plan& plan, double steps, double rows) {
      return stddev_of(plan) * std::sqrt(steps) / rows;
    };
    const double noise = gathered(sampled.plan(input), full.passes, static_cast<double>(sampled.batch_rows));
    EXPECT_LE(noise, 1.5 * gathered(full.plan(input), full.passes, kRows));
  }
  PlanInput input = input_of(Softmax{}, {.epsilon = 1, .delta = 1e-9}, 784, 10);
  input.personal = true;
  EXPECT_EQ(solver_of(input), "dpgd") << "a row's own epsilon has no sampled theorem here";
  input.personal = false;
  input.facts.rows = 100;
  EXPECT_EQ(solver_of(input), "dpgd") << "scans of so few rows are fast";
  EXPECT_EQ(solver_of(input_of(Logistic{}, {.epsilon = 6, .delta = 1e-9}, 300)), "dpgd")
      << "a batch would need most rows";
}

TEST(Auto, WhitensFewRowsToo) {
  PlanInput input = input_of(Logistic{}, {.epsilon = 1, .delta = 1e-6}, 5);
  input.facts.rows = 1100;
  EXPECT_EQ(solver_of(input), "whitened_dpgd");
  PlanInput noisy = input;
  noisy.budget.epsilon = 0.1;
  EXPECT_EQ(solver_of(noisy), "objective") << "the moments would be noise";
  PlanInput pure = input;
  pure.budget.delta = 0;
  EXPECT_EQ(solver_of(pure), "objective");
}

TEST(Auto, MuchNoiseStraightensTheLogisticLoss) {
  const auto loss_of = [](const PlanInput& input) { return name_of(Auto{}.choose(input).input.problem.loss); };
  const PlanInput pure = input_of(Logistic{}, {.epsilon = 1}, 100);
  EXPECT_EQ(loss_of(pure), "robust_logistic");
  EXPECT_NE(Auto{}.plan(pure).remarks.front().find("loss=robust_logistic"), std::string::npos);
  // Its constants are those of Huber's loss of width 1, and so are its noise and its curvature.
  const AutoChoice robust = Auto{}.choose(pure), huber = Auto{}.choose(input_of(HuberSvm{1.0}, {.epsilon = 1}, 100));
  EXPECT_EQ(robust.input.problem.lambda, huber.input.problem.lambda);
  EXPECT_EQ(stddev_of(Auto{}.plan(pure)), stddev_of(Auto{}.plan(huber.input)));
  EXPECT_EQ(loss_of(few_rows(input_of(Logistic{}, {.epsilon = 0.1, .delta = 1e-9}, 6))), "robust_logistic");

  PlanInput given = pure;
  given.problem.lambda = 0.01;
  EXPECT_EQ(loss_of(given), "logistic") << "the problem that was asked for";
  PlanInput many = pure;
  many.facts.rows = 10'000'000;
  EXPECT_EQ(loss_of(many), "logistic") << "hardly any noise";
  EXPECT_EQ(loss_of(input_of(Logistic{}, {.epsilon = 1, .delta = 1e-9}, 100)), "logistic") << "gradients are clipped";
  EXPECT_EQ(loss_of(input_of(Softmax{}, {.epsilon = 1}, 100, 3)), "softmax");
}

TEST(Auto, WhitensWhereMomentsStandOutOfTheirNoise) {
  PlanInput input = input_of(Logistic{}, {.epsilon = 1, .delta = 1e-10}, 100);
  input.facts.rows = 60000;
  EXPECT_EQ(solver_of(input), "whitened_dpgd");
  const AutoChoice one = Auto{}.choose(input);
  EXPECT_LE(one.input.budget.delta, 1e-10);
  EXPECT_LE(Auto{}.plan(input).guarantee.delta, 1e-10);
  PlanInput four = input;
  four.facts.data_norm = 4;
  const auto scaled = std::get<WhitenedDpgd>(Auto{}.choose(four).solver);
  const auto& plain = std::get<WhitenedDpgd>(one.solver);
  EXPECT_EQ(scaled.passes, plain.passes);
  EXPECT_NEAR(scaled.step_size * 16, plain.step_size, 1e-3 * plain.step_size);
  EXPECT_NEAR(scaled.clip, 4 * plain.clip, 1e-9);
  PlanInput personal = input;
  personal.personal = true;
  EXPECT_EQ(solver_of(personal), "dpgd") << "a weight on a gradient does not weigh the moments";
  PlanInput tight = input;
  tight.budget.delta = 1e-16;
  EXPECT_EQ(solver_of(tight), "dpgd") << "noise of so many moments has a numerical delta";
  input.budget.epsilon = 0.01;
  EXPECT_EQ(solver_of(input), "dpgd") << "the moments would be noise";
  input.budget.epsilon = 1;
  input.problem.lambda = 0.01;
  EXPECT_EQ(solver_of(input), "dpsgd") << "a lambda is for the weights of the features";
  input.problem.lambda = 0;
  input.budget.delta = 0;
  EXPECT_EQ(solver_of(input), "objective");
}

TEST(Auto, ScalingEveryRowChangesNothingButTheUnits) {
  for (const std::uint32_t features : {6U, 100U}) {
    PlanInput input = input_of(Logistic{}, {.epsilon = 0.1, .delta = 1e-9}, features);
    const AutoChoice one = Auto{}.choose(input);
    input.facts.data_norm = 4;
    const AutoChoice four = Auto{}.choose(input);
    ASSERT_EQ(one.solver.index(), four.solver.index());
    EXPECT_NEAR(four.input.problem.lambda, 16 * one.input.problem.lambda, 1e-3 * one.input.problem.lambda);
    if (const auto* descent = std::get_if<Dpgd>(&one.solver)) {
      EXPECT_EQ(std::get<Dpgd>(four.solver).passes, descent->passes);
      EXPECT_NEAR(std::get<Dpgd>(four.solver).step_size * 16, descent->step_size, 1e-3 * descent->step_size);
      EXPECT_NEAR(std::get<Dpgd>(four.solver).clip, 4 * descent->clip, 1e-9);
    }
  }
}

TEST(Auto, ReleasesTheBitsTheSolverReleases) {
  const Rows rows = sphere_rows(400, 5, 3);
  const TableEngine engine(rows);
  for (const double epsilon : {0.5, 4.0}) {
    for (const Loss& loss : {Loss{Logistic{}}, Loss{Hinge{}}}) {
      const Budget budget{.epsilon = epsilon, .delta = 1e-6};
      const AutoChoice choice = Auto{}.choose({rows.facts(), {loss, 0}, budget});
      const Vector weights = released(Auto{}, engine, {{loss, 0}, budget}, 9);
      const Asked asked{choice.input.problem, choice.input.budget};
      EXPECT_EQ(weights, std::visit([&](const auto& s) { return released(s, engine, asked, 9); }, choice.solver));
    }
  }
}

TEST(Methods, ANormWhereFloat32HasNoDigitsLeftIsRefused) {
  for_each_member<Method>([&](auto tag) {
    using A = typename decltype(tag)::type;
    // Counts and choices have no norm, a reference promises nothing, shards are planned by their own numbers.
    constexpr bool exempt = std::is_same_v<A, Majority> || std::is_same_v<A, PrivGene> || std::is_same_v<A, Lbfgs> ||
                            std::is_same_v<A, ShardAverage>;
    if constexpr (exempt) return;
    PlanInput input = input_of(Logistic{}, {.epsilon = 1, .delta = std::is_same_v<A, Cms11> ? 0 : 1e-6});
    input.problem.lambda = 0.01;
    input.facts.data_norm = 1e-35;
    try {
      make_plan(A{}, input);
      ADD_FAILURE() << A::kName;
    } catch (const Error& error) {
      EXPECT_EQ(error.field(), "data_norm") << A::kName << ": " << error.what();
    }
  });
}

TEST(Auto, ManyFeaturesWithoutDeltaAreProjected) {
  const auto kept = [](double epsilon, std::uint32_t features, std::uint32_t classes) {
    PlanInput input =
        input_of(classes > 2 ? Loss{Softmax{}} : Loss{Logistic{}}, {.epsilon = epsilon}, features, classes);
    input.facts.rows = 60000;
    const AutoChoice choice = Auto{}.choose(input);
    EXPECT_EQ(name_of(choice.solver), "objective");
    EXPECT_EQ(choice.input.facts.features, choice.projected_features > 0 ? choice.projected_features : features);
    return choice.projected_features;
  };
  // ceil((epsilon 60000 / scores)^(2/3) / 4), at least 10, where that is at most a third of the features.
  EXPECT_EQ(kept(0.1, 785, 10), 18U);
  EXPECT_EQ(kept(1, 785, 10), 83U);
  EXPECT_EQ(kept(0.1, 785, 2), 83U);
  EXPECT_EQ(kept(1, 785, 2), 0U);
  EXPECT_EQ(kept(0.0001, 785, 2), 10U);
  EXPECT_EQ(kept(0.1, 249, 2), 83U);
  EXPECT_EQ(kept(0.1, 248, 2), 0U);

  PlanInput input = input_of(Logistic{}, {.epsilon = 0.1, .delta = 1e-10}, 2000);
  EXPECT_EQ(Auto{}.choose(input).projected_features, 0U) << "Gaussian noise does not grow with the weights";
  input.budget.delta = 0;
  EXPECT_GT(Auto{}.choose(input).projected_features, 0U);
  EXPECT_THROW((Auto{.intervals = 0.2}.plan(input)), Error) << "intervals are of the rows as they are";
  EXPECT_NE(Auto{}.plan(input).remarks.back().find("projection from 2000 to"), std::string::npos);
  input.problem.lambda = 0.01;
  EXPECT_EQ(Auto{}.choose(input).projected_features, 0U) << "a lambda is for the weights of the features";
  input.problem.lambda = 0;
  input.facts.features = 3U << 20U;
  EXPECT_EQ(Auto{}.choose(input).projected_features, 0U) << "the matrix would not fit";
}

TEST(Auto, ReleasesWhatTheSolverReleasesOnImagesOfTheRows) {
  const Rows rows = sphere_rows(300, 40, 3);
  const TableEngine engine(rows);
  const Budget budget{.epsilon = 0.5};
  const AutoChoice choice = Auto{}.choose({rows.facts(), {Logistic{}, 0}, budget});
  ASSERT_EQ(choice.projected_features, 10U);
  const Projection map =
      projection_of(Auto{}.plan({rows.facts(), {Logistic{}, 0}, budget}).work.projection.value(), 40);
  ProjectedRows images(engine, map);
  BitSource bits(ReproducibleSeed{9});
  Curator curator(bits);
  const Vector weights = charge_and_run(std::get<Objective>(choice.solver).plan(choice.input), images, curator);
  EXPECT_EQ(weights.size(), 10U);
  EXPECT_EQ(released(Auto{}, engine, {{Logistic{}, 0}, budget}, 9), before_projection(map, weights));
}

TEST(Auto, TheCardNamesTheSolverAndWhatItWasRunWith) {
  for_each_input([&](const PlanInput& input) {
    const Auto automatic = for_relation(input);
    const AutoChoice choice = automatic.choose(input);
    const PrivacyCard card = make_card(automatic.plan(input));
    EXPECT_EQ(card.method, "auto");
    ASSERT_FALSE(card.remarks.empty());
    EXPECT_EQ(card.remarks.front().find("auto chose " + std::string(name_of(choice.solver)) + ": lambda="), 0U);
    const auto value = [&](std::string_view name) {
      const auto found = std::find_if(card.parameters.begin(), card.parameters.end(),
                                      [&](const auto& parameter) { return parameter.first == name; });
      return found == card.parameters.end() ? std::string("missing") : found->second;
    };
    EXPECT_EQ(value("solver"), name_of(choice.solver));
    EXPECT_EQ(value("lambda"), number_text(choice.input.problem.lambda));
    EXPECT_EQ(value("projected_features"),
              choice.projected_features > 0 ? std::to_string(choice.projected_features) : "missing");
    if (const auto* descent = std::get_if<Dpgd>(&choice.solver)) {
      EXPECT_EQ(value("passes"), std::to_string(descent->passes));
      EXPECT_EQ(value("clip"), number_text(descent->clip));
    }
  });
}

}  // namespace
}  // namespace sotto::test
