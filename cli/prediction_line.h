#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/data/row_block.h"
#include "sotto/model/intervals.h"
#include "sotto/model/json.h"
#include "sotto/model/prediction.h"

namespace sotto::cli {

/// A cell of a CSV line, in quotes where it needs them.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// True if every class is a whole number as JSON writes it; predictions are then numbers, otherwise texts.
inline bool are_integers(const std::vector<std::string>& texts) {
  return std::ranges::all_of(texts, [](const std::string& text) {
    constexpr std::size_t kMaxDigits = 15;
    const std::string digits = text.starts_with('-') ? text.substr(1) : text;
    const bool all_digits = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
    return all_digits && digits.size() <= kMaxDigits && (digits[0] != '0' || text == "0");
  });
}

/// What is written about a row (nothing but its place if it cannot be used): the text of its class, its score (with one
/// output the margin of class +1), the probability of class +1 where one output gives it, and the probability of every
/// class if asked for.
class PredictionLine {
 public:
  PredictionLine(const Model& model, bool all_probabilities, bool intervals)
      : with_intervals_(intervals),
        loss_(loss_of(model)),
        link_(model.link),
        texts_(class_texts(model)),
        outputs_(outputs_of(model)),
        all_(all_probabilities) {
    require(!all_ || gives_probabilities(loss_), "probabilities",
            "the model's loss " + no_probabilities_text(model.loss));
    one_probability_ = outputs_ == 1 && gives_probabilities(loss_);
    integers_ = are_integers(texts_);
  }
  std::size_t outputs() const noexcept { return outputs_; }

  std::string header() const {
    std::string line = outputs_ == 1 ? "prediction,margin" : "prediction,score";
    if (one_probability_) line += ",probability";
    for (std::size_t k = 0; all_ && k < texts_.size(); ++k) line += "," + csv_cell("probability_" + texts_[k]);
    if (with_intervals_) line += ",margin_lower,margin_upper,probability_lower,probability_upper";
    return line + "\n";
  }
  /// The line of a row without a prediction: as many lines as rows.
  std::string csv_without() const {
    return std::string(static_cast<std::size_t>(std::ranges::count(header(), ',')), ',') + "\n";
  }
  static std::string json_without() { return "{\"prediction\":null}\n"; }
  std::string csv(std::span<const double> row_scores, const Interval& margin) const {
    std::string line = fmt::format("{},{}", csv_cell(texts_[predicted_class(row_scores)]), score(row_scores));
    const std::vector<double> chances = probabilities(row_scores);
    if (one_probability_) line += fmt::format(",{}", chances[1]);
    for (std::size_t k = 0; all_ && k < chances.size(); ++k) line += fmt::format(",{}", chances[k]);
    if (with_intervals_) {
      const Interval chance = probability_interval(margin, link_);
      line += fmt::format(",{},{},{},{}", margin.lower, margin.upper, chance.lower, chance.upper);
    }
    return line + "\n";
  }
  std::string json(std::span<const double> row_scores, const Interval& margin) const {
    const std::string& text = texts_[predicted_class(row_scores)];
    Json object{{"prediction", integers_ ? Json::parse(text) : Json(text)}};
    object[outputs_ == 1 ? "margin" : "score"] = score(row_scores);
    const std::vector<double> chances = probabilities(row_scores);
    if (one_probability_) object["probability"] = chances[1];
    for (std::size_t k = 0; all_ && k < chances.size(); ++k) object["probabilities"][texts_[k]] = chances[k];
    if (with_intervals_) {
      const Interval chance = probability_interval(margin, link_);
      object["margin_interval"] = {margin.lower, margin.upper};
      object["probability_interval"] = {chance.lower, chance.upper};
    }
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  double score(std::span<const double> row_scores) const {
    return outputs_ == 1 ? row_scores[0] : row_scores[predicted_class(row_scores)];
  }
  std::vector<double> probabilities(std::span<const double> row_scores) const {
    if (!all_ && !one_probability_) return {};
    return class_probabilities(loss_, row_scores, link_);
  }

  bool with_intervals_;
  Loss loss_;
  Link link_;
  std::vector<std::string> texts_;
  std::size_t outputs_;
  bool all_;
  bool one_probability_ = false;
  bool integers_ = false;
};

/// The interval of a row's margin, where the model has what it takes and a level was given.
class RowIntervals {
 public:
  RowIntervals(const Model& model, double level) {
    if (level == 0) return;
    require(model.uncertainty.has_value(), "intervals",
            "the model has none; train with --intervals SHARE (method auto, objective or output)");
    maker_.emplace(*model.uncertainty, level);
  }
  Interval of(const RowBlock& rows, std::size_t i, double margin) const {
    if (!maker_) return {};
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    if (rows.sparse()) {
      columns.assign(rows.columns + rows.offsets[i], rows.columns + rows.offsets[i + 1]);
      values.assign(rows.values + rows.offsets[i], rows.values + rows.offsets[i + 1]);
    } else {
      for (std::uint32_t k = 0; k < rows.features; ++k) {
        const float value = rows.dense[i * rows.features + k];
        if (value == 0) continue;
        columns.push_back(k);
        values.push_back(value);
      }
    }
    return maker_->margin(columns, values, margin);
  }

 private:
  std::optional<IntervalMaker> maker_;
};

}  // namespace sotto::cli
