#include "sotto/files/libsvm_reader.h"

#include <algorithm>
#include <charconv>

#include "sotto/data/number.h"

namespace sotto {
namespace {

std::unique_ptr<PieceParser> parser_for(const ByteSource& source, std::uint32_t features, ReadOptions options) {
  return std::make_unique<LibsvmParser>(features, StructureErrors(source.name(), options));
}

}  // namespace

LibsvmReader::LibsvmReader(std::unique_ptr<ByteSource> source, std::uint32_t features, ReadOptions options)
    : LibsvmReader{parser_for(*source, features, options), std::move(source), features} {}

LibsvmReader::LibsvmReader(std::unique_ptr<PieceParser> parser, std::unique_ptr<ByteSource> source,
                           std::uint32_t features)
    : TextReader(std::move(source), std::move(parser)), features_(features) {}

PieceParser::Step LibsvmParser::next(RawRow& row) {
  do {
    remember_row();
    if (!take_line(rest_)) return Step::end;
    rest_ = trim(rest_.substr(0, rest_.find('#')));
  } while (rest_.empty());
  indices_.clear();
  values_.clear();
  const std::string_view label = take_token();
  if (label.find(':') != label.npos) errors().fail(lines(), "a row must begin with a label");
  while (!rest_.empty()) take_entry(take_token());
  row = RawRow{.line = lines(), .cells = {}, .indices = indices_, .values = values_, .label = label};
  return Step::row;
}

std::string_view LibsvmParser::take_token() noexcept {
  const std::size_t end = static_cast<std::size_t>(std::find_if(rest_.begin(), rest_.end(), is_blank) - rest_.begin());
  const std::string_view token = rest_.substr(0, end);
  rest_.remove_prefix(end);
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  return token;
}

void LibsvmParser::take_entry(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == token.npos) errors().fail(lines(), "an entry is not written index:value");
  std::uint64_t index = 0;
  const char* end = token.data() + colon;
  const auto [stop, status] = std::from_chars(token.data(), end, index);
  const bool too_long = status == std::errc::result_out_of_range;
  if (stop != end || status == std::errc::invalid_argument || (index == 0 && !too_long)) {
    errors().fail(lines(), "an index is not a whole number from 1 on");
  }
  if (too_long || index > features_) {
    errors().fail(lines(), "an index is above the number of features, " + std::to_string(features_));
  }
  if (!indices_.empty() && index <= indices_.back() + 1) {
    errors().fail(lines(), "the indices of a row must ascend");
  }
  indices_.push_back(static_cast<std::uint32_t>(index - 1));
  values_.push_back(parse_number(token.substr(colon + 1)));
}

}  // namespace sotto
