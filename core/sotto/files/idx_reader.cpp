#include "sotto/files/idx_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace sotto {
namespace {

constexpr unsigned char kUnsignedByte = 0x08;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 16;

/// Bytes a value of the IDX type takes, 0 when there is no such type.
std::size_t width_of(unsigned char type) noexcept {
  switch (type) {
    case kUnsignedByte:
    case 0x09: return 1;
    case 0x0B: return 2;
    case 0x0C:
    case 0x0D: return 4;
    case 0x0E: return 8;
    default: return 0;
  }
}

std::uint64_t big_endian(const char* bytes, std::size_t width) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

double decode(unsigned char type, std::uint64_t bits) noexcept {
  switch (type) {
    case 0x09: return static_cast<std::int8_t>(bits);
    case 0x0B: return static_cast<std::int16_t>(bits);
    case 0x0C: return static_cast<std::int32_t>(bits);
    case 0x0D: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case 0x0E: return std::bit_cast<double>(bits);
    default: return static_cast<double>(bits);
  }
}

}  // namespace

IdxFile::IdxFile(std::unique_ptr<ByteSource> source, ReadOptions options)
    : source_(std::move(source)), errors_(source_->name(), options) {
  read_header();
}

bool IdxFile::bytes() const noexcept { return type_ == kUnsignedByte; }

void IdxFile::read_header() {
  std::array<char, 4> word{};
  if (read_fully(*source_, word) != word.size()) errors_.fail("ends inside the IDX header");
  type_ = static_cast<unsigned char>(word[2]);
  const auto dimensions = static_cast<unsigned char>(word[3]);
  if (word[0] != 0 || word[1] != 0 || width_of(type_) == 0 || dimensions == 0) {
    errors_.fail("is not an IDX file: its first four bytes must be 0, 0, a known type and the number of dimensions");
  }
  std::uint64_t size = 1;
  for (int i = 0; i < dimensions; ++i) {
    if (read_fully(*source_, word) != word.size()) errors_.fail("ends inside the IDX header");
    const std::uint64_t extent = big_endian(word.data(), word.size());
    if (i == 0) {
      items_ = extent;
      continue;
    }
    size *= extent;
    if (size == 0 || size > kMaxFeatures) {
      errors_.fail("an item must have 1 to " + std::to_string(kMaxFeatures) + " values");
    }
  }
  if (items_ == 0) errors_.fail("has no items");
  item_size_ = static_cast<std::uint32_t>(size);
}

bool IdxFile::next(std::vector<double>& values) {
  if (items_read_ == items_) {
    char extra = 0;
    if (source_->read({&extra, 1}) != 0) errors_.fail("goes on after the last item its header announces");
    return false;
  }
  // The row grows as bytes arrive: a header alone cannot make us reserve memory.
  const std::size_t width = width_of(type_);
  const std::size_t needed = width * item_size_;
  values.clear();
  for (std::size_t done = 0; done < needed;) {
    raw_.resize(std::min(kReadAtOnce, needed - done));
    if (read_fully(*source_, raw_) != raw_.size()) errors_.fail("ends before the last item its header announces");
    for (std::size_t i = 0; i < raw_.size(); i += width) values.push_back(decode(type_, big_endian(&raw_[i], width)));
    done += raw_.size();
  }
  ++items_read_;
  return true;
}

IdxReader::IdxReader(std::unique_ptr<ByteSource> items, std::unique_ptr<ByteSource> labels, ReadOptions options)
    : items_(std::move(items), options) {
  if (!labels) return;
  labels_.emplace(std::move(labels), options);
  if (labels_->item_size() != 1) labels_->errors().fail("a file of labels must have one dimension");
  if (labels_->items() != items_.items()) {
    labels_->errors().fail("has " + std::to_string(labels_->items()) + " labels where the items are " +
                           std::to_string(items_.items()));
  }
}

bool IdxReader::next(RawRow& row) {
  const bool more = items_.next(values_);
  if (labels_) {
    labels_->next(label_value_);
    if (more) {
      std::array<char, 32> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(), label_value_[0]).ptr;
      label_.assign(text.data(), end);
    }
  }
  if (!more) return false;
  row = RawRow{.line = ++row_, .cells = {}, .indices = {}, .values = values_, .label = label_};
  return true;
}

}  // namespace sotto
