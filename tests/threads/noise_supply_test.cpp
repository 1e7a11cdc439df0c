#include "sotto/privacy/noise_supply.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "sotto/base/threads.h"
#include "sotto/privacy/curator.h"

namespace sotto {
namespace {

constexpr std::size_t kDimension = 5;

Calibrated calibrated(MechanismChoice choice, std::uint64_t draws, double delta = 0) {
  return calibrate(choice, {2.0, kDimension, 1, draws}, Budget{1.0, delta});
}

/// The vectors one after the other, drawn without a supply.
std::vector<double> drawn_directly(const Mechanism& mechanism, std::uint64_t draws) {
  BitSource bits(ReproducibleSeed{5});
  std::vector<std::int64_t> integers(draws * kDimension);
  std::visit([&](const auto& m) { m.draw(bits, integers); }, mechanism);
  std::vector<double> values;
  for (const std::int64_t k : integers) values.push_back(base_of(mechanism).grid.step * static_cast<double>(k));
  return values;
}

std::vector<double> supplied(const Mechanism& mechanism, std::uint64_t draws, std::uint64_t rows_a_draw = 1) {
  BitSource bits(ReproducibleSeed{5});
  NoiseSupply supply(bits, mechanism, {draws, rows_a_draw});
  std::vector<double> values;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const double* vector = supply.next();
    values.insert(values.end(), vector, vector + kDimension);
  }
  return values;
}

TEST(NoiseSupply, AFewDrawsAreWhatTheMechanismDraws) {
  for (const MechanismChoice choice : {MechanismChoice::l2_laplace, MechanismChoice::discrete_laplace}) {
    const Calibrated noise = calibrated(choice, 20);
    EXPECT_EQ(supplied(noise.mechanism, 20), drawn_directly(noise.mechanism, 20));
  }
}

TEST(NoiseSupply, ManyDrawsFromAThreadRepeatWithTheSeedAndNeverRepeatThemselves) {
  constexpr std::uint64_t kDraws = 60'000;  // several blocks
  const Calibrated noise = calibrated(MechanismChoice::gaussian, kDraws, 1e-6);
  const std::vector<double> first = supplied(noise.mechanism, kDraws, 10);
  EXPECT_EQ(first, supplied(noise.mechanism, kDraws, 10));
  const std::vector<double> shared = supplied(noise.mechanism, kDraws, 1);
  limit_threads(1);
  EXPECT_EQ(first, supplied(noise.mechanism, kDraws, 10)) << "without a thread";
  EXPECT_EQ(shared, supplied(noise.mechanism, kDraws, 1)) << "without a thread, by turns";
  limit_threads(0);
  std::set<std::vector<double>> vectors;
  for (std::size_t i = 0; i < first.size(); i += kDimension) {
    vectors.insert(std::vector<double>(first.begin() + static_cast<std::ptrdiff_t>(i),
                                       first.begin() + static_cast<std::ptrdiff_t>(i + kDimension)));
  }
  EXPECT_EQ(vectors.size(), kDraws);
}

TEST(NoiseSupply, ManyDrawsHaveTheStatedVariance) {
  constexpr std::uint64_t kDraws = 40'000;
  const Calibrated noise = calibrated(MechanismChoice::gaussian, kDraws, 1e-6);
  const double stddev = std::get<GaussianNoise>(noise.mechanism).stddev();
  double squares = 0;
  for (const double value : supplied(noise.mechanism, kDraws, 10)) squares += value * value;
  const double measured = squares / static_cast<double>(kDraws * kDimension);
  EXPECT_NEAR(measured / (stddev * stddev), 1.0, 0.02);
}

TEST(NoiseSupply, CanBeLeftBeforeItsDrawsAreUsed) {
  const Calibrated noise = calibrated(MechanismChoice::l2_laplace, 1'000'000);
  for (const int used : {0, 1, 10'000}) {
    BitSource bits(ReproducibleSeed{1});
    NoiseSupply supply(bits, noise.mechanism, {1'000'000, 10});
    for (int i = 0; i < used; ++i) supply.next();
  }
}

TEST(NoisySums, TheStepWithNoiseIsTheNoisedSumThenTheStep) {
  constexpr std::uint64_t kDraws = 1000;
  const Calibrated noise = calibrated(MechanismChoice::l2_laplace, kDraws);
  BitSource bits_one(ReproducibleSeed{9});
  BitSource bits_two(ReproducibleSeed{9});
  Curator one(bits_one);
  Curator two(bits_two);
  one.charge(noise.charge());
  two.charge(noise.charge());
  NoisySums fused = one.step_noise(noise.mechanism, kDraws);
  NoisySums apart = two.step_noise(noise.mechanism, kDraws);
  std::vector<double> w(kDimension, 0.5);
  std::vector<double> v = w;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    std::vector<double> sum(kDimension, 0.1 * static_cast<double>(i % 7));
    fused.step(0.99, 0.125, sum, w);
    apart.perturb(sum);
    for (std::size_t k = 0; k < kDimension; ++k) v[k] = 0.99 * v[k] - 0.125 * sum[k];
  }
  EXPECT_EQ(w, v);
  // Nothing is charged any more: the sum must not reach the weights.
  const std::vector<double> sum(kDimension, 1e6);
  std::vector<double> before = w;
  fused.step(1.0, 0.125, sum, w);
  EXPECT_EQ(w, before);
}

TEST(NoisySums, TheStepOfOneRowIsTheStepOfItsSum) {
  constexpr std::uint64_t kDraws = 300;
  const Calibrated noise = calibrated(MechanismChoice::l2_laplace, kDraws);
  BitSource bits_one(ReproducibleSeed{9}), bits_two(ReproducibleSeed{9});
  Curator one(bits_one), two(bits_two);
  one.charge(noise.charge());
  two.charge(noise.charge());
  NoisySums of_row = one.step_noise(noise.mechanism, kDraws);
  NoisySums of_sum = two.step_noise(noise.mechanism, kDraws);
  const std::vector<float> x = {0.1F, -0.2F, 0.3F, -0.4F, 0.5F};
  std::vector<double> w(kDimension, 0.5), v(kDimension, 0.5), sum(kDimension);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double coefficient = 0.01 * static_cast<double>(i);
    for (std::size_t k = 0; k < kDimension; ++k) sum[k] = coefficient * static_cast<double>(x[k]);
    of_row.step_row(0.99, 0.125, {coefficient, x.data()}, w);
    of_sum.step(0.99, 0.125, sum, v);
  }
  EXPECT_EQ(w, v);
  // Nothing is charged any more: the row must not reach the weights.
  const std::vector<double> before = w;
  of_row.step_row(1.0, 0.125, {1e6, x.data()}, w);
  EXPECT_EQ(w, before);
  // Nor with weights of another dimension.
  EXPECT_EQ(of_row.draws_left(), 0U);
}

TEST(BitSource, ManyThreadsHaveStreamsOfTheirOwn) {
  constexpr int kThreads = 8;
  std::vector<std::uint64_t> first(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&first, i] {
      BitSource bits;
      first[static_cast<std::size_t>(i)] = bits.next();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::uint64_t>(first.begin(), first.end()).size(), static_cast<std::size_t>(kThreads));
}

}  // namespace
}  // namespace sotto
