// Weights of stored features as weights of raw numbers.
//   stored_j = (raw_j - low_j) / width_j, constant feature c:
//   sum w_j stored_j + w_c c = sum (w_j / width_j) raw_j + (w_c c - sum (w_j / width_j) low_j)
// Fails if wrong: data_plain_weights_test.cpp, "RawNumbersGiveTheMarginOfTheStoredRow".
#include "sotto/data/plain_weights.h"

#include "sotto/base/error.h"

namespace sotto {

LinearMap linear_map(const Encoder& encoder) {
  const Schema& schema = encoder.schema();
  if (!std::holds_alternative<NoProjection>(schema.projection)) {
    throw Error(ErrorKind::unsupported, "projection: its features are mixtures of columns", "projection");
  }
  LinearMap map;
  const auto add = [&](double low, double width) {
    map.low.push_back(low);
    map.width.push_back(width);
  };
  for (const Column* column : encoder.used_columns()) {
    const auto* category = std::get_if<CategoryColumn>(&column->kind);
    const auto* numeric = std::get_if<NumericColumn>(&column->kind);
    if (numeric != nullptr && numeric->range && numeric->scale == NumericScale::linear) {
      add(numeric->range->min, numeric->range->max - numeric->range->min);
    } else {
      for (std::size_t i = 0; i < (category != nullptr ? category->values.size() : 1); ++i) add(0, 1);
    }
    if (numeric != nullptr && !numeric->missing.empty()) add(0, 1);  // that the number is missing
  }
  const std::size_t stored = map.low.size() + (encoder.intercept() != 0 ? 1 : 0);
  require(stored == encoder.features(), "columns", "are encoded to features that this map does not know");
  return map;
}

PlainWeights plain_weights(const Encoder& encoder, std::span<const double> weights) {
  const LinearMap map = linear_map(encoder);
  const std::size_t raw = map.low.size();
  const std::size_t features = encoder.features();
  require(weights.size() % features == 0, "weights", "are not for this encoding");
  PlainWeights plain;
  for (; !weights.empty(); weights = weights.subspan(features)) {
    double constant = features > raw ? weights[raw] * encoder.intercept() : 0.0;
    for (std::size_t j = 0; j < raw; ++j) {
      const double coefficient = weights[j] / map.width[j];
      plain.coefficients.push_back(coefficient);
      constant -= coefficient * map.low[j];
    }
    plain.constants.push_back(constant);
  }
  return plain;
}

}  // namespace sotto
