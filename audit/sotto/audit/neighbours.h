#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sotto/audit/table.h"

/// Pairs of neighbouring tables that a sensitivity must survive: spec 9 (a) to (j).
namespace sotto::audit {

/// Two tables that differ in the row at `position`.
struct Pair {
  std::string name;
  std::size_t position = 0;
  Table first;
  Table second;
  bool removed = false;  ///< the row, the last one, is missing from the second table: neighbours under add_remove
};

inline constexpr std::uint32_t kPairFeatures = 3;

/// Differing rows on a background that is the same in both.
Pair make_pair(std::string name, const Table& background, std::size_t position, const std::vector<Row>& rows);
Table background_of(std::size_t rows, const Row& row, double norm = 1, std::uint32_t classes = 2);
/// A row uniform in direction with a norm up to `largest`, of any class.
Row random_row(std::mt19937_64& random, double largest, std::uint32_t classes = 2);
Table random_background(std::mt19937_64& random, std::size_t rows, double largest, std::uint32_t classes = 2);

/// The named pairs of spec 9 with the differing row at `position` of `rows`.
std::vector<Pair> adversarial_pairs(std::size_t rows, std::size_t position, std::uint64_t seed,
                                    std::uint32_t classes = 2);

/// Every row that differs in adversarial_pairs(), as the last one, and removed (spec 9 j).
std::vector<Pair> removed_pairs(std::size_t rows, std::uint64_t seed, std::uint32_t classes = 2);

/// Rows of many features, one of them opposite, of another class or any other; removed: missing.
std::vector<Pair> wide_pairs(const Facts& facts, bool removed, std::uint64_t seed);

/// Zero rows but for one, whose label differs: in the linear part of the Huber loss runs differ exactly as a recursion
/// of sensitivities says (spec 9 a), and class counts and errors differ as far as they can.
Pair linear_pair(const Facts& facts, std::size_t position);
/// Zero rows but for one, which is x or -x under the same label: where every class has a score of its own, the gradient
/// differs in all of them.
Pair reflected_pair(const Facts& facts, std::size_t position);
/// The row of the linear pair, last and removed.
Pair linear_removal(const Facts& facts);
/// Rows along the first of two axes that saturate the loss but for one, which is nearly orthogonal to them, one way or
/// the other (spec 9 b): for losses that have no linear part.
Pair saturated_pair(std::size_t rows, double norm, double c);
/// Rows so short that every margin stays in the linear part.
inline constexpr double kLinearNorm = 0.05;
/// The facts of a small table of short rows, on which the Huber loss is linear.
inline Facts linear_facts(std::uint64_t rows, std::uint32_t classes = 2) {
  return {rows, 1, kLinearNorm, false, classes};
}

/// `order` with the row `position` moved to visiting place `place`.
Order order_with(Order order, std::size_t position, std::size_t place);
Order shuffled_order(std::size_t rows, std::mt19937_64& random);

double distance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace sotto::audit
