// What: the terms of objective perturbation, recomputed at a minimiser that was noted.
// Formula: |gradient of J| <= tau; |ln det H(S) - ln det H(S')| <= c at the same point, H = sum of rows' Hessians +
//   kappa I; two points certified to tau are at most 2 tau/kappa apart. The event has c as log_determinant, a pure one
//   as what is left beside the epsilons of its two noises.
// Conditions: every point is the minimiser for some linear term, so any row may be tried at it; second derivatives are
//   differences of slopes, good to 1e-7.
// Reference: spec 7.7; docs/audit.md.
// Fails if wrong: Replay.TheJacobianIsReached*, make mutants.
#include "sotto/audit/minimiser_replay.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sotto::audit {
namespace {

constexpr double kStep = 1e-4;
constexpr double kDerivatives = 1 + 1e-6;  // what differences of slopes may be off by

double dot(const double* a, const double* b, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

double norm_of(const Vector& v) { return std::sqrt(dot(v.data(), v.data(), v.size())); }

/// The derivatives of one row's loss by its scores.
Vector score_slopes(const Loss& loss, const Facts& facts, const Row& row, const Vector& scores) {
  Vector slopes(scores.size(), 0.0);
  const std::uint32_t own = class_of_label(row.label, facts.classes);
  std::visit(
      [&]<class L>(const L& l) {
        if constexpr (MarginLoss<L>) {
          for (std::size_t k = 0; k < scores.size(); ++k) {
            const double y = (scores.size() == 1 ? row.label > 0 : own == k) ? 1.0 : -1.0;
            slopes[k] = y * l.slope(y * scores[k]);
          }
        } else {
          l.slopes(scores.data(), scores.size(), own, slopes.data());
        }
      },
      loss);
  return slopes;
}

Vector scores_of(const Row& row, const Vector& weights) {
  Vector scores(weights.size() / row.x.size());
  for (std::size_t k = 0; k < scores.size(); ++k)
    scores[k] = dot(weights.data() + k * row.x.size(), row.x.data(), row.x.size());
  return scores;
}

/// The second derivatives by scores k and l, as a matrix.
std::vector<Vector> score_curvatures(const Loss& loss, const Facts& facts, const Row& row, const Vector& scores) {
  std::vector<Vector> matrix;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    Vector above = scores, below = scores;
    above[k] += kStep;
    below[k] -= kStep;
    const Vector high = score_slopes(loss, facts, row, above), low = score_slopes(loss, facts, row, below);
    Vector column(scores.size());
    for (std::size_t l = 0; l < column.size(); ++l) column[l] = (high[l] - low[l]) / (2 * kStep);
    matrix.push_back(std::move(column));
  }
  return matrix;
}

/// A symmetric positive matrix that rows add their Hessians to.
class Hessian {
 public:
  Hessian(std::size_t dimension, double curvature) : values_(dimension, Vector(dimension, 0.0)) {
    for (std::size_t i = 0; i < dimension; ++i) values_[i][i] = curvature;
  }
  void add(const Loss& loss, const Facts& facts, const Row& row, const Vector& weights) {
    const std::vector<Vector> by_score = score_curvatures(loss, facts, row, scores_of(row, weights));
    const std::size_t features = row.x.size();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      for (std::size_t j = 0; j < values_.size(); ++j)
        values_[i][j] += by_score[i / features][j / features] * row.x[i % features] * row.x[j % features];
    }
  }
  /// By the pivots of elimination.
  double log_determinant() const {
    std::vector<Vector> left = values_;
    double sum = 0;
    for (std::size_t p = 0; p < left.size(); ++p) {
      sum += std::log(left[p][p]);
      for (std::size_t i = p + 1; i < left.size(); ++i) {
        const double factor = left[i][p] / left[p][p];
        for (std::size_t j = p; j < left.size(); ++j) left[i][j] -= factor * left[p][j];
      }
    }
    return sum;
  }

 private:
  std::vector<Vector> values_;
};

/// A unit vector orthogonal to these; empty where there is none.
Vector orthogonal_to(std::vector<Vector> others, std::size_t features) {
  for (std::size_t e = 0; e < features; ++e) {
    Vector axis(features, 0.0);
    axis[e] = 1;
    others.push_back(std::move(axis));
  }
  std::vector<Vector> basis;
  for (const Vector& each : others) {
    Vector rest = each;
    for (int again = 0; again < 2; ++again) {
      for (const Vector& b : basis) {
        const double along = dot(rest.data(), b.data(), features);
        for (std::size_t i = 0; i < features; ++i) rest[i] -= along * b[i];
      }
    }
    const double norm = norm_of(rest);
    if (norm <= 1e-6 * norm_of(each) || norm == 0) continue;
    for (double& v : rest) v /= norm;
    basis.push_back(std::move(rest));
    if (basis.size() == features) return others.size() > features ? basis.back() : basis.front();
  }
  return {};
}

/// The margin up to `most` at which a loss of the margin is most curved.
double curved_margin(const Loss& loss, const Facts& facts, double most) {
  constexpr int kTried = 400;
  double best = 0, largest = -1;
  for (int i = -kTried; i <= kTried; ++i) {
    const double margin = most * i / kTried;
    const double curved = score_curvatures(loss, facts, {{}, 1}, {margin})[0][0];
    if (curved <= largest * (1 + 1e-9)) continue;
    largest = curved;
    best = margin;
  }
  return best;
}

/// The row of the largest norm whose loss is most curved at these weights; none for joint models of margins.
std::optional<Row> curved_row(const Loss& loss, const Facts& facts, const Vector& weights) {
  const std::size_t features = facts.features, outputs = weights.size() / features;
  std::vector<Vector> directions;
  Row row{Vector(features, 0.0), 1};
  double left = facts.data_norm;
  if (outputs == 1) {
    directions = {weights};
    const double length = norm_of(weights);
    const double margin = length > 0 ? curved_margin(loss, facts, length * facts.data_norm) : 0;
    for (std::size_t i = 0; i < features && length > 0; ++i) row.x[i] = margin * weights[i] / (length * length);
    left = std::sqrt(std::max(0.0, left * left - dot(row.x.data(), row.x.data(), features)));
  } else if (std::holds_alternative<Softmax>(loss)) {
    row.label = label_of_class(0, facts.classes);
    for (std::size_t k = 1; k < outputs; ++k) {
      Vector gap(features);
      for (std::size_t i = 0; i < features; ++i) gap[i] = weights[k * features + i] - weights[i];
      directions.push_back(std::move(gap));
    }
  } else {
    return std::nullopt;
  }
  if (directions.size() >= features) return row.x == Vector(features, 0.0) ? std::nullopt : std::optional(row);
  const Vector across = orthogonal_to(std::move(directions), features);
  for (std::size_t i = 0; i < across.size(); ++i) row.x[i] += left * across[i];
  return row;
}

/// What the event has for the Jacobian.
double charged_for(const Transcript::Entry& entry) {
  if (const auto* event = std::get_if<ObjectiveEvent>(&entry.event)) return event->log_determinant;
  double left = std::get<PureEvent>(entry.event).epsilon;
  for (const Event& noise : entry.noises) left -= std::get<L2LaplaceEvent>(noise).epsilon;
  return left;
}

}  // namespace

Vector row_gradient(const Loss& loss, const Facts& facts, const Row& row, const Vector& weights) {
  const Vector slopes = score_slopes(loss, facts, row, scores_of(row, weights));
  Vector gradient(weights.size());
  for (std::size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = slopes[i / facts.features] * row.x[i % facts.features];
  return gradient;
}

double residual_of(const Transcript::Entry& entry, const Loss& loss, const Table& table) {
  Vector gradient = entry.linear;
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += entry.curvature * entry.secret[i];
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Vector row = row_gradient(loss, table.facts(), table.row(i), entry.secret);
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += row[j];
  }
  return norm_of(gradient) / entry.tolerance;
}

double certificate_share(const Transcript::Entry& entry) {
  return 2 * entry.tolerance / entry.curvature / entry.release_sensitivity;
}

double jacobian_share(const Transcript::Entry& entry, const Loss& loss, const Pair& pair) {
  const Facts facts = pair.first.facts();
  const Vector& weights = entry.secret;
  Hessian others(weights.size(), entry.curvature);
  for (std::size_t i = 0; i < pair.first.size(); ++i) {
    if (i != pair.position) others.add(loss, facts, pair.first.row(i), weights);
  }
  const double without = others.log_determinant();
  const auto with = [&](const Row& row) {
    Hessian all = others;
    all.add(loss, facts, row, weights);
    return all.log_determinant();
  };
  const double here = with(pair.first.row(pair.position));
  const double there = pair.removed ? without : with(pair.second.row(pair.position));
  double gap = std::abs(here - there);
  if (const auto row = curved_row(loss, facts, weights)) gap = std::max(gap, with(*row) - without);
  return gap / charged_for(entry) / kDerivatives;
}

}  // namespace sotto::audit
