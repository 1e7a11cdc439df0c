#pragma once
#include <cstdint>
#include <tuple>

#include "sotto/base/catalog.h"
#include "sotto/data/row_sink.h"
#include "sotto/linalg/vector.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// The sphere data of [Song13]: rows uniform on the unit sphere, labelled by a random direction; rows nearer than
/// `margin` to the separating plane are drawn again.
struct SphereData {
  static constexpr std::string_view kName = "sphere";
  static constexpr std::string_view kSummary = "uniform on the unit sphere, separable with a margin (Song13)";
  std::uint64_t rows = 10000;
  std::uint32_t features = 5;
  double margin = 0.001;
  static constexpr auto fields() {
    return std::tuple{field("rows", &SphereData::rows, "rows to draw"),
                      field("features", &SphereData::features, "dimensions of the sphere"),
                      field("margin", &SphereData::margin, "least distance of a row to the separating plane")};
  }
};

/// A set of any size for measuring: random unit rows with a share of zero entries and a share of wrong labels.
struct LargeData {
  static constexpr std::string_view kName = "large";
  static constexpr std::string_view kSummary = "random unit rows with chosen sparsity and label noise";
  std::uint64_t rows = 1000000;
  std::uint32_t features = 50;
  double sparsity = 0.0;
  double noise = 0.1;
  std::uint32_t classes = 2;
  static constexpr auto fields() {
    return std::tuple{field("rows", &LargeData::rows, "rows to draw"),
                      field("features", &LargeData::features, "features of a row"),
                      field("sparsity", &LargeData::sparsity, "share of zero entries, from 0 to below 1"),
                      field("noise", &LargeData::noise, "probability that a label is wrong, from 0 to 0.5"),
                      field("classes", &LargeData::classes, "classes of the label; more than two are numbered from 0")};
  }
};

/// Draw the rows one by one into `sink` (dense, or sparse when sparsity > 0) and return the separating direction, a
/// unit vector; for more than two classes one direction a class, one after the other. Throw Error{invalid_argument} for
/// parameters out of range.
Vector synth_sphere(const SphereData& data, BitSource& bits, RowSink& sink);
Vector synth_large(const LargeData& data, BitSource& bits, RowSink& sink);

}  // namespace sotto
