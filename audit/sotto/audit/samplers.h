#pragma once
#include <cstdint>
#include <vector>

#include "sotto/audit/evidence.h"

/// Layer 1: does the noise have the law its event names? Distribution, isotropy, independence, coins of sampled
/// batches, choices; bits that never repeat across threads and forks; the attack on the low bits.
namespace sotto::audit {

/// `draws` vectors of every mechanism; the seeds of bit sources are always the operating system's.
std::vector<Finding> audit_samplers(std::uint64_t draws, std::uint64_t seed);

/// The attack on the low bits, and whether all that leaves is on the grid.
std::vector<Finding> audit_low_bits(std::uint64_t draws, std::uint64_t seed);

/// The largest gap between the empirical law of `values`, which are sorted, and `law`.
double kolmogorov_distance(std::vector<double>& values, double (*law)(double));
/// A gap above this has a chance of at most alpha.
double kolmogorov_critical(std::size_t count, double alpha);

/// The attack of [Mironov12] on one output y: which of two values can have given it under the textbook Laplace sampler
/// of this epsilon? +1: only `here`, -1: only `there`, 0: no certainty.
struct LowBitsAttack {
  double epsilon = 0.1, here = 0, there = 1;
  bool reachable(double y, double value) const;
  int verdict(double y) const;
};

}  // namespace sotto::audit
