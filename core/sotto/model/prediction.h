#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/row_block.h"
#include "sotto/losses/loss.h"
#include "sotto/model/model.h"

namespace sotto {

/// The loss a model was trained with, with the parameters its card states.
Loss loss_of(const Model& model);

/// How many weight vectors the model has; one for two classes and a loss of the margin, else one a class.
std::uint32_t outputs_of(const Model& model);

/// The texts of the classes in the order of the outputs, two being negative, positive: those of the encoding, or -1 and
/// 1, or 0, 1, ... where it declares no label. Throws Error{invalid_data} when it declares another number of classes
/// than the model has.
std::vector<std::string> class_texts(const Model& model);

/// The scores w_k.x of a block of rows: `outputs_of(model)` of them a row, row after row. With one output it is the
/// margin of class +1. Throws Error{invalid_argument} when rows and model differ in their features.
void scores(const Model& model, const RowBlock& rows, std::vector<double>& out);

/// The place of the predicted class in class_texts: of the highest score, the first of equal ones; with one output 1
/// if it is above 0.
std::uint32_t predicted_class(std::span<const double> row_scores) noexcept;

/// True for losses whose scores stand for probabilities.
bool gives_probabilities(const Loss& loss) noexcept;
/// "hinge gives no probabilities; use ..."
std::string no_probabilities_text(std::string_view loss);

/// A probability for each class from the scores of one row. Logistic with two classes: the sigmoid of the log odds that
/// the link makes of the margin, and of their negative; other models have no link. Softmax: the shares of exp(score).
/// Logistic with more classes (one against the rest): the sigmoids of the scores divided by their sum, since separate
/// models need not add up to 1.
std::vector<double> class_probabilities(const Loss& loss, std::span<const double> row_scores, const Link& link = {});

}  // namespace sotto
