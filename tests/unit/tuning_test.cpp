// Private tuning: parts by position, the law and price of random stopping, and what the cards say.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <random>
#include <set>

#include "sotto/base/error.h"
#include "sotto/files/open_rows.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/tune.h"
#include "sotto/tuning/parts.h"
#include "sotto/tuning/random_stopping.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

/// Sorted by label, as files may be; the last feature numbers the row.
Rows table(std::size_t rows) {
  Rows result(rows, 3);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> noise(-0.2, 0.2);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool positive = i < rows / 2;
    result.set(i, {{positive ? 0.4 : -0.4, noise(random), 1e-4 * static_cast<double>(i)}, positive ? 1.0F : -1.0F});
  }
  return result;
}

TuneRequest request_of(TuneBy by, const Budget& budget = {2, 1e-5}) {
  TuneRequest request;
  request.train.problem = {Logistic{}, 0.01};
  request.train.method = BoltOn{.sgd = {.passes = 2}};
  request.train.budget = budget;
  request.grid = parse_grid("lambda=0.001,0.1;passes=1,3");
  request.by = by;
  request.mean_runs = 3;
  return request;
}

TEST(Grid, IsEveryCombinationInItsSpelling) {
  const std::vector<Setting> grid = parse_grid("lambda=1e-4,1e-3;passes=5,10,20");
  ASSERT_EQ(grid.size(), 6U);
  std::set<std::string> texts;
  for (const Setting& setting : grid) texts.insert(setting_text(setting));
  EXPECT_EQ(texts.size(), 6U);
  EXPECT_TRUE(texts.contains("lambda=1e-3 passes=20"));
  for (const char* bad : {"", "lambda", "=1", "lambda=", "lambda=1,,2", "lambda=1;"})
    EXPECT_THROW(parse_grid(bad), Error);
}

struct Collector final : RowConsumer {
  void consume(const RowBlock& block) noexcept override {
    for (std::size_t i = 0; i < block.rows; ++i) {
      numbers.push_back(std::lround(block.dense[i * 3 + 2] * 1e4));
      positives += block.labels[i] > 0;
    }
  }
  std::vector<long> numbers;
  double positives = 0;
};

TEST(Parts, HoldEveryRowOnceAndMixASortedFile) {
  const Rows rows = table(1003);
  TableEngine engine(rows);
  const auto parts = split_rows(engine, {1, 2, 3, 4}, 4);
  std::set<long> seen;
  for (const auto& part : parts) {
    Collector collector;
    part->scan_rows(0, part->facts().rows, collector);
    EXPECT_NEAR(static_cast<double>(part->facts().rows), 250.75, 1);
    EXPECT_NEAR(collector.positives / static_cast<double>(part->facts().rows), 0.5, 0.12);
    for (const long number : collector.numbers) EXPECT_TRUE(seen.insert(number).second);
  }
  EXPECT_EQ(seen.size(), 1003U);
}

TEST(RandomStopping, TheNumberOfRunsIsPoisson) {
  BitSource bits(ReproducibleSeed{9});
  for (const std::uint32_t mean : {1U, 4U}) {
    constexpr int kDraws = 20000;
    std::vector<double> counts(30, 0.0);
    for (int i = 0; i < kDraws; ++i) ++counts[std::min<std::uint64_t>(29, draw_poisson(bits, mean))];
    const boost::math::poisson_distribution<> law(mean);
    for (int k = 0; k < 10; ++k) {
      const double p = pdf(law, k);
      EXPECT_NEAR(counts[static_cast<std::size_t>(k)] / kDraws, p, 4.5 * std::sqrt(p / kDraws)) << k;
    }
  }
}

TEST(RandomStopping, ARunCostsWhatTheTheoremAllowsAndNoMore) {
  for (const std::uint32_t mean : {1U, 10U}) {
    const StoppingTerms terms = stopping_terms({1, 1e-6}, mean);
    EXPECT_LE(terms.train_rho + terms.score_rho, terms.run_rho);
    const auto epsilon = [&](double rho) {
      const Event best = select_best(ZcdpEvent{rho}, PoissonRuns{static_cast<double>(mean)});
      return account_epsilon(best, Relation::replace_one, 1e-6).value.upper;
    };
    EXPECT_LE(epsilon(terms.run_rho), 1);
    EXPECT_GE(epsilon(1.05 * terms.run_rho), 1);
  }
  EXPECT_THROW(stopping_terms({1, 0}, 3), Error);
}

TEST(Tune, ProgressTellsPublicCountsAndNothingOfASecretNumberOfRuns) {
  const Rows rows = table(1000), open_table = table(200);
  TableEngine engine(rows), open_rows(open_table);
  for (const TuneBy by : {TuneBy::public_data, TuneBy::parts, TuneBy::random_stopping}) {
    std::vector<double> told;
    TuneRequest request = request_of(by);
    request.train.progress = [&](double fraction) { told.push_back(fraction); };
    BitSource bits(ReproducibleSeed{5});
    tune(engine, by == TuneBy::public_data ? &open_rows : nullptr, request, bits);
    if (by == TuneBy::random_stopping) {
      EXPECT_TRUE(told.empty());
      continue;
    }
    EXPECT_TRUE(std::ranges::is_sorted(told));
    ASSERT_GE(told.size(), request.grid.size());
    EXPECT_DOUBLE_EQ(told.front(), by == TuneBy::parts ? 0.25 : 0.2);  // one of four runs, or of four and the last
    EXPECT_DOUBLE_EQ(told.back(), 1.0);
  }
}

TEST(Tune, AutoIsTunedByPartsWithFullScansWhereAloneItWouldSample) {
  const Facts facts{120000, 784, 1.0, false, 10};
  for (const TuneBy by : {TuneBy::parts, TuneBy::random_stopping}) {
    TuneRequest request = request_of(by, {1, 1e-9});
    request.train.problem = {Softmax{}, 0};
    request.train.method = Auto{};
    request.grid = parse_grid("lambda=0,1e-6");
    ASSERT_TRUE(std::holds_alternative<Dpsgd>(Auto{}.choose({facts, request.train.problem, {1, 1e-9}}).solver));
    for (const TrainRequest& run : plan_tuning(request, facts).runs) {
      if (by == TuneBy::parts) {
        EXPECT_TRUE(std::holds_alternative<Dpgd>(run.method));
      } else {
        EXPECT_TRUE(std::holds_alternative<Dpsgd>(std::get<Auto>(run.method).choose(plan_input(run, facts)).solver));
      }
    }
  }
}

TEST(Tune, AutoScansAllRowsWhereThePriceOfSamplingIsNotKnownWell) {
  const Facts facts{5000000, 784, 1.0, false, 10};
  TuneRequest request = request_of(TuneBy::random_stopping, {0.001, 1e-6});
  request.train.problem = {Softmax{}, 0};
  request.train.method = Auto{};
  request.grid = parse_grid("lambda=0");
  request.mean_runs = 100;
  ASSERT_TRUE(std::holds_alternative<Dpsgd>(Auto{}.choose({facts, request.train.problem, {0.001, 1e-6}}).solver));
  const TrainRequest run = plan_tuning(request, facts).runs.front();
  EXPECT_TRUE(std::holds_alternative<Dpgd>(run.method));
  EXPECT_GT(run.budget.epsilon, 8e-5);
}

TEST(Tune, EveryWayGivesAModelWhoseCardListsWhatWasTried) {
  const Rows rows = table(1000), open_table = table(200);
  TableEngine engine(rows), open_rows(open_table);
  for (const TuneBy by : {TuneBy::public_data, TuneBy::parts, TuneBy::random_stopping}) {
    const TuneRequest request = request_of(by);
    BitSource bits;
    const Model model = tune(engine, by == TuneBy::public_data ? &open_rows : nullptr, request, bits);
    EXPECT_EQ(model.weights.size(), 3U);
    EXPECT_TRUE(model.card.is_private);
    EXPECT_EQ(model.card.epsilon, 2);
    EXPECT_LE(model.card.delta, 1e-5);
    if (by == TuneBy::parts) {
      EXPECT_NE(model.card.theorem.find("6.3"), std::string::npos) << "why its events do not add up";
    }
    ASSERT_GE(model.card.remarks.size(), 2U);
    for (const Setting& setting : request.grid) {
      EXPECT_NE(model.card.remarks.end()[-2].find(setting_text(setting)), std::string::npos);
    }
    const Setting& chosen = request.grid.at(chosen_setting(model.card, request.grid));
    EXPECT_EQ(model.card.remarks.back(), "chosen: (" + setting_text(chosen) + ")");
    EXPECT_THROW(chosen_setting(model.card, {{{"lambda", "0.123"}}}), Error);
    BitSource seeded(ReproducibleSeed{1});
    EXPECT_FALSE(tune(engine, &open_rows, request, seeded).card.is_private);
  }
}

TEST(Tune, RefusesWhatHasNoProof) {
  const Rows rows = table(100);
  TableEngine engine(rows);
  BitSource bits;
  const auto fails = [&](const TuneRequest& request) { EXPECT_THROW(tune(engine, nullptr, request, bits), Error); };
  fails(request_of(TuneBy::public_data));  // no public rows
  fails(request_of(TuneBy::parts, {2, 1e-5, Relation::add_remove}));
  fails(request_of(TuneBy::random_stopping, {2, 0}));
  TuneRequest unknown = request_of(TuneBy::parts);
  unknown.grid = parse_grid("momentum=1");
  fails(unknown);
  TuneRequest noiseless = request_of(TuneBy::random_stopping);
  noiseless.train.method = Noiseless{};
  fails(noiseless);
}

}  // namespace
}  // namespace sotto::test
