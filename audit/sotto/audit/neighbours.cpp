#include "sotto/audit/neighbours.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto::audit {

Pair make_pair(std::string name, const Table& background, std::size_t position, const std::vector<Row>& rows) {
  Pair pair{std::move(name), position, background, background};
  pair.first.set(position, rows.at(0));
  pair.second.set(position, rows.at(1));
  return pair;
}

Table background_of(std::size_t rows, const Row& row, double norm, std::uint32_t classes) {
  Table table(rows, kPairFeatures, norm, classes);
  for (std::size_t i = 0; i < rows; ++i) table.set(i, row);
  return table;
}

Row random_row(std::mt19937_64& random, double largest, std::uint32_t classes) {
  std::normal_distribution<double> normal;
  Row row{{normal(random), normal(random), normal(random)}, 1};
  row.label = label_of_class(static_cast<std::uint32_t>(random() % classes), classes);
  const double norm = std::hypot(row.x[0], row.x[1], row.x[2]);
  const double wanted = largest * std::uniform_real_distribution<double>(0, 1)(random);
  for (double& v : row.x) v *= wanted / norm;
  return row;
}

Table random_background(std::mt19937_64& random, std::size_t rows, double largest, std::uint32_t classes) {
  Table table(rows, kPairFeatures, 1, classes);
  for (std::size_t i = 0; i < rows; ++i) table.set(i, random_row(random, largest, classes));
  return table;
}

std::vector<Pair> adversarial_pairs(std::size_t rows, std::size_t position, std::uint64_t seed, std::uint32_t classes) {
  std::mt19937_64 random(seed);
  const float yes = label_of_class(classes - 1, classes), no = label_of_class(0, classes);
  const Row along{{1, 0, 0}, yes}, against{{1, 0, 0}, no}, zero{{0, 0, 0}, yes};
  const auto alike = [&](const Row& row) { return background_of(rows, row, 1, classes); };
  const auto drawn = [&] { return random_row(random, 3, classes); };
  std::vector<Pair> pairs;
  const auto add = [&](const char* name, const Table& background, const std::vector<Row>& differing) {
    pairs.push_back(make_pair(name, background, position, differing));
  };
  for (const double c : {0.05, 0.1, 0.3}) {  // (b): the others saturate the loss along the first axis
    const double s = std::sqrt(1 - c * c);
    add("saturated", alike(along), {{{-c, s, 0}, yes}, {{-c, -s, 0}, yes}});
  }
  add("lone row", alike(zero), {{{0, 1, 0}, yes}, {{0, -1, 0}, yes}});              // (a), (c)
  add("long rows", alike({{3, 0, 0}, yes}), {{{0, 3, 0}, yes}, {{0, 0, -3}, no}});  // (e)
  add("classes swapped", random_background(random, rows, 1, classes),               // (f)
      {{{0.6, 0.8, 0}, yes}, {{0.6, 0, 0.8}, no}});
  add("zero against unit", alike(against), {zero, along});                         // (g)
  add("label flip", alike({{0.1, 0, 0}, yes}), {along, against});                  // (h)
  add("random", random_background(random, rows, 3, classes), {drawn(), drawn()});  // (i)
  add("random", random_background(random, rows, 0.3, classes), {drawn(), drawn()});
  return pairs;
}

std::vector<Pair> removed_pairs(std::size_t rows, std::uint64_t seed, std::uint32_t classes) {
  std::vector<Pair> pairs;
  for (const Pair& pair : adversarial_pairs(rows, rows - 1, seed, classes)) {
    for (const Table& table : {pair.first, pair.second}) {
      pairs.push_back({pair.name + ", removed", rows - 1, table, table.without_last(), true});
    }
  }
  return pairs;
}

std::vector<Pair> wide_pairs(const Facts& facts, bool removed, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto drawn = [&] {
    Row row{std::vector<double>(facts.features),
            label_of_class(static_cast<std::uint32_t>(random() % facts.classes), facts.classes)};
    for (double& v : row.x) v = normal(random);  // longer than the norm: it is clipped to it
    return row;
  };
  Table background(facts.rows, facts.features, facts.data_norm, facts.classes);
  for (std::size_t i = 0; i < facts.rows; ++i) background.set(i, drawn());
  const std::size_t last = facts.rows - 1;
  const Row row = drawn();
  Row opposite = row, other_class = row;
  for (double& v : opposite.x) v = -v;
  other_class.label = label_of_class((class_of_label(row.label, facts.classes) + 1) % facts.classes, facts.classes);
  std::vector<Pair> pairs;
  for (const Row& other : {opposite, other_class, drawn()}) {
    pairs.push_back(make_pair("wide", background, last, {row, other}));
    if (!removed) continue;
    pairs.back().second = pairs.back().first.without_last();
    pairs.back().removed = true;
  }
  return pairs;
}

Pair linear_pair(const Facts& facts, std::size_t position) {
  Row row{std::vector<double>(facts.features, 0.0), label_of_class(facts.classes - 1, facts.classes)};
  const Table zeros(facts.rows, facts.features, facts.data_norm, facts.classes);
  row.x.back() = facts.data_norm;
  return make_pair("linear", zeros, position, {row, {row.x, label_of_class(0, facts.classes)}});
}

Pair reflected_pair(const Facts& facts, std::size_t position) {
  const Pair linear = linear_pair(facts, position);
  const Row row = linear.first.row(position);
  Row reflected = row;
  reflected.x.back() = -row.x.back();
  return make_pair("reflected", linear.first, position, {row, reflected});
}

Pair linear_removal(const Facts& facts) {
  const Pair pair = linear_pair(facts, facts.rows - 1);
  return {"linear, removed", facts.rows - 1, pair.first, pair.first.without_last(), true};
}

Pair saturated_pair(std::size_t rows, double norm, double c) {
  Table table(rows, 2, norm);
  for (std::size_t i = 0; i < rows; ++i) table.set(i, {{norm, 0}, 1});
  const double s = norm * std::sqrt(1 - c * c);
  return make_pair("saturated", table, 0, {{{-c * norm, s}, 1}, {{-c * norm, -s}, 1}});
}

Order order_with(Order order, std::size_t position, std::size_t place) {
  const auto found = std::find(order.begin(), order.end(), position);
  std::swap(*found, order[place]);
  return order;
}

Order shuffled_order(std::size_t rows, std::mt19937_64& random) {
  Order order = stored_order(rows);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

}  // namespace sotto::audit
