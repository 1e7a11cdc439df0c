#include "sotto/model/evaluation.h"

#include <algorithm>
#include <numeric>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/linalg/kernels.h"
#include "sotto/losses/loss.h"

namespace sotto {
namespace {

/// The loss the card names, with its parameters.
Loss loss_of(const Model& model) {
  Loss loss = make_by_name<Loss>(model.loss, "loss");
  std::visit(
      [&](auto& l) {
        for (const auto& [name, value] : model.card.parameters) set_field(l, name, value);
      },
      loss);
  return loss;
}

/// Mann-Whitney: the share of (positive, negative) pairs ranked right.
double area_under_curve(const std::vector<double>& scores, const float* labels) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] < scores[b]; });
  double positive_ranks = 0;
  double positives = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && scores[order[last]] == scores[order[first]]) ++last;
    const double rank = (static_cast<double>(first + last) + 1) / 2;  // mean rank of the tied run
    for (std::size_t i = first; i < last; ++i) {
      if (labels[order[i]] <= 0) continue;
      positive_ranks += rank;
      ++positives;
    }
    first = last;
  }
  const double negatives = static_cast<double>(order.size()) - positives;
  if (positives == 0 || negatives == 0) return 0.5;
  return (positive_ranks - positives * (positives + 1) / 2) / (positives * negatives);
}

void count_outcome(Evaluation& result, bool positive, bool predicted) {
  if (positive) {
    ++(predicted ? result.true_positive : result.false_negative);
  } else {
    ++(predicted ? result.false_positive : result.true_negative);
  }
}

}  // namespace

void margins(const Model& model, const RowBlock& rows, std::vector<double>& out) {
  require(rows.features == model.weights.size(), "features",
          "the rows have " + std::to_string(rows.features) + " features, the model has " +
              std::to_string(model.weights.size()));
  out.resize(rows.rows);
  if (!rows.sparse()) {
    kernels::dots(rows.dense, rows.rows, rows.features, model.weights.data(), out.data());
    return;
  }
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t first = rows.offsets[i];
    out[i] = kernels::dot(rows.columns + first, rows.values + first,
                          static_cast<std::size_t>(rows.offsets[i + 1] - first), model.weights.data());
  }
}

Evaluation evaluate(const Model& model, const RowBlock& rows) {
  Evaluation result;
  result.rows = rows.rows;
  if (rows.rows == 0) return result;
  std::vector<double> scores;
  margins(model, rows, scores);
  const Loss loss = loss_of(model);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    count_outcome(result, rows.labels[i] > 0, scores[i] > 0);
    with_margin_loss(loss, [&](const auto& l) { result.loss += l.value(rows.labels[i] * scores[i]); });
  }
  const double count = static_cast<double>(rows.rows);
  result.loss /= count;
  result.accuracy = static_cast<double>(result.true_positive + result.true_negative) / count;
  result.auc = area_under_curve(scores, rows.labels);
  return result;
}

}  // namespace sotto
