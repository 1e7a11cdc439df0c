// What: counts of rows in sampled batches against independent coins of rate q.
// Formula: in n batches of m rows: a row n q, variance n q (1 - q); a batch above its mean by the binomial law; rows that
//   are also in the batch before, and pairs of neighbours in a ring: n m q^2, variance n m (q^2 + 2 q^3 - 3 q^4).
//   Each as a number of standard deviations.
// Conditions: at least 100 expected of what is counted, for the normal limit.
// Reference: spec 6.2, 6.3b.
// Fails if wrong: Samplers.*, make mutants.
#include "sotto/audit/batch_coins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/privacy/drawer.h"
#include "sotto/privacy/poisson_coins.h"

namespace sotto::audit {
namespace {

constexpr double kMostDeviations = 6;  // of thousands of rows, once in 10^5 audits

struct Case {
  const char* how;  ///< the sets are drawn
  std::uint64_t rows;
  double rate;
};
constexpr Case kCases[] = {{"by marks", 100, 0.3}, {"by those left out", 100, 0.9}, {"by sorting", 6400, 0.008}};

/// P(Binomial(rows, rate) > most).
double chance_above(const Case& of, std::uint64_t most) {
  const double rows = static_cast<double>(of.rows);
  double chance = 0;
  for (std::uint64_t i = most + 1; i <= of.rows; ++i) {
    const double k = static_cast<double>(i);
    const double ways = std::lgamma(rows + 1) - std::lgamma(k + 1) - std::lgamma(rows - k + 1);
    chance += std::exp(ways + k * std::log(of.rate) + (rows - k) * std::log1p(-of.rate));
  }
  return chance;
}

struct Counts {
  std::vector<double> rows;
  double above = 0, again = 0, neighbours = 0;
};

Counts count_batches(const Case& of, std::uint64_t batches, BitSource& bits) {
  SampledGaussian law;
  law.rate = exact_rate(of.rate);
  Drawer drawer(bits);
  const auto mean = static_cast<std::size_t>(of.rate * static_cast<double>(of.rows));
  Counts counts;
  counts.rows.assign(of.rows, 0);
  std::vector<bool> before(of.rows), in(of.rows);
  for (std::uint64_t i = 0; i < batches; ++i) {
    const std::vector<std::uint64_t> batch = drawer.draw_batch(law, of.rows);
    std::fill(in.begin(), in.end(), false);
    for (const std::uint64_t row : batch) {
      counts.rows.at(row) += 1;
      in[row] = true;
      counts.again += before[row];
    }
    for (const std::uint64_t row : batch) counts.neighbours += in[(row + 1) % of.rows];
    counts.above += batch.size() > mean;
    before.swap(in);
  }
  return counts;
}

}  // namespace

std::vector<Finding> audit_batch_coins(std::uint64_t batches, BitSource& bits) {
  std::vector<Finding> findings;
  for (const Case& of : kCases) {
    const double n = static_cast<double>(batches), m = static_cast<double>(of.rows), q = of.rate;
    const auto mean = static_cast<std::uint64_t>(q * m);
    const double above = chance_above(of, mean), row_spread = std::sqrt(n * q * (1 - q));
    const double pair_spread = std::sqrt(n * m * q * q * (1 + 2 * q - 3 * q * q));
    const Counts counts = count_batches(of, batches, bits);
    const auto note = [&](const char* what, double deviations) {
      findings.push_back({"samplers", fmt::format("poisson coins, {}", of.how), "standard deviations", kMostDeviations,
                          std::abs(deviations), fmt::format("{}, {} batches of {} rows", what, batches, of.rows)});
    };
    const auto [least, most] = std::minmax_element(counts.rows.begin(), counts.rows.end());
    note("the row drawn least often", std::min(0.0, *least - n * q) / row_spread);
    note("the row drawn most often", std::max(0.0, *most - n * q) / row_spread);
    note("batches above their mean", (counts.above - n * above) / std::sqrt(n * above * (1 - above)));
    note("two rows in one batch", (counts.neighbours - n * m * q * q) / pair_spread);
    note("one row in two batches running", (counts.again - (n - 1) * m * q * q) / pair_spread);
  }
  return findings;
}

}  // namespace sotto::audit
