#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sotto/train.h"

namespace sotto::utility {

/// A method with settings, as flags would give them. `curvature` stands for lambda times the number of rows, and
/// `name` is its line in figures: settings of one name are one method, tuned.
struct Contender {
  std::string name;
  std::string method;
  std::vector<std::pair<std::string, std::string>> settings = {};
  bool pure = false;  ///< its guarantee has no delta; its rows stand beside those of larger delta all the same

  std::string settings_text() const;
};
/// "method field=value ..."; the name is the method's.
Contender parse_contender(const std::string& text);

/// Throws Error for a setting the method does not have.
TrainRequest request_of(const Contender& contender, const Facts& facts, const Loss& loss, const Budget& budget);

/// What the product is judged by: `auto`, and with two classes the same with Huber's loss of width 1 in place of the
/// logistic one. Nothing is tuned.
std::vector<Contender> product_methods(bool two_classes);
/// Every private method with settings fixed in advance or as published, and grids (named *) to be tuned on the rows to
/// test on, which no private method can do.
std::vector<Contender> private_methods();
std::vector<Contender> tuned_grids();
/// What has no budget.
std::vector<Contender> references();
/// The methods [Lee18] compares with, by their published settings.
std::vector<Contender> lee18_methods();

}  // namespace sotto::utility
