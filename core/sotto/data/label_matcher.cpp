#include "sotto/data/label_matcher.h"

#include "sotto/data/number.h"

namespace sotto {

LabelMatcher::LabelMatcher(const Label& label) {
  const auto take = [this](const std::vector<std::string>& values, float meaning) {
    for (const std::string& value : values) {
      if (value == "*") {
        rest_ = meaning;
      } else {
        entries_.push_back({value, parse_number(value), meaning});
      }
    }
  };
  take(label.positive, 1.0F);
  take(label.negative, -1.0F);
}

float LabelMatcher::match(std::string_view text) const noexcept {
  for (const Entry& entry : entries_) {
    if (entry.text == text) return entry.meaning;
  }
  const double number = parse_number(text);
  for (const Entry& entry : entries_) {
    if (entry.number == number) return entry.meaning;
  }
  return text.empty() ? 0.0F : rest_;
}

}  // namespace sotto
