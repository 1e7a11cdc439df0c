#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sotto/data/schema.h"
#include "sotto/data/text_hash.h"

namespace sotto {

/// Decides which of the declared classes a label's text means.
class LabelMatcher {
 public:
  explicit LabelMatcher(const Label& label);
  /// The label of the class, as `Facts` describes it; none for a text that was not declared.
  std::optional<float> match(std::string_view text) const noexcept;

 private:
  void add(const std::string& text, float meaning);

  std::unordered_map<std::string, float, TextHash, std::equal_to<>> texts_;
  std::unordered_map<double, float> numbers_;
  std::optional<float> rest_;  // what "*" stands for
};

}  // namespace sotto
