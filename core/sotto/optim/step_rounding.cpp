// What: how far a computed step of permutation SGD is from the exact step at the same weights.
// Formula: u (c_0 W + eta (c_1 beta s W + (b + c_2) L)), u = 2^-53 (spec 5.4), with c_0 = eta lambda + 2|1 - eta lambda| + 1,
//   c_1 = 1, c_2 = 3 + slope_rounding(), s = d/16 + 5 (kernels.h: 16 lanes and a balanced tree).
//   K outputs: s + 2 sqrt K, and ((10 + 4 beta/X^2) sqrt K + K) X more.
//   Weights as pairs: c_0 = 4 u, 4 lambda W and 3 L more behind eta, s + 1. Compensated margins: s = 2.
// Conditions: none on the size of a step.
// Reference: docs/notes/sensitivity.md, "Rounding of one step".
// Fails if wrong: Rounding.* (steps and whole runs replayed with 113 bits).
#include "sotto/optim/step_rounding.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/compensated.h"
#include "sotto/linalg/kernels.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {
namespace {

// Products of several roundings, (1 + u)^n - 1 for n u below 2^-20, and the arithmetic of this file.
constexpr double kUnit = 0x1p-53 * 1.01;

double dot_depth(const Recipe& recipe, const Facts& facts, double outputs) noexcept {
  if (recipe.precision == Precision::margins) return compensated::dot_units(facts.features);
  const double lanes = static_cast<double>(kernels::kLanes);
  const double plain = std::ceil(facts.features / lanes) + 4;
  const double of_outputs = outputs > 1 ? 2 * std::sqrt(outputs) : 0;
  // A sparse margin is multiplied by the scale of the weights; of a pair the margin sees the first number only.
  const double more = (facts.sparse ? 1 : 0) + (recipe.precision == Precision::weights ? 1 : 0);
  return plain + of_outputs + more;
}

}  // namespace

StepRounding::StepRounding(const Recipe& recipe, const Facts& facts) : recipe_(recipe), sparse_(facts.sparse) {
  const double norm = stored_norm(facts);
  const LossConstants constants = constants_of(recipe.loss, norm, facts.classes);
  const double outputs = outputs_of(recipe.loss, facts.classes);
  const double rows_in_batch = static_cast<double>(std::min(recipe.batch_rows, facts.rows));
  depth_ = dot_depth(recipe, facts, outputs);
  smoothness_ = constants.smoothness;
  const double of_pairs = recipe.precision == Precision::plain ? 0 : 3;
  of_gradient_ = (rows_in_batch + 3 + of_pairs + slope_rounding(constants, norm)) * constants.lipschitz;
  if (outputs > 1) {
    const double curvature = constants.smoothness / (norm * norm);
    of_gradient_ += ((10 + 4 * curvature) * std::sqrt(outputs) + outputs) * norm;
  }
  const double weights = outputs * facts.features;
  projection_ = recipe.projection.active() ? (weights / 16 + 10) * recipe.projection.radius : 0;
}

double StepRounding::of_weights(double eta) const noexcept {
  if (recipe_.precision != Precision::plain) return 4 * 0x1p-53;
  return eta * recipe_.lambda + 2 * std::fabs(1 - eta * recipe_.lambda) + (sparse_ ? 2 : 1);
}

double StepRounding::growth(double eta) const noexcept {
  const double pairs = recipe_.precision == Precision::plain ? 0 : 4 * recipe_.lambda;
  return kUnit * (of_weights(eta) + eta * (smoothness_ * depth_ + pairs));
}

double StepRounding::length(double eta) const noexcept { return kUnit * (eta * of_gradient_ + projection_); }

double StepRounding::of(double eta, double weight_bound) const noexcept {
  return growth(eta) * weight_bound + length(eta);
}

double StepRounding::of_average(double weight_bound) const noexcept {
  return recipe_.precision == Precision::plain ? 4 * kUnit * weight_bound : 4 * kUnit * 0x1p-53 * weight_bound;
}

double StepRounding::of_finish(double weight_bound) const noexcept {
  return recipe_.precision == Precision::plain ? 0 : 4 * kUnit * weight_bound;
}

}  // namespace sotto
