#include "sotto/files/libsvm_reader.h"

#include <algorithm>
#include <charconv>

#include "sotto/data/number.h"

namespace sotto {

LibsvmReader::LibsvmReader(std::unique_ptr<ByteSource> source, std::uint32_t features, ReadOptions options)
    : lines_(std::move(source), options), features_(features) {}

bool LibsvmReader::next(RawRow& row) {
  do {
    if (!lines_.next(rest_)) return false;
    rest_ = trim(rest_.substr(0, rest_.find('#')));
  } while (rest_.empty());
  indices_.clear();
  values_.clear();
  const std::string_view label = take_token();
  if (label.find(':') != label.npos) lines_.errors().fail(lines_.number(), "a row must begin with a label");
  while (!rest_.empty()) take_entry(take_token());
  row = RawRow{.line = lines_.number(), .cells = {}, .indices = indices_, .values = values_, .label = label};
  return true;
}

std::string_view LibsvmReader::take_token() noexcept {
  const std::size_t end = std::min(rest_.find_first_of(" \t"), rest_.size());
  const std::string_view token = rest_.substr(0, end);
  rest_ = trim(rest_.substr(end));
  return token;
}

void LibsvmReader::take_entry(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == token.npos) lines_.errors().fail(lines_.number(), "an entry is not written index:value");
  std::uint64_t index = 0;
  const char* end = token.data() + colon;
  const auto [stop, status] = std::from_chars(token.data(), end, index);
  const bool too_long = status == std::errc::result_out_of_range;
  if (stop != end || status == std::errc::invalid_argument || (index == 0 && !too_long)) {
    lines_.errors().fail(lines_.number(), "an index is not a whole number from 1 on");
  }
  if (too_long || index > features_) {
    lines_.errors().fail(lines_.number(), "an index is above the number of features, " + std::to_string(features_));
  }
  if (!indices_.empty() && index <= indices_.back() + 1) {
    lines_.errors().fail(lines_.number(), "the indices of a row must ascend");
  }
  indices_.push_back(static_cast<std::uint32_t>(index - 1));
  values_.push_back(parse_number(token.substr(colon + 1)));
}

}  // namespace sotto
