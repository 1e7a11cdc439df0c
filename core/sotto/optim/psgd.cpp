#include "sotto/optim/psgd.h"

#include <algorithm>
#include <cmath>

#include "sotto/linalg/compensated.h"
#include "sotto/linalg/kernels.h"

namespace sotto {
namespace {

double weight_of(const RowBlock& rows, std::size_t i) noexcept {
  return rows.weights == nullptr ? 1.0 : double{rows.weights[i]};
}

}  // namespace

void StepNoise::step(double decay, double size, std::span<double> batch_sum, std::span<double> weights) noexcept {
  perturb(batch_sum);
  kernels::step(decay, size, batch_sum.data(), weights.data(), weights.size());
}

void StepNoise::step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept {
  sum_.resize(weights.size());
  kernels::scaled(row.coefficient, row.x, sum_.data(), sum_.size());
  step(decay, size, sum_, weights);
}

Psgd::Psgd(const Recipe& recipe, const Facts& facts, StepNoise* noise)
    : recipe_(recipe),
      facts_(facts),
      lipschitz_(constants_of(recipe.loss, stored_norm(facts), facts.classes).lipschitz),
      total_steps_(recipe.steps(facts.rows)),
      noise_(noise),
      weights_(weight_count(recipe.loss, facts), 0.0),
      low_(recipe.precision == Precision::plain ? 0 : weights_.size(), 0.0),
      batch_sum_(weights_.size(), 0.0),
      average_(mixes_iterates(recipe.averaging) ? weights_.size() : 0, 0.0),
      average_low_(low_.empty() ? 0 : average_.size(), 0.0),
      follows_iterates_(recipe.projection.active() || mixes_iterates(recipe.averaging)),
      margins_(kChunkRows, 0.0) {
  require(low_.empty() || (!facts.sparse && noise == nullptr), "precision",
          "weights are pairs for dense rows without noise on each step only");
  const double more_weights = static_cast<double>(weights_.size() - facts.features);  // in the norm of all outputs
  norm_slack_ = 1 + 0x1p-30 + 8 * 0x1p-53 * (rounding_terms(recipe.loss, facts, recipe.batch_rows) + more_weights);
  if (outputs_of(recipe.loss, facts.classes) != 1) {
    several_.emplace(recipe.loss, facts);
  } else if (facts.sparse && noise == nullptr) {
    touched_.assign(facts.features + std::size_t{1}, 0);
    is_touched_.assign(facts.features, 0);
  }
}

void Psgd::consume(const RowBlock& block) noexcept {
  // Dense and sparse steps keep different state; blocks of the other kind are not counted, which whoever runs the
  // passes notices.
  if (block.sparse() != facts_.sparse) return;
  if (several_) return consume_several(block);
  if (recipe_.batch_rows == 1 && low_.empty()) {
    if (block.sparse() && noise_ == nullptr) return step_each_sparse_row(block);
    if (!block.sparse()) return noise_ == nullptr ? step_each_row(block) : step_each_row_noised(block);
  }
  std::size_t done = 0;
  while (done < block.rows) {
    const std::uint64_t left_in_batch = std::min(recipe_.batch_rows - rows_in_batch_, facts_.rows - rows_in_pass_);
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>({block.rows - done, left_in_batch, kChunkRows}));
    const RowBlock part = block.slice(done, count);
    if (block.sparse()) {
      add_sparse(part);
    } else {
      add_dense(part);
    }
    done += count;
    rows_in_batch_ += count;
    rows_in_pass_ += count;
    if (rows_in_batch_ == recipe_.batch_rows || rows_in_pass_ == facts_.rows) end_batch();
    if (rows_in_pass_ == facts_.rows) rows_in_pass_ = 0;
  }
}

void Psgd::consume_several(const RowBlock& block) noexcept {
  std::size_t done = 0;
  while (done < block.rows) {
    const std::uint64_t left_in_batch = std::min(recipe_.batch_rows - rows_in_batch_, facts_.rows - rows_in_pass_);
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(block.rows - done, left_in_batch));
    several_->add(block.slice(done, count), weights_.data(), batch_sum_.data());
    done += count;
    rows_in_batch_ += count;
    rows_in_pass_ += count;
    if (rows_in_batch_ == recipe_.batch_rows || rows_in_pass_ == facts_.rows) end_batch();
    if (rows_in_pass_ == facts_.rows) rows_in_pass_ = 0;
  }
}

void Psgd::slopes_to_coefficients(const RowBlock& part) noexcept {
  const float* labels = part.labels;
  const std::size_t count = part.rows;
  with_margin_loss(recipe_.loss, [&](const auto& loss) {
    for (std::size_t i = 0; i < count; ++i) margins_[i] *= labels[i];
    if constexpr (requires { loss.slopes(margins_.data(), count, margins_.data()); }) {
      loss.slopes(margins_.data(), count, margins_.data());
    } else {
      for (std::size_t i = 0; i < count; ++i) margins_[i] = loss.slope(margins_[i]);
    }
    for (std::size_t i = 0; i < count; ++i) margins_[i] *= labels[i];
  });
  if (part.weights == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) margins_[i] *= part.weights[i];
}

void Psgd::add_dense(const RowBlock& part) noexcept {
  if (recipe_.precision == Precision::margins) {
    for (std::size_t i = 0; i < part.rows; ++i) {
      margins_[i] = compensated::dot(part.dense + i * part.features, weights_.data(), low_.data(), part.features);
    }
  } else {
    kernels::dots(part.dense, part.rows, part.features, weights_.data(), margins_.data());
  }
  slopes_to_coefficients(part);
  kernels::accumulate(margins_.data(), part.dense, part.rows, part.features, batch_sum_.data());
}

void Psgd::add_sparse(const RowBlock& part) noexcept {
  for (std::size_t i = 0; i < part.rows; ++i) {
    const std::uint64_t first = part.offsets[i];
    const std::size_t count = static_cast<std::size_t>(part.offsets[i + 1] - first);
    margins_[i] = scale_ * kernels::dot(part.columns + first, part.values + first, count, weights_.data());
  }
  slopes_to_coefficients(part);
  entries_in_batch_ += part.offsets[part.rows] - part.offsets[0];
  const bool notes_columns = noise_ == nullptr && !steps_everywhere();
  for (std::size_t i = 0; i < part.rows; ++i) {
    const std::uint64_t first = part.offsets[i];
    const std::size_t count = static_cast<std::size_t>(part.offsets[i + 1] - first);
    kernels::axpy(margins_[i], part.columns + first, part.values + first, count, batch_sum_.data());
    if (notes_columns) touch(part.columns + first, count);
  }
}

// Without a branch, since whether a column is new is anyone's guess; one place more than columns takes the last write.
void Psgd::touch(const std::uint32_t* columns, std::size_t count) noexcept {
  std::uint32_t* list = touched_.data();
  std::uint8_t* is_touched = is_touched_.data();
  std::size_t end = touched_count_;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t column = columns[k];
    list[end] = column;
    end += is_touched[column] == 0 ? 1 : 0;
    is_touched[column] = 1;
  }
  touched_count_ = end;
}

// Batches of one row need no batch sum: the step is taken straight from the row.
void Psgd::step_each_row(const RowBlock& rows) noexcept {
  with_margin_loss(recipe_.loss, [&](const auto& loss) {
    const float* x = rows.dense;
    double* w = weights_.data();
    for (std::size_t i = 0; i < rows.rows; ++i, x += rows.features) {
      const double y = rows.labels[i];
      const double coefficient = weight_of(rows, i) * y * loss.slope(y * kernels::dot(x, w, rows.features));
      const double eta = recipe_.step(++step_);
      kernels::step(1 - eta * recipe_.lambda, eta * coefficient, x, w, rows.features);
      if (follows_iterates_) after_step(eta);
    }
  });
}

void Psgd::step_each_sparse_row(const RowBlock& rows) noexcept {
  with_margin_loss(recipe_.loss, [&](const auto& loss) {
    double* w = weights_.data();
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::uint64_t first = rows.offsets[i];
      const std::size_t count = static_cast<std::size_t>(rows.offsets[i + 1] - first);
      const double y = rows.labels[i];
      const double margin = scale_ * kernels::dot(rows.columns + first, rows.values + first, count, w);
      const double coefficient = weight_of(rows, i) * y * loss.slope(y * margin);
      const double eta = recipe_.step(++step_);
      decay_scale(1 - eta * recipe_.lambda);
      const double rescaled = eta / scale_;
      for (std::uint64_t e = first; e < first + count; ++e) {
        w[rows.columns[e]] -= rescaled * (coefficient * double{rows.values[e]});
      }
      if (follows_iterates_) after_step(eta);
    }
  });
}

void Psgd::step_each_row_noised(const RowBlock& rows) noexcept {
  with_margin_loss(recipe_.loss, [&](const auto& loss) {
    const float* x = rows.dense;
    for (std::size_t i = 0; i < rows.rows; ++i, x += rows.features) {
      const double y = rows.labels[i];
      const double coefficient =
          weight_of(rows, i) * y * loss.slope(y * kernels::dot(x, weights_.data(), rows.features));
      const double eta = recipe_.step(++step_);
      noise_->step_row(1 - eta * recipe_.lambda, eta, {coefficient, x}, weights_);
      if (follows_iterates_) after_step(eta);
    }
  });
}

void Psgd::end_batch() noexcept {
  const double eta = recipe_.step(++step_);
  const double decay = 1 - eta * recipe_.lambda;
  const double step = eta / static_cast<double>(recipe_.batch_rows);
  if (!is_touched_.empty()) {
    step_sparse(decay, step);
  } else {
    if (noise_ != nullptr) {
      noise_->step(decay, step, batch_sum_, weights_);
    } else if (!low_.empty()) {
      compensated::step(eta * recipe_.lambda, step, batch_sum_.data(), {weights_.data(), low_.data()}, weights_.size());
    } else {
      kernels::step(decay, step, batch_sum_.data(), weights_.data(), weights_.size());
    }
    std::fill(batch_sum_.begin(), batch_sum_.end(), 0.0);
  }
  rows_in_batch_ = 0;
  after_step(eta);
}

void Psgd::step_sparse(double decay, double step) noexcept {
  decay_scale(decay);
  const double rescaled = step / scale_;
  const bool everywhere = steps_everywhere();
  if (everywhere) {
    kernels::step(1, rescaled, batch_sum_.data(), weights_.data(), weights_.size());
    std::fill(batch_sum_.begin(), batch_sum_.end(), 0.0);
  }
  for (std::size_t i = 0; i < touched_count_; ++i) {
    const std::uint32_t column = touched_[i];
    if (!everywhere) weights_[column] -= rescaled * batch_sum_[column];
    batch_sum_[column] = 0;
    is_touched_[column] = 0;
  }
  touched_count_ = 0;
  entries_in_batch_ = 0;
}

// A sweep over all columns is cheaper than a list of those with an entry once there are this many; the weights are the
// same, since the other columns take a step of 0.
bool Psgd::steps_everywhere() const noexcept { return 8 * entries_in_batch_ > facts_.features; }

void Psgd::decay_scale(double decay) noexcept {
  constexpr double kMinScale = 0x1p-40;
  scale_ *= decay;
  if (std::fabs(scale_) < kMinScale) fold_scale();
}

void Psgd::fold_scale() noexcept {
  kernels::scale(scale_, weights_.data(), weights_.size());
  scale_ = 1;
}

// The norm is computed only when a running bound on it says that the ball may have been left; with step noise there
// is no such bound.
void Psgd::after_step(double eta) noexcept {
  if (recipe_.projection.active()) {
    const double radius = recipe_.projection.radius;
    norm_bound_ = (std::fabs(1 - eta * recipe_.lambda) * norm_bound_ + eta * lipschitz_) * norm_slack_;
    if (noise_ != nullptr || norm_bound_ > radius) {
      const double norm = std::fabs(scale_) * kernels::norm(weights_.data(), weights_.size());
      if (norm > radius) {
        kernels::scale(radius / norm, weights_.data(), weights_.size());
        kernels::scale(radius / norm, low_.data(), low_.size());
      }
      norm_bound_ = std::min(norm, radius) * norm_slack_;
    }
  }
  if (average_.empty()) return;
  const double weight = averaging_weight(recipe_.averaging, step_, total_steps_);
  if (weight == 0) return;
  if (low_.empty()) {
    kernels::axpy(weight * scale_, weights_.data(), average_.data(), average_.size());
  } else {
    compensated::axpy(weight, weights_.data(), {average_.data(), average_low_.data()}, average_.size());
  }
}

Sensitive<Vector> Psgd::finish() && {
  if (average_.empty()) fold_scale();
  const AlignedVector& released = average_.empty() ? weights_ : average_;
  return Sensitive<Vector>(Vector(released.begin(), released.end()));
}

}  // namespace sotto
