#pragma once
#include <cstdint>
#include <vector>

#include "sotto/data/row_block.h"
#include "sotto/model/model.h"

namespace sotto {

/// How a model does on labelled rows. Everything in it is computed from rows without noise: on private rows it is
/// *not private*.
struct Evaluation {
  std::uint64_t rows = 0;
  std::uint64_t unusable = 0;  ///< further rows, left out because of a bad cell or label; set by who reads them
  std::uint32_t classes = 2;
  double accuracy = 0;
  /// Mean of the model's loss over all outputs, without the regulariser. Of a model with a link: the log-loss of its
  /// probabilities.
  double loss = 0;
  /// Area under the ROC curve, ties counted one half; 0.5 when a class is absent. More than two classes: the mean over
  /// the classes that are there of the area of each against the rest, by its own score.
  double auc = 0;
  /// Rows of class a predicted to be of class p at [a * classes + p]; two classes are negative, positive.
  std::vector<std::uint64_t> confusion;

  std::uint64_t count(std::uint32_t actual, std::uint32_t predicted) const {
    return confusion.at(std::size_t{actual} * classes + predicted);
  }
};

/// Throws Error{invalid_argument} for rows that are labelled for another number of classes than the model has.
Evaluation evaluate(const Model& model, const RowBlock& rows);

}  // namespace sotto
