#pragma once
// Pairs of neighbouring tables (replace_one) that a sensitivity must survive: spec 9 (b), (c), (e) to (i).
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "test_rows.h"

namespace sotto::test {

/// Two tables that differ in the row at `position`.
struct Pair {
  std::string name;
  std::size_t position = 0;
  Rows first;
  Rows second;
};

inline constexpr std::uint32_t kPairFeatures = 3;

/// Differing rows on a background that is the same in both.
inline Pair make_pair(std::string name, const Rows& background, std::size_t position, const std::vector<Row>& rows) {
  Pair pair{std::move(name), position, background, background};
  pair.first.set(position, rows.at(0));
  pair.second.set(position, rows.at(1));
  return pair;
}

inline Rows background_of(std::size_t rows, const Row& row, double norm = 1) {
  Rows table(rows, kPairFeatures, norm);
  for (std::size_t i = 0; i < rows; ++i) table.set(i, row);
  return table;
}

/// A row uniform in direction with a norm up to `largest`.
inline Row random_row(std::mt19937_64& random, double largest) {
  std::normal_distribution<double> normal;
  Row row{{normal(random), normal(random), normal(random)}, random() % 2 == 0 ? 1.0F : -1.0F};
  const double norm = std::hypot(row.x[0], row.x[1], row.x[2]);
  const double wanted = largest * std::uniform_real_distribution<double>(0, 1)(random);
  for (double& v : row.x) v *= wanted / norm;
  return row;
}

inline Rows random_background(std::mt19937_64& random, std::size_t rows, double largest) {
  Rows table(rows, kPairFeatures);
  for (std::size_t i = 0; i < rows; ++i) table.set(i, random_row(random, largest));
  return table;
}

/// The named pairs of spec 9 with the differing row at `position` of `rows`.
inline std::vector<Pair> adversarial_pairs(std::size_t rows, std::size_t position, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Row along{{1, 0, 0}, 1}, against{{1, 0, 0}, -1}, zero{{0, 0, 0}, 1};
  std::vector<Pair> pairs;
  const auto add = [&](const char* name, const Rows& background, const std::vector<Row>& differing) {
    pairs.push_back(make_pair(name, background, position, differing));
  };
  for (const double c : {0.05, 0.1, 0.3}) {  // (b): the others saturate the loss along the first axis
    const double s = std::sqrt(1 - c * c);
    add("saturated", background_of(rows, along), {{{-c, s, 0}, 1}, {{-c, -s, 0}, 1}});
  }
  add("lone row", background_of(rows, zero), {{{0, 1, 0}, 1}, {{0, -1, 0}, 1}});                          // (a), (c)
  add("long rows", background_of(rows, {{3, 0, 0}, 1}), {{{0, 3, 0}, 1}, {{0, 0, -3}, -1}});              // (e)
  add("classes swapped", random_background(random, rows, 1), {{{0.6, 0.8, 0}, 1}, {{0.6, 0, 0.8}, -1}});  // (f)
  add("zero against unit", background_of(rows, against), {zero, along});                                  // (g)
  add("label flip", background_of(rows, {{0.1, 0, 0}, 1}), {along, against});                             // (h)
  add("random", random_background(random, rows, 3), {random_row(random, 3), random_row(random, 3)});      // (i)
  add("random", random_background(random, rows, 0.3), {random_row(random, 3), random_row(random, 3)});
  return pairs;
}

/// `order` with the row `position` moved to visiting place `place`.
inline Order order_with(Order order, std::size_t position, std::size_t place) {
  const auto found = std::find(order.begin(), order.end(), position);
  std::swap(*found, order[place]);
  return order;
}

inline Order shuffled_order(std::size_t rows, std::mt19937_64& random) {
  Order order = stored_order(rows);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

}  // namespace sotto::test
