#include "sotto/data/column_profile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "sotto/data/number.h"

namespace sotto {
namespace {

bool begins_as_date(std::string_view text) noexcept {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() < kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return false;
  }
  return true;
}

}  // namespace

std::span<const std::string_view> missing_spellings() noexcept {
  static constexpr std::array<std::string_view, 12> kSpellings{"",    "?",   "NA",   "na",   "N/A",  "n/a",
                                                               "NaN", "nan", "null", "NULL", "None", "none"};
  return kSpellings;
}

bool spells_missing(std::string_view text) noexcept {
  return std::ranges::find(missing_spellings(), text) != missing_spellings().end();
}

void ColumnProfiler::add(double value) {
  if (!std::isfinite(value)) {
    ++profile_.others;
    counting_ = false;
    return;
  }
  const bool first = profile_.numbers == 0;
  profile_.min = first ? value : std::min(profile_.min, value);
  profile_.max = first ? value : std::max(profile_.max, value);
  counting_ = counting_ && value == std::floor(value) && (first || value == last_ + 1);
  last_ = value;
  sum_ += value;
  ++profile_.numbers;
}

void ColumnProfiler::add_missing(std::string_view text) {
  ++profile_.missing;
  const auto place = std::ranges::lower_bound(profile_.spelled, text);
  if (place == profile_.spelled.end() || *place != text) profile_.spelled.emplace(place, text);
}

void ColumnProfiler::add(std::string_view text) {
  if (spells_missing(text)) add_missing(text);
  if (begins_as_date(text)) ++profile_.dates;
  if (text.empty()) {
    ++profile_.empty;
    counting_ = false;
  } else {
    add(parse_number(text));
  }
  if (profile_.too_many_distinct) return;
  if (const auto known = seen_.find(text); known != seen_.end()) {
    ++known->second;
  } else if (seen_.size() < ColumnProfile::kMaxDistinct) {
    seen_.emplace(text, 1);
  } else {
    profile_.too_many_distinct = true;
    seen_.clear();
  }
}

ColumnProfile ColumnProfiler::finish(std::string name) {
  profile_.name = std::move(name);
  profile_.counts_rows = counting_ && profile_.numbers > 1;
  profile_.mean = profile_.numbers > 0 ? sum_ / static_cast<double>(profile_.numbers) : 0.0;
  for (const auto& [text, cells] : seen_) profile_.distinct.push_back(text);
  std::ranges::sort(profile_.distinct);
  for (const std::string& text : profile_.distinct) profile_.cells.push_back(seen_.find(text)->second);
  return std::move(profile_);
}

}  // namespace sotto
