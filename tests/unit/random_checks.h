#pragma once
// Goodness-of-fit checks that return a p-value, so that a test can ask for a small one as well as for a large one.
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace sotto::checks {

/// A fixed seed makes a check repeatable; a right sampler is refused for 1 seed in 10,000.
inline constexpr double kRefuse = 1e-4;

/// Asymptotic p-value of a Kolmogorov statistic D over n samples.
inline double kolmogorov_p_value(double statistic, double n) {
  const double t = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * statistic;
  double sum = 0.0;
  for (int k = 1; k <= 100; ++k) sum += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * t * t);
  return t < 0.2 ? 1.0 : std::clamp(sum, 0.0, 1.0);
}

/// Kolmogorov-Smirnov p-value of samples from a continuous law against its distribution function.
template <class Cdf>
double ks_p_value(std::vector<double> samples, const Cdf& cdf) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double gap = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double f = cdf(samples[i]);
    gap = std::max({gap, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return kolmogorov_p_value(gap, n);
}

/// Pearson chi-square p-value of counts against probabilities; cells expecting fewer than 8 are pooled.
inline double chi_square_p_value(std::span<const double> counts, std::span<const double> probabilities) {
  double total = 0.0;
  for (const double c : counts) total += c;
  double statistic = 0.0, pooled_count = 0.0, pooled_expected = 0.0;
  int cells = 0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (total * probabilities[i] >= 8.0) {
      add(counts[i], total * probabilities[i]);
    } else {
      pooled_count += counts[i];
      pooled_expected += total * probabilities[i];
    }
  }
  if (pooled_expected > 1e-3) add(pooled_count, pooled_expected);
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells - 1), statistic));
}

/// The same for equally likely cells.
inline double uniform_p_value(std::span<const double> counts) {
  return chi_square_p_value(counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

}  // namespace sotto::checks
