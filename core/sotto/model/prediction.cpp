#include "sotto/model/prediction.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/data/schema.h"
#include "sotto/data/schema_json.h"
#include "sotto/linalg/kernels.h"
#include "sotto/model/json.h"

namespace sotto {
namespace {

double sigmoid(double score) noexcept { return 1 / (1 + std::exp(-score)); }

void score_one_output(const RowBlock& rows, const double* weights, double* out) {
  if (!rows.sparse()) return kernels::dots(rows.dense, rows.rows, rows.features, weights, out);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::uint64_t first = rows.offsets[i];
    out[i] = kernels::dot(rows.columns + first, rows.values + first,
                          static_cast<std::size_t>(rows.offsets[i + 1] - first), weights);
  }
}

}  // namespace

Loss loss_of(const Model& model) {
  Loss loss = make_by_name<Loss>(model.loss, "loss");
  std::visit(
      [&](auto& l) {
        for (const auto& [name, value] : model.card.parameters) set_field(l, name, value);
      },
      loss);
  return loss;
}

std::uint32_t outputs_of(const Model& model) {
  return outputs_of(make_by_name<Loss>(model.loss, "loss"), model.card.classes);
}

std::vector<std::string> class_texts(const Model& model) {
  const std::uint32_t count = model.card.classes;
  if (Json::parse(model.encoding).contains("label")) {
    std::vector<std::string> texts = class_texts(schema_from_json(model.encoding).label);
    if (texts.size() == count) return texts;
    throw Error(ErrorKind::invalid_data,
                "encoding: the model's encoding declares " + std::to_string(texts.size()) + " classes, its card " +
                    std::to_string(count),
                "encoding");
  }
  if (count == 2) return {"-1", "1"};
  std::vector<std::string> numbers;
  for (std::uint32_t k = 0; k < count; ++k) numbers.push_back(std::to_string(k));
  return numbers;
}

void scores(const Model& model, const RowBlock& rows, std::vector<double>& out) {
  const std::size_t outputs = outputs_of(model);
  if (rows.features * outputs !=
      model.weights.size()) {  // the text is made for a refusal only: rows may come one by one
    require(false, "features",
            "the rows have " + std::to_string(rows.features) + " features, the model has " +
                std::to_string(model.weights.size() / outputs));
  }
  out.resize(rows.rows * outputs);
  if (outputs == 1) return score_one_output(rows, model.weights.data(), out.data());
  std::vector<double> column(rows.rows);
  for (std::size_t k = 0; k < outputs; ++k) {
    score_one_output(rows, model.weights.data() + k * rows.features, column.data());
    for (std::size_t i = 0; i < rows.rows; ++i) out[i * outputs + k] = column[i];
  }
}

std::uint32_t predicted_class(std::span<const double> row_scores) noexcept {
  if (row_scores.size() == 1) return row_scores[0] > 0 ? 1 : 0;
  return static_cast<std::uint32_t>(std::ranges::max_element(row_scores) - row_scores.begin());
}

bool gives_probabilities(const Loss& loss) noexcept { return probabilities_of(loss) != Probabilities::none; }

std::string no_probabilities_text(std::string_view loss) {
  const auto has = [](auto tag) { return decltype(tag)::type::kProbabilities != Probabilities::none; };
  return std::string(loss) + " gives no probabilities; use " + loss_names(has);
}

std::vector<double> class_probabilities(const Loss& loss, std::span<const double> row_scores, const Link& link) {
  require(gives_probabilities(loss), "loss", no_probabilities_text(name_of(loss)));
  if (row_scores.size() == 1) {
    const double log_odds = link.log_odds(row_scores[0]);
    return {sigmoid(-log_odds), sigmoid(log_odds)};
  }
  std::vector<double> shares(row_scores.begin(), row_scores.end());
  const double top = *std::ranges::max_element(shares);
  const auto weight = [&](double score) {
    switch (probabilities_of(loss)) {
      case Probabilities::none: return 0.0;  // refused above
      case Probabilities::sigmoid: return sigmoid(score);
      case Probabilities::shares: return std::exp(score - top);
    }
    return 0.0;
  };
  double sum = 0;
  for (double& share : shares) {
    share = weight(share);
    sum += share;
  }
  for (double& share : shares) share = sum > 0 ? share / sum : 1 / static_cast<double>(shares.size());
  return shares;
}

}  // namespace sotto
