#include "sotto/files/line_reader.h"

#include <algorithm>
#include <cstring>

#include "sotto/base/error.h"
#include "sotto/files/block_file/format.h"

namespace sotto {

namespace {
constexpr std::size_t kFirstBuffer = std::size_t{1} << 16;
}

void StructureErrors::fail(std::uint64_t line, const std::string& message) const {
  if (options_.show_lines) {
    throw Error(ErrorKind::invalid_data, source_ + ", line " + std::to_string(line) + ": " + message, "data");
  }
  throw Error(ErrorKind::invalid_data, source_ + ": " + message, "data", {HintKind::inspect_data});
}

void StructureErrors::fail(const std::string& message) const {
  throw Error(ErrorKind::invalid_data, source_ + ": " + message, "data");
}

LineReader::LineReader(std::unique_ptr<ByteSource> source, ReadOptions options)
    : source_(std::move(source)), errors_(source_->name(), options), buffer_(kFirstBuffer) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  while (end_ < kBlockFileMagic.size() && refill()) {
  }
  blocks_ = std::string_view(buffer_.data(), end_).starts_with(kBlockFileMagic);
  if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

bool LineReader::refill() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::min(2 * buffer_.size(), kMaxLineBytes + 2));
  const std::size_t count = source_->read(std::span(buffer_).subspan(end_));
  end_ += count;
  ended_ = count == 0;
  return !ended_;
}

std::string_view LineReader::finish_line(std::size_t length, std::size_t consumed) {
  ++number_;
  std::string_view line(buffer_.data() + begin_, length);
  begin_ += consumed;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (std::memchr(line.data(), 0, line.size()) == nullptr) return line;
  if (!blocks_) errors_.fail(number_, "has a zero byte: this is not a text");
  errors_.fail(
      "is a block file: it holds encoded rows, and raw columns are needed here; give the file it was made from");
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const std::size_t available = end_ - begin_ - searched;
    const char* from = buffer_.data() + begin_ + searched;
    if (const void* found = available == 0 ? nullptr : std::memchr(from, '\n', available)) {
      const std::size_t length = searched + static_cast<std::size_t>(static_cast<const char*>(found) - from);
      line = finish_line(length, length + 1);
      return true;
    }
    searched = end_ - begin_;
    if (searched > kMaxLineBytes) {
      errors_.fail(number_ + 1, "is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB: this is not a table");
    }
    if (!refill()) break;
  }
  if (begin_ == end_) return false;
  line = finish_line(end_ - begin_, end_ - begin_);
  return true;
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace sotto
