#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "sotto/linalg/kernels.h"

/// The plain statement of what the kernels compute, and numbers that are hard on them.
namespace sotto::linalg_reference {

template <class X, class W>
double dot(const X* x, const W* w, std::size_t n) {
  std::array<double, 16> lanes{};
  for (std::size_t i = 0; i < n; ++i) lanes[i % 16] += static_cast<double>(x[i]) * static_cast<double>(w[i]);
  for (std::size_t distance = 8; distance > 0; distance /= 2) {
    for (std::size_t lane = 0; lane < distance; ++lane) lanes[lane] += lanes[lane + distance];
  }
  return lanes[0];
}

enum class Values { ordinary, adversarial };

/// Ordinary: uniform in [-1, 1]. Adversarial: signed zeros, denormals, huge and tiny numbers, cancelling neighbours.
template <class T>
std::vector<T> numbers(std::size_t n, Values kind, std::uint32_t seed) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::array<double, 12> hard = {0.0,   -0.0,  0x1p-140,    -0x1.8p-149, 0x1.fffffep+100, -0x1.fffffep+100,
                                       1e-30, -1e30, 1 + 0x1p-23, -1.0,        0x1p-126,        3.0};
  std::vector<T> result(n);
  for (T& value : result) {
    const double drawn = uniform(bits);
    value = static_cast<T>(kind == Values::ordinary || bits() % 4 == 0 ? drawn : hard[bits() % hard.size()]);
  }
  return result;
}

inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

inline std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> result;
  for (const double value : values) result.push_back(bits_of(value));
  return result;
}

/// Every length whose groups and tails differ, and two lengths of real data.
inline std::vector<std::size_t> lengths() {
  std::vector<std::size_t> result;
  for (std::size_t n = 0; n <= 67; ++n) result.push_back(n);
  for (const std::size_t n : {100, 128, 131, 784}) result.push_back(n);
  return result;
}

}  // namespace sotto::linalg_reference
