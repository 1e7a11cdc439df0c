// Synthetic data. Sphere: x uniform on the unit sphere, a a random unit vector, y = sign(a.x), redrawn while
// |a.x| < margin [Song13, section 5]. The margin is tested on the row as stored in float32.
// Large: max(1, round((1 - sparsity) d)) entries N(0,1) at uniformly chosen columns, scaled to norm 1; y = sign(a.x),
// flipped with probability `noise`. More than two classes: a direction a_k each, y = the first argmax of a_k.x, with
// probability `noise` one of the others, uniformly.
// Test: data_synth_test.cpp, "EveryRowOfTheSphereKeepsTheMargin".
#include "sotto/data/synth.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/data/facts.h"
#include "sotto/data/raw_row.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

void check_shape(std::uint64_t rows, std::uint32_t features) {
  require(rows > 0, "rows", "must be at least 1");
  require(features > 0 && features <= kMaxFeatures, "features",
          "must be between 1 and " + std::to_string(kMaxFeatures));
}

Vector draw_direction(BitSource& bits, std::uint32_t features) {
  Vector direction(features);
  draw_sphere(bits, direction);
  return direction;
}

void draw_columns(BitSource& bits, std::uint32_t features, std::vector<std::uint32_t>& columns) {
  // Floyd's way to draw distinct numbers: as many draws as columns, whatever the number of features.
  std::set<std::uint32_t> chosen;
  for (auto top = features - static_cast<std::uint32_t>(columns.size()); top < features; ++top) {
    const auto candidate = static_cast<std::uint32_t>(draw_below(bits, std::uint64_t{top} + 1));
    if (!chosen.insert(candidate).second) chosen.insert(top);
  }
  std::ranges::copy(chosen, columns.begin());
}

/// One direction for two classes, otherwise one a class.
Vector draw_directions(BitSource& bits, const LargeData& data) {
  Vector all;
  for (std::uint32_t k = 0; k < (data.classes == 2 ? 1 : data.classes); ++k) {
    const Vector direction = draw_direction(bits, data.features);
    all.insert(all.end(), direction.begin(), direction.end());
  }
  return all;
}

struct Directions {
  const Vector& all;
  std::uint32_t features;
};

/// The class of a point with entries at `columns`, or at every column when there are none.
std::uint32_t nearest_class(const Directions& directions, const std::vector<std::uint32_t>& columns,
                            const Vector& point) {
  const std::size_t count = directions.all.size() / directions.features;
  std::uint32_t best = 0;
  double highest = 0.0;
  for (std::uint32_t k = 0; k < count; ++k) {
    const double* direction = directions.all.data() + std::size_t{k} * directions.features;
    double score = 0.0;
    for (std::size_t j = 0; j < point.size(); ++j) score += point[j] * direction[columns.empty() ? j : columns[j]];
    if (count == 1) return score > 0 ? 1 : 0;
    if (k == 0 || score > highest) {
      best = k;
      highest = score;
    }
  }
  return best;
}

std::uint32_t another_class(BitSource& bits, std::uint32_t right, std::uint32_t classes) {
  if (classes == 2) return 1 - right;
  return (right + 1 + static_cast<std::uint32_t>(draw_below(bits, classes - 1))) % classes;
}

}  // namespace

Vector synth_sphere(const SphereData& data, BitSource& bits, RowSink& sink) {
  constexpr int kMaxRedraws = 1000000;
  check_shape(data.rows, data.features);
  require(data.margin >= 0 && data.margin < 1, "margin", "must be from 0 to below 1");
  Vector separator = draw_direction(bits, data.features);
  Vector point(data.features);
  std::vector<float> row(data.features);
  for (std::uint64_t i = 0; i < data.rows; ++i) {
    double distance = 0.0;
    int draws = 0;
    do {
      require(++draws <= kMaxRedraws, "margin", "is so large that hardly a row keeps it in this many dimensions");
      draw_sphere(bits, point);
      distance = 0.0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = static_cast<float>(point[j]);
        distance += static_cast<double>(row[j]) * separator[j];
      }
    } while (std::abs(distance) < data.margin);
    sink.add_dense(row, distance > 0 ? 1.0F : -1.0F);
  }
  return separator;
}

Vector synth_large(const LargeData& data, BitSource& bits, RowSink& sink) {
  check_shape(data.rows, data.features);
  require(data.sparsity >= 0 && data.sparsity < 1, "sparsity", "must be from 0 to below 1");
  require(data.noise >= 0 && data.noise <= 0.5, "noise", "must be from 0 to 0.5");
  require(data.classes >= 2 && data.classes <= kMaxClasses, "classes", "must be between 2 and 4096");
  const double wanted = std::round((1.0 - data.sparsity) * data.features);
  const std::size_t entries = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
  const bool sparse = entries < data.features;
  Vector directions = draw_directions(bits, data);
  Vector point(entries);
  std::vector<float> values(entries);
  std::vector<std::uint32_t> columns(sparse ? entries : 0);
  for (std::uint64_t i = 0; i < data.rows; ++i) {
    if (sparse) draw_columns(bits, data.features, columns);
    draw_sphere(bits, point);
    for (std::size_t j = 0; j < entries; ++j) values[j] = static_cast<float>(point[j]);
    const std::uint32_t nearest = nearest_class({directions, data.features}, columns, point);
    const bool wrong = data.noise > 0 && draw_uniform(bits) < data.noise;
    const float label = label_of_class(wrong ? another_class(bits, nearest, data.classes) : nearest, data.classes);
    if (sparse) {
      sink.add_sparse(columns, values, label);
    } else {
      sink.add_dense(values, label);
    }
  }
  return directions;
}

}  // namespace sotto
