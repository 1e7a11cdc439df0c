#include "sotto/data/label_matcher.h"

#include <cmath>

#include "sotto/data/facts.h"
#include "sotto/data/number.h"

namespace sotto {

LabelMatcher::LabelMatcher(const Label& label) {
  const std::uint32_t count = class_count(label);
  for (std::uint32_t place = 0; place < label.classes.size(); ++place) {
    add(label.classes[place], label_of_class(place, count));
  }
  if (!label.classes.empty()) return;
  for (const std::string& text : label.positive) add(text, 1.0F);
  for (const std::string& text : label.negative) add(text, -1.0F);
}

void LabelMatcher::add(const std::string& text, float meaning) {
  if (text == "*") {
    rest_ = meaning;
    return;
  }
  texts_.emplace(text, meaning);
  const double number = parse_number(text);
  if (!std::isnan(number)) numbers_.emplace(number, meaning);
}

std::optional<float> LabelMatcher::match(std::string_view text) const noexcept {
  if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
  const double number = parse_number(text);
  if (!std::isnan(number)) {
    if (const auto found = numbers_.find(number); found != numbers_.end()) return found->second;
  }
  return text.empty() ? std::nullopt : rest_;
}

}  // namespace sotto
