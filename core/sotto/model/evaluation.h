#pragma once
#include <cstdint>
#include <vector>

#include "sotto/data/row_block.h"
#include "sotto/model/model.h"

namespace sotto {

/// Margins w.x of a block of rows (positive: class +1).
void margins(const Model& model, const RowBlock& rows, std::vector<double>& out);

/// How a model does on labelled rows. Everything in it is computed from rows without noise: on private rows it is
/// *not private*.
struct Evaluation {
  std::uint64_t rows = 0;
  double accuracy = 0;
  double loss = 0;  ///< mean of the model's loss, without the regulariser
  double auc = 0;   ///< area under the ROC curve, ties counted one half; 0.5 when a class is absent
  std::uint64_t true_positive = 0;
  std::uint64_t false_positive = 0;
  std::uint64_t true_negative = 0;
  std::uint64_t false_negative = 0;
};

Evaluation evaluate(const Model& model, const RowBlock& rows);

}  // namespace sotto
