#pragma once
#include <string_view>
#include <vector>

#include "sotto/data/schema.h"

namespace sotto {

/// Decides what a label's text means by the declared lists.
class LabelMatcher {
 public:
  explicit LabelMatcher(const Label& label);
  /// +1, -1, or 0 for a text in neither list.
  float match(std::string_view text) const noexcept;

 private:
  struct Entry {
    std::string text;
    double number;  // NaN when the text is not a number
    float meaning;
  };
  std::vector<Entry> entries_;
  float rest_ = 0.0F;  // what "*" stands for
};

}  // namespace sotto
