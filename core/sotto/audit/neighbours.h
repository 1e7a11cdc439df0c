#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sotto/audit/table.h"

/// Pairs of neighbouring tables (replace_one) that a sensitivity must survive: spec 9 (a) to (i).
namespace sotto::audit {

/// Two tables that differ in the row at `position`.
struct Pair {
  std::string name;
  std::size_t position = 0;
  Table first;
  Table second;
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

/// Zero rows but for one, whose label differs: in the linear part of the Huber loss runs differ exactly as a recursion
/// of sensitivities says (spec 9 a), and class counts and errors differ as far as they can.
Pair linear_pair(std::size_t rows, std::size_t position, double norm, std::uint32_t features = 1);
/// Rows so short that every margin stays in the linear part.
inline constexpr double kLinearNorm = 0.05;

/// `order` with the row `position` moved to visiting place `place`.
Order order_with(Order order, std::size_t position, std::size_t place);
Order shuffled_order(std::size_t rows, std::mt19937_64& random);

double distance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace sotto::audit
