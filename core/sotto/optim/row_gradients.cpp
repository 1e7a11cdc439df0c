#include "sotto/optim/row_gradients.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/rounded.h"
#include "sotto/optim/recipe.h"

namespace sotto {
namespace {

constexpr std::size_t kMaxRows = 256;
constexpr std::size_t kMinRows = 8;  // and so many are taken together by the kernels
constexpr std::size_t kNearBytes = 65536;

/// Several outputs gain by sums over more rows. Of one output short rows are done before the next are there; long ones
/// are one stream from memory, which every change from scores to sums interrupts.
std::size_t chunk_rows_for(std::size_t features, std::size_t outputs) noexcept {
  const std::size_t row_bytes = sizeof(float) * std::max<std::size_t>(features, 1);
  const std::size_t rows = (outputs > 1 || features >= kernels::kLongRow ? 2 : 1) * kNearBytes / row_bytes;
  return std::clamp(rows, kMinRows, kMaxRows) / kMinRows * kMinRows;
}

/// At least the norm of a row, however long the row is.
double row_norm(const RowBlock& rows, std::size_t i) noexcept {
  if (!rows.sparse()) return kernels::norm_at_least(rows.dense + i * rows.features, rows.features);
  return kernels::norm_at_least(rows.values + rows.offsets[i], rows.offsets[i + 1] - rows.offsets[i]);
}

/// +1 for the class of output k, -1 for the rest; the label itself where there is one output.
double sign_of(float label, std::size_t output, std::size_t outputs) noexcept {
  if (outputs == 1) return label;
  return label == static_cast<float>(output) ? 1.0 : -1.0;
}

/// A loss moved into [0, cap]; what is no number counts as the cap.
double capped(double value, double cap) noexcept { return value < cap ? std::max(value, 0.0) : cap; }

/// The index of a row's class for a loss of all scores; labels of two classes are +1 and -1.
double class_index(float label, std::size_t outputs) noexcept {
  if (outputs == 2) return label > 0 ? 1 : 0;
  return static_cast<double>(std::min(static_cast<std::size_t>(label), outputs - 1));
}

}  // namespace

RowGradients::RowGradients(const Loss& loss, const Facts& facts, double clip, ClipBy by)
    : loss_(loss),
      features_(facts.features),
      outputs_(outputs_of(loss, facts.classes)),
      clip_(clip),
      by_(by),
      row_bound_(stored_norm(facts)),
      steepest_(constants_of(loss, stored_norm(facts), facts.classes).lipschitz / stored_norm(facts)),
      clips_(clip < constants_of(loss, stored_norm(facts), facts.classes).lipschitz),
      chunk_rows_(chunk_rows_for(features_, outputs_)),
      scores_(outputs_ * chunk_rows_, 0.0),
      class_of_(is_margin_loss(loss) ? 0 : chunk_rows_, 0.0) {}

template <class Visit>
void RowGradients::for_each_chunk(const RowBlock& rows, const double* weights, const Visit& visit) noexcept {
  for (std::size_t done = 0; done < rows.rows; done += chunk_rows_) {
    const RowBlock part = rows.slice(done, std::min(chunk_rows_, rows.rows - done));
    scores(part, weights);
    for (std::size_t i = 0; !class_of_.empty() && i < part.rows; ++i) {
      class_of_[i] = class_index(part.labels[i], outputs_);
    }
    visit(part);
  }
}

void RowGradients::scores(const RowBlock& rows, const double* weights) noexcept {
  if (!rows.sparse() && outputs_ > 1) {
    const kernels::DenseRows dense{rows.dense, rows.rows, rows.features};
    return kernels::dots_of_outputs(dense, weights, outputs_, scores_.data(), chunk_rows_);
  }
  for (std::size_t k = 0; k < outputs_; ++k) {
    double* out = scores_.data() + k * chunk_rows_;
    const double* w = weights + k * features_;
    if (!rows.sparse()) {
      kernels::dots(rows.dense, rows.rows, rows.features, w, out);
      continue;
    }
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::uint64_t first = rows.offsets[i];
      out[i] = kernels::dot(rows.columns + first, rows.values + first, rows.offsets[i + 1] - first, w);
    }
  }
}

void RowGradients::to_coefficients(const RowBlock& rows) noexcept {
  std::visit(
      [&]<class L>(const L& loss) {
        if constexpr (ClassLoss<L>) {
          loss.slopes({scores_.data(), chunk_rows_, rows.rows, outputs_, class_of_.data()});
        } else {
          for (std::size_t k = 0; k < outputs_; ++k) {
            double* margins = scores_.data() + k * chunk_rows_;
            for (std::size_t i = 0; i < rows.rows; ++i) margins[i] *= sign_of(rows.labels[i], k, outputs_);
            if constexpr (requires { loss.slopes(margins, rows.rows, margins); }) {
              loss.slopes(margins, rows.rows, margins);
            } else {
              for (std::size_t i = 0; i < rows.rows; ++i) margins[i] = loss.slope(margins[i]);
            }
            for (std::size_t i = 0; i < rows.rows; ++i) margins[i] *= sign_of(rows.labels[i], k, outputs_);
          }
        }
      },
      loss_);
  if (clips_) clip_coefficients(rows);
  if (rows.weights == nullptr) return;
  for (std::size_t k = 0; k < outputs_; ++k) {
    double* coefficients = scores_.data() + k * chunk_rows_;
    for (std::size_t i = 0; i < rows.rows; ++i) coefficients[i] *= rows.weights[i];
  }
}

// A row's gradient is (coefficients) (x) row, so its norm is the product of the two norms. That of the row is rounded
// up; the factor covers the rest: at most kMaxClasses squares, the product, the quotient.
void RowGradients::clip_coefficients(const RowBlock& rows) noexcept {
  const auto coefficient_norm = [&](std::size_t i) {
    if (outputs_ == 1) return std::fabs(scores_[i]);
    double squares = 0;
    for (std::size_t k = 0; k < outputs_; ++k) squares += scores_[k * chunk_rows_ + i] * scores_[k * chunk_rows_ + i];
    return std::sqrt(squares);
  };
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double length = coefficient_norm(i) * (1 + 0x1p-40);
    if (length * row_bound_ <= clip_) continue;  // most rows, once the weights are good
    const double norm = length * (by_ == ClipBy::bound ? row_bound_ : row_norm(rows, i));
    if (!(norm > clip_)) continue;
    for (std::size_t k = 0; k < outputs_; ++k) scores_[k * chunk_rows_ + i] *= clip_ / norm;
  }
}

void RowGradients::add(const RowBlock& rows, const double* weights, double* sum) noexcept {
  for_each_chunk(rows, weights, [&](const RowBlock& part) {
    to_coefficients(part);
    if (!part.sparse() && outputs_ > 1) {
      const kernels::DenseRows dense{part.dense, part.rows, part.features};
      return kernels::accumulate_outputs(scores_.data(), chunk_rows_, dense, outputs_, sum);
    }
    for (std::size_t k = 0; k < outputs_; ++k) {
      const double* coefficients = scores_.data() + k * chunk_rows_;
      double* out = sum + k * features_;
      if (!part.sparse()) {
        kernels::accumulate(coefficients, part.dense, part.rows, part.features, out);
        continue;
      }
      for (std::size_t i = 0; i < part.rows; ++i) {
        const std::uint64_t first = part.offsets[i];
        kernels::axpy(coefficients[i], part.columns + first, part.values + first, part.offsets[i + 1] - first, out);
      }
    }
  });
}

// Weights that are not finite can make a slope no number: whatever they are, a row adds no more than it may.
void RowGradients::scale_coefficients(std::size_t rows, double scale) noexcept {
  const double most = steepest_ * scale;
  for (std::size_t k = 0; k < outputs_; ++k) {
    double* coefficients = scores_.data() + k * chunk_rows_;
    for (std::size_t i = 0; i < rows; ++i) {
      const double scaled = coefficients[i] * scale;
      coefficients[i] = scaled == scaled ? std::min(most, std::max(-most, scaled)) : 0.0;
    }
  }
}

void RowGradients::add(const RowBlock& rows, const double* weights, double scale, std::int64_t* sum) noexcept {
  for_each_chunk(rows, weights, [&](const RowBlock& part) {
    to_coefficients(part);
    scale_coefficients(part.rows, scale);
    const kernels::DenseRows dense{part.dense, part.rows, part.features};
    if (!part.sparse() && outputs_ > 1) {
      return kernels::accumulate_outputs_rounded(scores_.data(), chunk_rows_, dense, outputs_, sum);
    }
    for (std::size_t k = 0; k < outputs_; ++k) {
      const double* coefficients = scores_.data() + k * chunk_rows_;
      std::int64_t* out = sum + k * features_;
      if (!part.sparse()) {
        kernels::accumulate_rounded(coefficients, dense, out);
        continue;
      }
      for (std::size_t i = 0; i < part.rows; ++i) {
        const std::uint64_t first = part.offsets[i], count = part.offsets[i + 1] - first;
        kernels::add_rounded(coefficients[i], part.columns + first, part.values + first, count, out);
      }
    }
  });
}

/// The loss of row i is then where its first score was.
void RowGradients::to_values(const RowBlock& rows, double* scores) noexcept {
  std::visit(
      [&]<class L>(const L& loss) {
        if constexpr (ClassLoss<L>) {
          loss.values({scores, chunk_rows_, rows.rows, outputs_, class_of_.data()});
        } else {
          for (std::size_t k = 0; k < outputs_; ++k) {
            double* margins = scores + k * chunk_rows_;
            for (std::size_t i = 0; i < rows.rows; ++i) margins[i] *= sign_of(rows.labels[i], k, outputs_);
            if constexpr (requires { loss.values(margins, rows.rows, margins); }) {
              loss.values(margins, rows.rows, margins);
            } else {
              for (std::size_t i = 0; i < rows.rows; ++i) margins[i] = loss.value(margins[i]);
            }
            for (std::size_t i = 0; k > 0 && i < rows.rows; ++i) scores[i] += margins[i];
          }
        }
      },
      loss_);
}

double RowGradients::add_values(const RowBlock& rows, const double* weights, double value_cap, double sum) noexcept {
  for_each_chunk(rows, weights, [&](const RowBlock& part) {
    to_values(part, scores_.data());
    for (std::size_t i = 0; i < part.rows; ++i) sum += capped(scores_[i], value_cap);
  });
  return sum;
}

void RowGradients::add_values_along(const RowBlock& rows, const WeightLine& line, const LineSums& how,
                                    std::int64_t* sums) noexcept {
  const double cap = how.grid.bound, scale = how.grid.scale();
  double* at = how.scratch.at.data();
  for_each_chunk(rows, line.direction.data(), [&](const RowBlock& part) {
    scores_.swap(how.scratch.along);
    scores(part, line.origin.data());
    for (std::size_t j = 0; j < line.lengths.size(); ++j) {
      for (std::size_t k = 0; k < outputs_; ++k) {
        const std::size_t first = k * chunk_rows_;
        std::copy_n(scores_.begin() + static_cast<std::ptrdiff_t>(first), part.rows, at + first);
        kernels::axpy(-line.lengths[j], how.scratch.along.data() + first, at + first, part.rows);
      }
      to_values(part, at);
      for (std::size_t i = 0; i < part.rows; ++i) sums[j] += kernels::rounded(capped(at[i], cap) * scale);
    }
  });
}

}  // namespace sotto
