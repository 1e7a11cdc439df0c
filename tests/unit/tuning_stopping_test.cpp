// Random stopping over runs that have no rho: their price against the theorem computed apart, and whole tunings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "sotto/base/error.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/tune.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Facts kAdult{45222, 105, 1.0, false};

TuneRequest stopping(const Method& method, const char* grid, double lambda = 0.01, const Budget& budget = {1, 1e-6}) {
  TuneRequest request;
  request.train.problem = {Logistic{}, lambda};
  request.train.method = method;
  request.train.budget = budget;
  request.grid = parse_grid(grid);
  request.by = TuneBy::random_stopping;
  request.mean_runs = 10;
  return request;
}

const Event& run_of(const TunePlan& plan) { return *std::get<SelectionEvent>(plan.charge.event).run; }

std::vector<Event> kinds_of(const TunePlan& plan) {
  const auto* one = std::get_if<OneOfEvent>(&run_of(plan));
  return one == nullptr ? std::vector{run_of(plan)} : one->events;
}

double log_of_sum(const std::vector<double>& logs) {
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - top);
  return top + std::log(sum);
}

/// Of (1-q) N(0, s^2) + q N(1, s^2) to the same with N(-1, s^2): one row replaced.
double sampled_divergence(double q, double s, double order) {
  const auto log_ratio = [&](double x, double shift) {
    const double power = (2 * x * shift - 1) / (2 * s * s);
    return power > 30 ? std::log(q) + power : std::log1p(q * std::expm1(power));
  };
  std::vector<double> logs;
  const double end = 10 * s + 2 * order, width = s / 40;
  for (double x = -end; x < end; x += width) {
    logs.push_back(order * log_ratio(x, 1) + (1 - order) * log_ratio(x, -1) - x * x / (2 * s * s));
  }
  return (log_of_sum(logs) + std::log(width / (s * std::sqrt(2 * M_PI)))) / (order - 1);
}

/// c + ln(1 + sum_i N_i E[e^(t G_i); G_i > 0])/t + a mu_o^2/2, E by an integral.
double objective_divergence(const ObjectiveEvent& event, double order) {
  const double t = order - 1;
  std::vector<double> terms{0};
  for (const ObjectiveEvent::Shift& shift : event.shifts) {
    const double mean = shift.mu * shift.mu / 2, width = shift.mu / 200;
    std::vector<double> logs;
    for (double g = width / 2; g < mean + (t * shift.mu + 12) * shift.mu; g += width) {
      logs.push_back(t * g - (g - mean) * (g - mean) / (2 * shift.mu * shift.mu));
    }
    terms.push_back(std::log(shift.count * width / (shift.mu * std::sqrt(2 * M_PI))) + log_of_sum(logs));
  }
  return event.log_determinant + log_of_sum(terms) / t + order * event.release_mu * event.release_mu / 2;
}

/// Noise divided by `noise`, steps multiplied by `steps`, the sampling rate by `rate`.
struct Fault {
  double noise = 1, steps = 1, rate = 1;
};

double divergence(const Event& event, double order, const Fault& fault) {
  if (const auto* all = std::get_if<SequenceEvent>(&event)) {
    double sum = 0;
    for (const Event& one : all->events) sum += divergence(one, order, fault);
    return sum;
  }
  if (const auto* steps = std::get_if<RepeatEvent>(&event)) {
    return static_cast<double>(steps->times) * fault.steps * divergence(*steps->event, order, fault);
  }
  if (const auto* one = std::get_if<PoissonSampledEvent>(&event)) {
    return sampled_divergence(fault.rate * one->rate, one->noise / fault.noise, order);
  }
  if (const auto* one = std::get_if<ObjectiveEvent>(&event)) {
    ObjectiveEvent louder = *one;
    for (ObjectiveEvent::Shift& shift : louder.shifts) shift.mu *= fault.noise;
    return objective_divergence(louder, order);
  }
  return order * std::get<DiscreteGaussianEvent>(event).rho;
}

double delta_at(double order, double divergence, double epsilon) {
  return std::exp((order - 1) * (divergence - epsilon) + order * std::log1p(-1 / order)) / (order - 1);
}

/// [Papernot22, Theorem 6] and the conversion of [Canonne20], at orders less 1 from 0.3 to 60, of the dearest kind.
double theorem(const std::vector<Event>& kinds, double mean, double delta, const Fault& fault = {}) {
  std::vector<std::pair<double, double>> run;
  for (double step = -1.2; step < 4.1; step += 0.06) {
    const double order = 1 + std::exp(step);
    double dearest = 0;
    for (const Event& kind : kinds) dearest = std::max(dearest, divergence(kind, order, fault));
    run.emplace_back(order, dearest);
  }
  double best = kInfinity;
  for (const auto& [order, of_run] : run) {
    double run_delta = 1;
    for (const auto& [other, there] : run) {
      run_delta = std::min(run_delta, delta_at(other, there, std::log1p(1 / (order - 1))));
    }
    const double whole = of_run + mean * run_delta + std::log(mean) / (order - 1);
    best = std::min(best, whole + std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1));
  }
  return best;
}

TEST(StoppingWithoutRho, CostsWhatTheTheoremSaysOfTheRunsEventsAndNoMore) {
  for (const TuneRequest& request : {stopping(Objective{}, "lambda=0.001,0.01"), stopping(Dpsgd{}, "lambda=0,0.01"),
                                     stopping(Dpsgd{}, "passes=5,20"), stopping(Kst12{}, "lambda=0.01"),
                                     stopping(Amp{}, "lambda=0.01"), stopping(Bst14{.radius = 10}, "passes=5")}) {
    const TunePlan plan = plan_tuning(request, kAdult);
    const std::vector<Event> kinds = kinds_of(plan);
    const double epsilon = theorem(kinds, 10, 1e-6);
    EXPECT_LE(epsilon, 1.003) << event_text(plan.charge.event);
    EXPECT_GE(epsilon, 0.99) << event_text(plan.charge.event);
    EXPECT_LE(rdp_epsilon(plan.charge.event, Relation::replace_one, 1e-6).value, 1);
    EXPECT_GT(theorem(kinds, 10, 1e-6, {.noise = 2}), 1.5) << "half the noise";
    EXPECT_GT(theorem(kinds, 20, 1e-6), 1.02) << "twice the runs";
    if (std::holds_alternative<Dpsgd>(request.train.method)) {
      EXPECT_GT(theorem(kinds, 10, 1e-6, {.steps = 2}), 1.2) << "twice the steps";
      EXPECT_GT(theorem(kinds, 10, 1e-6, {.rate = 2}), 1.5) << "twice the rate";
    }
  }
}

TEST(StoppingWithoutRho, EveryRunIsTheTrainingThatIsPlannedAndItsScore) {
  const TunePlan plan = plan_tuning(stopping(Dpsgd{}, "passes=5,20;lambda=0,0.1"), kAdult);
  const std::vector<Event> kinds = kinds_of(plan);
  ASSERT_EQ(plan.runs.size(), 4U);
  EXPECT_EQ(kinds.size(), 2U) << "lambda costs nothing, so equal events are one";
  for (const TrainRequest& run : plan.runs) {
    EXPECT_LT(run.budget.epsilon, 0.5);
    std::vector<Charge> charges = make_plan(run.method, plan_input(run, kAdult)).charges;
    charges.push_back({DiscreteGaussianEvent{plan.stopping.score_rho}});
    EXPECT_NE(std::ranges::find(kinds, event_of(charges)), kinds.end());
  }
}

TEST(StoppingWithoutRho, RunsOfSeveralKindsArePricedTogether) {
  // Alone each would be trained at 0.3903.
  const TunePlan plan = plan_tuning(stopping(Auto{}, "lambda=0,0.0001", 0), kAdult);
  const std::vector<Event> kinds = kinds_of(plan);
  ASSERT_EQ(kinds.size(), 2U) << event_text(plan.charge.event);
  EXPECT_EQ(kinds[0], Event(ZcdpEvent{plan.stopping.run_rho}));
  EXPECT_TRUE(std::holds_alternative<SequenceEvent>(kinds[1]));
  const double together = rdp_epsilon(plan.charge.event, Relation::replace_one, 1e-6).value;
  EXPECT_LE(together, 1);
  EXPECT_GT(together, 0.995);
  for (const TrainRequest& run : plan.runs) EXPECT_NEAR(run.budget.epsilon, 0.39, 0.002);
}

TEST(StoppingWithoutRho, AddRemoveIsPricedToo) {
  const Budget budget{1, 1e-6, Relation::add_remove};
  const TunePlan plan = plan_tuning(stopping(Dpsgd{.declared_rows = 45222}, "lambda=0,0.1", 0, budget), kAdult);
  EXPECT_LE(rdp_epsilon(plan.charge.event, Relation::add_remove, 1e-6).value, 1);
  EXPECT_GT(rdp_epsilon(plan.charge.event, Relation::add_remove, 1e-6).value, 0.99);
  EXPECT_GT(rdp_epsilon(plan.charge.event, Relation::replace_one, 1e-6).value, 1.3) << "twice the shift";
}

TEST(StoppingWithoutRho, WhatAThousandthOfDeltaCannotPayOrNoEpsilonFitsIsRefused) {
  // The curvature of one row alone is more than a run may cost.
  try {
    plan_tuning(stopping(Objective{}, "lambda=0.0001"), kAdult);
    ADD_FAILURE() << "a run cannot afford its Jacobian";
  } catch (const Error& error) {
    EXPECT_EQ(error.field(), "epsilon");
    EXPECT_EQ(std::string_view(error.what()).find("epsilon: what a selection"), 0U) << error.what();
  }
  EXPECT_THROW(plan_tuning(stopping(Dpsgd{}, "lambda=0", 0, {1, 0}), kAdult), Error);
  EXPECT_THROW(plan_tuning(stopping(Dpsgd{}, "lambda=0", 0, {1, 1e-17}), kAdult), Error);
}

Rows table(std::size_t rows) {
  Rows result(rows, 2);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> noise(-0.2, 0.2);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool positive = i % 2 == 0;
    result.set(i, {{positive ? 0.6 : -0.6, noise(random)}, positive ? 1.0F : -1.0F});
  }
  return result;
}

std::string events_text(const Model& model) {
  std::string text;
  for (const auto& one : model.card.events) {
    text += one.event + " " + one.parameter + " " + std::to_string(one.value) + " x" + std::to_string(one.times) + "; ";
  }
  return text;
}

TEST(StoppingWithoutRho, GivesAModelWhoseCardDoesNotTellWhichSettingsRan) {
  const Rows rows = table(1000);
  TableEngine engine(rows);
  const Budget budget{4, 1e-5};
  for (TuneRequest request :
       {stopping(Objective{}, "lambda=0.05,0.5", 0.1, budget),
        stopping(Dpsgd{.batch_rows = 100}, "passes=1,3", 0.1, budget),
        stopping(Bst14{.radius = 4}, "lambda=0.1,0.2", 0.1, budget), stopping(Kst12{}, "lambda=0.05,0.5", 0.1, budget),
        stopping(Amp{}, "lambda=0.05,0.5", 0.1, budget), stopping(Auto{}, "lambda=0,0.05", 0, budget)}) {
    request.mean_runs = 2;
    const TunePlan plan = plan_tuning(request, engine.facts());
    std::set<std::string> listed, won;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      BitSource bits(ReproducibleSeed{seed});
      const Model model = tune(engine, nullptr, request, bits);
      listed.insert(events_text(model));
      won.insert(model_text(model));
      EXPECT_EQ(model.card.epsilon, 4);
      EXPECT_EQ(model.card.delta, 1e-5);
      ASSERT_FALSE(model.card.events.empty());
      EXPECT_EQ(model.card.events.front().event, "selection");
      EXPECT_EQ(model.card.events.front().value, 2);
    }
    EXPECT_EQ(listed.size(), 1U) << "no run, one or several, whatever their settings";
    EXPECT_GT(won.size(), 1U);
    const bool several = listed.begin()->find("one_of parts 2") != std::string::npos;
    EXPECT_EQ(several, kinds_of(plan).size() == 2) << *listed.begin();
  }
}

}  // namespace
}  // namespace sotto::test
