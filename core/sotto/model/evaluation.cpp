#include "sotto/model/evaluation.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/model/prediction.h"
#include "sotto/optim/row_gradients.h"

namespace sotto {
namespace {

/// Mann-Whitney: the share of (positive, negative) pairs ranked right; nothing when a side is empty.
std::optional<double> area_under_curve(const std::vector<double>& values, const std::vector<bool>& positive) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  double positive_ranks = 0;
  double positives = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double rank = (static_cast<double>(first + last) + 1) / 2;  // mean rank of the tied run
    for (std::size_t i = first; i < last; ++i) {
      if (!positive[order[i]]) continue;
      positive_ranks += rank;
      ++positives;
    }
    first = last;
  }
  const double negatives = static_cast<double>(order.size()) - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  return (positive_ranks - positives * (positives + 1) / 2) / (positives * negatives);
}

/// What every figure is computed from.
struct Judged {
  std::uint32_t classes;
  std::size_t outputs;
  std::vector<double> scores;
  std::vector<std::uint32_t> actual;  // the place of each row's class
};

/// By how much each row is held to be of the class rather than of another.
std::vector<double> ranking(const Judged& judged, std::uint32_t of_class) {
  if (judged.outputs == 1) return judged.scores;
  std::vector<double> values(judged.actual.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double* row = judged.scores.data() + i * judged.outputs;
    values[i] = judged.classes == 2 ? row[1] - row[0] : row[of_class];
  }
  return values;
}

double area_over_classes(const Judged& judged) {
  double sum = 0;
  double present = 0;
  for (std::uint32_t k = judged.classes == 2 ? 1 : 0; k < judged.classes; ++k) {
    std::vector<bool> positive(judged.actual.size());
    for (std::size_t i = 0; i < positive.size(); ++i) positive[i] = judged.actual[i] == k;
    const std::optional<double> area = area_under_curve(ranking(judged, k), positive);
    if (!area) continue;
    sum += *area;
    ++present;
  }
  return present > 0 ? sum / present : 0.5;
}

double loss_sum(const Model& model, const RowBlock& rows, const Judged& judged) {
  const Loss loss = loss_of(model);
  double sum = 0;
  if (judged.outputs == 1) {
    with_margin_loss(loss, [&](const auto& l) {
      for (std::size_t i = 0; i < rows.rows; ++i)
        sum += l.value(rows.labels[i] * model.link.log_odds(judged.scores[i]));
    });
    return sum;
  }
  const Facts facts{rows.rows, rows.features, 1.0, rows.sparse(), judged.classes};
  return RowGradients(loss, facts).add_values(rows, model.weights.data(), std::numeric_limits<double>::infinity(), 0);
}

}  // namespace

Evaluation evaluate(const Model& model, const RowBlock& rows) {
  Evaluation result;
  result.rows = rows.rows;
  result.classes = model.card.classes;
  result.confusion.assign(std::size_t{result.classes} * result.classes, 0);
  if (rows.rows == 0) return result;
  Judged judged{result.classes, outputs_of(model), {}, {}};
  scores(model, rows, judged.scores);
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    require(is_label(rows.labels[i], result.classes), "labels",
            "the rows are labelled for other classes than the model");
    const std::uint32_t actual = class_of_label(rows.labels[i], result.classes);
    const std::uint32_t predicted = predicted_class({judged.scores.data() + i * judged.outputs, judged.outputs});
    judged.actual.push_back(actual);
    ++result.confusion[std::size_t{actual} * result.classes + predicted];
    right += actual == predicted ? 1 : 0;
  }
  const double count = static_cast<double>(rows.rows);
  result.loss = loss_sum(model, rows, judged) / count;
  result.accuracy = static_cast<double>(right) / count;
  result.auc = area_over_classes(judged);
  return result;
}

}  // namespace sotto
