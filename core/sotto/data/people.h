#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>

#include "sotto/base/catalog.h"
#include "sotto/random/bit_source.h"

namespace sotto {

/// An invented table of customers, as tables of people are: numbers, one of them with a long tail and one sometimes
/// missing, texts, truths, a date, and a label of two texts. For examples and first steps.
struct PeopleData {
  static constexpr std::string_view kName = "people";
  static constexpr std::string_view kSummary = "invented customers: numbers, texts, missing cells and a label";
  std::uint64_t rows = 20000;
  static constexpr auto fields() { return std::tuple{field("rows", &PeopleData::rows, "rows to draw")}; }
};

/// Hands over a header and then one line for each row, as CSV without line ends. Throws Error{invalid_argument} for
/// parameters out of range.
void synth_people(const PeopleData& data, BitSource& bits, const std::function<void(std::string_view line)>& take);

}  // namespace sotto
