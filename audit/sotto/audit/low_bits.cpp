// What: do the low bits of what is released tell about the value under the noise?
// Formula: the attack of [Mironov12] on releases; and whatever leaves is a whole number of grid steps (spec 5.2), by
//   every way a sum is noised: released, in place, within a step, within the step of one row.
// Conditions: values that are on no grid themselves.
// Reference: [Mironov12]; spec 5.2.
// Fails if wrong: Samplers.*, make mutants.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/audit/samplers.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/curator.h"

namespace sotto::audit {
namespace {

Finding low_bits(std::uint64_t draws, std::uint64_t seed) {
  const LowBitsAttack attack;
  const Calibrated noise = calibrate(MechanismChoice::l2_laplace, {1, 1, 1, 1}, {.epsilon = attack.epsilon});
  BitSource bits(ReproducibleSeed{seed + 71});
  const auto certain_of_here = [&](double value) {
    double hits = 0;
    for (std::uint64_t i = 0; i < draws; ++i) {
      Curator curator(bits);
      curator.charge(noise.charge());
      hits += attack.verdict(curator.release(Sensitive<Vector>(Vector{value}), noise.mechanism)[0]) > 0;
    }
    return hits;
  };
  const Tally tally{static_cast<double>(draws), certain_of_here(attack.here), certain_of_here(attack.there)};
  return {"samplers",
          "release on the grid",
          "epsilon",
          attack.epsilon,
          epsilon_lower(tally, 0, kTestAlpha),
          fmt::format("attack on the low bits, {} releases", 2 * draws)};
}

/// Noises the same values in every way there is and counts the numbers that are off the grid.
class GridWatch {
 public:
  GridWatch(const Calibrated& noise, BitSource& bits) : noise_(noise), bits_(bits) {}

  double off_grid() {
    const Vector values = {1.0 / 3, -0.1, 2.0 / 7};
    const float row[] = {0.3F, -0.7F, 0.01F};
    see(curator().release(Sensitive<Vector>(Vector(values)), noise_.mechanism));
    Vector sum = values;
    curator().step_noise(noise_.mechanism, 1).perturb(sum);
    see(sum);
    // Without decay and with a step of -1 the weights are the noised sum.
    Vector weights(values.size(), 0.0);
    curator().step_noise(noise_.mechanism, 1).step(0, -1, values, weights);
    see(weights);
    weights.assign(values.size(), 0.0);
    curator().step_noise(noise_.mechanism, 1).step_row(0, -1, {1.0 / 3, row}, weights);
    see(weights);
    return off_;
  }

 private:
  Curator& curator() {
    curator_.emplace(bits_);
    curator_->charge(noise_.charge());
    return *curator_;
  }
  void see(const Vector& released) {
    for (const double v : released) off_ += std::remainder(v, base_of(noise_.mechanism).grid.step) == 0 ? 0 : 1;
  }

  const Calibrated& noise_;
  BitSource& bits_;
  std::optional<Curator> curator_;
  double off_ = 0;
};

Finding off_grid(const std::string& name, const Calibrated& noise, std::uint64_t draws, std::uint64_t seed) {
  BitSource bits(ReproducibleSeed{seed + 72});
  double off = 0;
  for (std::uint64_t i = 0; i < draws; ++i) off += GridWatch(noise, bits).off_grid();
  return {"samplers", name, "numbers off the grid", 0, off, fmt::format("{} releases and sums", 4 * draws)};
}

}  // namespace

bool LowBitsAttack::reachable(double y, double value) const {
  for (const double sign : {1.0, -1.0}) {
    const double noise = sign * (y - value);
    if (noise < 0.0) continue;
    // The uniforms k / 2^53 whose noise is within two roundings of y - value.
    const double slack = 4.0 * 0x1p-53 * (std::abs(y) + std::abs(value) + 1.0);
    const double low = std::exp(-(noise + slack) * epsilon), high = std::exp(-(noise - slack) * epsilon);
    const double first = std::floor(low * 0x1p53) - 4.0, last = std::ceil(high * 0x1p53) + 4.0;
    for (double k = std::max(1.0, first); k <= std::min(last, 0x1p53 - 1.0); k += 1.0) {
      if (value + sign * (-std::log(k * 0x1p-53) / epsilon) == y) return true;
    }
  }
  return false;
}

int LowBitsAttack::verdict(double y) const {
  const bool by_here = reachable(y, here), by_there = reachable(y, there);
  return (by_here ? 1 : 0) - (by_there ? 1 : 0);
}

std::vector<Finding> audit_low_bits(std::uint64_t draws, std::uint64_t seed) {
  std::vector<Finding> findings = {low_bits(draws, seed)};
  for (const auto& [name, choice] : enum_names(MechanismChoice{})) {
    if (choice == MechanismChoice::automatic) continue;
    const bool pure = choice == MechanismChoice::l2_laplace || choice == MechanismChoice::discrete_laplace;
    const Calibrated noise = calibrate(choice, {1, 3, 1, 1}, {.epsilon = 2, .delta = pure ? 0 : 1e-3});
    findings.push_back(off_grid(std::string(name), noise, std::max<std::uint64_t>(1, draws / 100), seed));
  }
  return findings;
}

}  // namespace sotto::audit
