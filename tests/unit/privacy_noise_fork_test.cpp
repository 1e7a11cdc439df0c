// Noise that was drawn ahead belongs to one process: on the releases of two, the same noise could be subtracted.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "sotto/privacy/noise_supply.h"

namespace sotto {
namespace {

constexpr std::size_t kDimension = 4;
using Noise = std::vector<double>;

Noise next(NoiseSupply& supply) {
  const double* vector = supply.next();
  return {vector, vector + kDimension};
}

/// What a child process draws from the supply it inherited, all that is left of it; destroys it and ends.
std::vector<Noise> drawn_by_child(std::optional<NoiseSupply>& supply, std::size_t left) {
  int ends[2];
  EXPECT_EQ(::pipe(static_cast<int*>(ends)), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // instead of waiting for ever for a thread that stayed in the parent
    bool written = true;
    for (std::size_t i = 0; i < left; ++i) {
      const Noise noise = next(*supply);
      written = written && ::write(ends[1], noise.data(), sizeof(double) * kDimension) > 0;
    }
    supply.reset();
    // Straight to the kernel: the thread sanitizer would take the parent's thread for one this process left behind.
    ::syscall(SYS_exit_group, written ? 0 : 1);
  }
  ::close(ends[1]);
  std::vector<Noise> drawn;
  Noise noise(kDimension);
  while (::read(ends[0], noise.data(), sizeof(double) * kDimension) == sizeof(double) * kDimension) {
    drawn.push_back(noise);
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(drawn.size(), left);
  return drawn;
}

void expect_nothing_shared(const NoiseDemand& demand, std::size_t before) {
  const Calibrated noise = calibrate(MechanismChoice::gaussian, {2.0, kDimension, 1, demand.draws}, Budget{1.0, 1e-6});
  BitSource bits;
  std::optional<NoiseSupply> supply;
  supply.emplace(bits, noise.mechanism, demand);
  std::set<Noise> parents;
  for (std::size_t i = 0; i < before; ++i) parents.insert(next(*supply));
  const std::size_t left = demand.draws - before;
  const std::vector<Noise> childs = drawn_by_child(supply, left);
  for (std::size_t i = 0; i < left; ++i) parents.insert(next(*supply));
  EXPECT_EQ(parents.size(), demand.draws);
  for (const Noise& each : childs) EXPECT_FALSE(parents.contains(each));
  EXPECT_EQ(std::set<Noise>(childs.begin(), childs.end()).size(), left);
}

TEST(NoiseAfterFork, ABlockDrawnAheadIsNotUsedTwice) { expect_nothing_shared({100}, 3); }

TEST(NoiseAfterFork, ASupplyWithAThreadGoesOnWithoutIt) {
  expect_nothing_shared({80'000, 10}, 3);
  expect_nothing_shared({80'000, 10}, 20'000);
  expect_nothing_shared({80'000, 1}, 20'000);
}

}  // namespace
}  // namespace sotto
