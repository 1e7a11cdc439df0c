// Personal epsilons: weights and guarantees by class, what a row at a position can do, and where they are refused.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "planned.h"
#include "sotto/audit/tiny_accountant.h"
#include "sotto/audit/transcript.h"
#include "sotto/base/error.h"
#include "sotto/model/json.h"
#include "sotto/optim/gradient_sum.h"
#include "sotto/optim/views/weighted_engine.h"
#include "sotto/train.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

constexpr std::size_t kRows = 40;
constexpr std::uint32_t kFeatures = 3;

Rows some_rows() {
  Rows rows(kRows, kFeatures);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double a = std::sin(3.0 * static_cast<double>(i)), b = std::cos(5.0 * static_cast<double>(i));
    rows.set(i, {{a, b, 0.5}, a + b > 0 ? 1.0F : -1.0F});
  }
  return rows;
}

/// Every fourth position 0.1, the next 0.5, the others 1.
PersonalEpsilons some_epsilons() {
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i) values.push_back(i % 4 == 0 ? 0.1 : i % 4 == 1 ? 0.5 : 1);
  return personal_epsilons(values);
}

PlanInput input_of(double delta, double lambda = 0.01) {
  return {{kRows, kFeatures, 1.0, false, 2}, {Logistic{}, lambda}, {.epsilon = 1, .delta = delta}};
}

Plan planned(const Method& method, const PlanInput& input) {
  Plan plan = make_plan(method, input);
  apply_personal(plan, some_epsilons(), input);
  return plan;
}

std::vector<float> weights_of(const Plan& plan) {
  std::vector<float> weights;
  for (const std::uint8_t level : some_epsilons().level_of) weights.push_back(plan.personal[level].weight);
  return weights;
}

/// What a position of class `one` may move what is noised, as a share of what the noise is calibrated to.
double allowed_share(const Plan& plan, const PersonalClass& one) {
  return one.weight * plan.weighted_share + 1 - plan.weighted_share;
}

/// The largest movement when the row at each position of a class is replaced, in the norm of `compute`.
template <class Compute>
std::vector<double> largest_by_class(std::size_t classes, const Compute& compute) {
  const PersonalEpsilons personal = some_epsilons();
  std::vector<double> largest(classes, 0.0);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (const double side : {1.0, -1.0}) {
      Rows one = some_rows(), other = one;
      one.set(i, {{side, 0, 0}, 1});
      other.set(i, {{side, 0, 0}, -1});
      largest[personal.level_of[i]] = std::max(largest[personal.level_of[i]], distance(compute(one), compute(other)));
    }
  }
  return largest;
}

TEST(Personal, EpsilonsAreSortedIntoLevels) {
  const PersonalEpsilons personal = some_epsilons();
  EXPECT_EQ(personal.levels, (std::vector<double>{1, 0.5, 0.1}));
  EXPECT_EQ(personal.level_of[0], 2);
  EXPECT_EQ(personal.level_of[1], 1);
  EXPECT_EQ(personal.level_of[2], 0);
  EXPECT_THROW(personal_epsilons(std::vector<double>{1, 0}), Error);
  EXPECT_THROW(personal_epsilons(std::vector<double>{1, std::nan("")}), Error);
  std::vector<double> many(65);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 1.0 + static_cast<double>(i);
  EXPECT_THROW(personal_epsilons(many), Error);
}

TEST(Personal, PureWeightsAreTheRatioLessWhatRoundingTakes) {
  for (const Method& method : {Method(Scs13{}), Method(BoltOn{}), Method(Dpgd{.passes = 3})}) {
    const Plan plan = planned(method, input_of(0));
    ASSERT_EQ(plan.personal.size(), 3U) << plan.method;
    EXPECT_EQ(plan.personal[0].weight, 1.0F);
    // The noise gives epsilon 1 to a movement of the whole calibrated sensitivity.
    EXPECT_NEAR(allowed_share(plan, plan.personal[1]), 0.5, 1e-6) << plan.method;
    EXPECT_NEAR(allowed_share(plan, plan.personal[2]), 0.1, 1e-6) << plan.method;
    EXPECT_LE(allowed_share(plan, plan.personal[2]), 0.1);
    EXPECT_LT(plan.personal[2].weight, 0.1F);
    EXPECT_GT(plan.personal[2].weight, 0.09F);
    EXPECT_EQ(plan.personal[2].positions, kRows / 4);
    EXPECT_EQ(plan.personal[0].positions, kRows / 2);
    EXPECT_EQ(plan.personal[2].epsilon, 0.1);
  }
}

/// delta_G by the textbook formula.
double delta_g(double mu, double e) {
  const boost::math::normal_distribution<double> n;
  return cdf(n, -e / mu + mu / 2) - std::exp(e) * cdf(n, -e / mu - mu / 2);
}

TEST(Personal, GaussianWeightsGiveEachClassItsEpsilonAtTheSameDelta) {
  const double delta = 1e-5;
  const auto expect_exact = [&](const Method& method) {
    const Plan plan = planned(method, input_of(delta));
    const double whole =
        std::get<GaussianEvent>(plan.charges[0].event).mu * std::sqrt(static_cast<double>(plan.charges[0].times));
    for (const PersonalClass& one : plan.personal) {
      EXPECT_NEAR(delta_g(whole * allowed_share(plan, one), one.epsilon), delta, 1e-3 * delta) << plan.method;
      EXPECT_LE(one.delta, delta);
    }
    EXPECT_NEAR(plan.guarantee.epsilon, 1, 1e-9);
  };
  expect_exact(Scs13{.sgd = {.passes = 3}});
  expect_exact(BoltOn{});
  expect_exact(Dpgd{.passes = 4, .bound = DescentBound::composition});
  expect_exact(Dpgd{.passes = 4, .bound = DescentBound::hidden_state});
  expect_exact(Correlated{});
}

TEST(Personal, SampledWeightsGiveEachClassItsEpsilonAtTheSameDelta) {
  const double delta = 1e-4;
  const auto expect_exact = [&](const Method& method) {
    const Plan plan = planned(method, input_of(delta));
    const auto step = std::get<PoissonSampledEvent>(plan.charges[0].event);
    const auto steps = static_cast<double>(plan.charges[0].times);
    double last = 1.5;
    for (const PersonalClass& one : plan.personal) {
      const double share = allowed_share(plan, one);
      // What is noised moves by the share: the noise is so much larger beside it.
      const auto delta_at = [&](double noise) {
        return audit::tiny::sampled_delta({step.rate, noise / share, steps, true}, one.epsilon);
      };
      EXPECT_NEAR(delta_at(step.noise), delta, 0.03 * delta) << plan.method << one.epsilon;
      EXPECT_GT(delta_at(step.noise / 2), 2 * delta) << plan.method << one.epsilon;
      EXPECT_LE(one.delta, delta);
      EXPECT_LT(one.weight, last);
      last = one.weight;
    }
  };
  expect_exact(Dpsgd{.passes = 2, .batch_rows = 4});
  expect_exact(Bst14{.passes = 2, .batch_rows = 8, .radius = 1});
}

TEST(Personal, NoiseAndChargesAreThoseWithoutThem) {
  const PlanInput input = input_of(1e-5);
  const Plan with = planned(BoltOn{}, input), without = make_plan(BoltOn{}, input);
  EXPECT_EQ(with.charges[0].event, without.charges[0].event);
  EXPECT_EQ(with.l2_sensitivity, without.l2_sensitivity);
}

TEST(Personal, AReplacedRowMovesBoltOnWeightsByItsShareOfTheSensitivity) {
  const Plan plan = planned(BoltOn{.sgd = {.passes = 2, .batch_rows = 3, .order = RowOrder::stored}}, input_of(0));
  const double whole = base_of(plan.noise->mechanism).grid.sensitivity;
  const auto trained = [&](bool weighted) {
    return [&, weighted](const Rows& rows) {
      TableEngine plain(rows);
      WeightedEngine engine(plain, weights_of(plan));
      Psgd psgd(recipe_of(plan), plain.facts());
      for (std::uint32_t pass = 0; pass < recipe_of(plan).passes; ++pass) {
        Engine& feeding = weighted ? static_cast<Engine&>(engine) : plain;
        feeding.scan({.kind = ScanOrder::Kind::stored}, pass, psgd);
      }
      return SensitiveTestAccess::open(std::move(psgd).finish());
    };
  };
  const std::vector<double> moved = largest_by_class(3, trained(true)),
                            unweighted = largest_by_class(3, trained(false));
  for (std::size_t level = 0; level < 3; ++level) {
    const double share = allowed_share(plan, plan.personal[level]);
    EXPECT_LE(moved[level], share * whole) << level;
    EXPECT_GT(moved[level], 0.2 * share * whole) << level;
  }
  // Were the weights ignored, the class of the smallest epsilon would move too far.
  EXPECT_GT(unweighted[2], 2 * allowed_share(plan, plan.personal[2]) * whole);
}

TEST(Personal, AReplacedRowMovesSumsByItsShareOfTheSensitivity) {
  const Plan plan = planned(Scs13{}, input_of(0));
  const double whole = base_of(plan.noise->mechanism).grid.sensitivity;
  for (const Vector& at : {Vector{0, 0, 0}, Vector{-8, 8, 0}}) {
    const auto sums = [&](const Rows& rows) {
      TableEngine plain(rows);
      const WeightedEngine engine(plain, weights_of(plan));
      GradientSum sum(Logistic{}, plain.facts(), fine_gradients(Logistic{}, plain.facts()));
      sum.start(at);
      sum_rows(engine, sum);
      return SensitiveTestAccess::open(sum.take());
    };
    const std::vector<double> moved = largest_by_class(3, sums);
    for (std::size_t level = 0; level < 3; ++level) {
      EXPECT_LE(moved[level], allowed_share(plan, plan.personal[level]) * whole) << level;
      EXPECT_GT(moved[level], 0.45 * plan.personal[level].weight * whole) << level;
    }
  }
}

TEST(Personal, AReplacedRowMovesSampledSumsByItsShareOfTheSensitivity) {
  const PlanInput input = input_of(1e-4);
  for (const double clip : {0.0, 0.3}) {
    const Method method = Dpsgd{.passes = 3, .batch_rows = kRows, .clip = clip};
    const Plan plan = planned(method, input);
    const double whole = base_of(plan.noise->mechanism).grid.sensitivity;
    TrainRequest request;
    request.problem = input.problem;
    request.method = method;
    request.budget = input.budget;
    request.personal = some_epsilons();
    // Every row in every batch, and one path: two runs differ in what the replaced row adds.
    const auto sums = [&](const Rows& rows) {
      TableEngine engine(rows);
      BitSource bits(ReproducibleSeed{5});
      audit::Transcript transcript;
      audit::NotingDrawer drawer(bits, transcript);
      Curator curator(drawer);
      train(engine, request, curator);
      return transcript.entries.front().secret;
    };
    const std::vector<double> moved = largest_by_class(3, sums);
    for (std::size_t level = 0; level < 3; ++level) {
      const double share = allowed_share(plan, plan.personal[level]);
      EXPECT_LE(moved[level], 2 * share * whole) << level;  // the row on one side, its replacement on the other
      EXPECT_GT(moved[level], (clip > 0 ? 1.9 : 0.9) * plan.personal[level].weight * whole) << level;
    }
  }
}

/// Records the sums before they are used; adds nothing.
class Recording final : public StepNoise {
 public:
  void perturb(std::span<double> sum) noexcept override { sums.insert(sums.end(), sum.begin(), sum.end()); }
  Vector sums;
};

TEST(Personal, EveryPathOfPermutationSgdWeighsItsRows) {
  // Dense and sparse, batches of one and of several, with and without a step-noise hook: all agree with rows that were
  // weighed by hand in a sum of one row a batch at zero weights.
  const Rows rows = some_rows();
  std::vector<float> weights(kRows, 1.0F);
  weights[7] = 0.25F;
  Recipe recipe;
  recipe.step = {.cap = 1e-12, .numerator = 1, .offset = 1, .growth = StepRule::Growth::none};
  for (const bool sparse : {false, true}) {
    for (const std::uint64_t batch : {std::uint64_t{1}, std::uint64_t{5}}) {
      recipe.batch_rows = batch;
      const auto sums_with = [&](std::vector<float> given) {
        Recording recording;
        Psgd psgd(recipe, rows.facts(sparse), &recording);
        struct Weigh final : RowConsumer {
          void consume(const RowBlock& block) noexcept override {
            RowBlock weighted = block;
            weighted.weights = weights->data() + done;
            done += block.rows;
            next->consume(weighted);
          }
          const std::vector<float>* weights = nullptr;
          RowConsumer* next = nullptr;
          std::size_t done = 0;
        } weigh;
        weigh.weights = &given;
        weigh.next = &psgd;
        rows.feed(weigh, stored_order(kRows), 8, sparse);
        return recording.sums;
      };
      std::vector<float> without = std::vector<float>(kRows, 1.0F), none = without;
      none[7] = 0.0F;
      const Vector full = sums_with(without), quarter = sums_with(weights), zero = sums_with(none);
      ASSERT_EQ(full.size(), quarter.size());
      double moved = 0;
      for (std::size_t i = 0; i < full.size(); ++i) {
        EXPECT_NEAR(quarter[i], zero[i] + 0.25 * (full[i] - zero[i]), 1e-9);
        moved += std::fabs(full[i] - zero[i]);
      }
      EXPECT_GT(moved, 0.1);
    }
  }
}

TEST(Personal, AreRefusedWhereNoProofCoversThem) {
  const auto refused = [](const Method& method, const PlanInput& input) {
    try {
      planned(method, input);
    } catch (const Error& error) {
      return error.field() == "personal_epsilons";
    }
    return false;
  };
  const PlanInput input = input_of(1e-5);
  EXPECT_TRUE(refused(Objective{}, input));
  EXPECT_TRUE(refused(Output{}, input));
  EXPECT_FALSE(refused(Dpsgd{}, input));
  EXPECT_TRUE(refused(DpAgd{}, input));
  EXPECT_TRUE(refused(Noiseless{}, input));
  EXPECT_TRUE(refused(BoltOn{.calibration = Calibration::published}, input));
  EXPECT_FALSE(refused(Bst14{.batch_rows = 50, .radius = 10}, input));
  EXPECT_TRUE(refused(Bst14{.batch_rows = 50, .radius = 10, .calibration = Bst14Calibration::published}, input));
  PlanInput smaller = input;
  smaller.budget.epsilon = 0.5;
  EXPECT_TRUE(refused(Scs13{}, smaller));  // one position asks for more than the budget
  PlanInput longer = input;
  longer.facts.rows = kRows + 1;
  EXPECT_TRUE(refused(Scs13{}, longer));
  PlanInput wide = input_of(0);
  wide.budget.epsilon = 200;
  EXPECT_TRUE(refused(Scs13{.mechanism = MechanismChoice::discrete_laplace}, wide));  // 0.1 beside 200
}

TEST(Personal, TheCardStatesEveryClassAndSurvivesTheFile) {
  const Rows rows = some_rows();
  TableEngine engine(rows);
  TrainRequest request;
  request.problem = {Logistic{}, 0.01};
  request.method = BoltOn{};
  request.budget = {.epsilon = 1};
  request.personal = some_epsilons();
  BitSource bits(ReproducibleSeed{4});
  const Model model = train(engine, request, bits);
  ASSERT_EQ(model.card.personal.size(), 3U);
  const Model again = model_from_text(model_text(model), "test");
  ASSERT_EQ(again.card.personal.size(), 3U);
  EXPECT_EQ(again.card.personal[2].epsilon, 0.1);
  EXPECT_EQ(again.card.personal[2].positions, 10U);
  EXPECT_EQ(again.card.personal[2].weight, model.card.personal[2].weight);
  EXPECT_NE(card_text(again.card).find("epsilon 0.1"), std::string::npos);
  EXPECT_NE(card_text(again.card).find("10 public positions"), std::string::npos);
}

TEST(Personal, EqualEpsilonsTrainAsIfThereWereNone) {
  const Rows rows = some_rows();
  TableEngine engine(rows);
  TrainRequest request;
  request.problem = {Logistic{}, 0.01};
  request.method = BoltOn{};
  request.budget = {.epsilon = 1};
  request.order_seed = 3;
  const auto weights = [&](const std::optional<PersonalEpsilons>& personal) {
    request.personal = personal;
    BitSource bits(ReproducibleSeed{4});
    return train(engine, request, bits).weights;
  };
  const Vector without = weights({});
  EXPECT_EQ(weights(personal_epsilons(std::vector<double>(kRows, 1.0))), without);
  EXPECT_NE(weights(personal_epsilons(std::vector<double>(kRows, 0.5))), without);
}

}  // namespace
}  // namespace sotto::test
