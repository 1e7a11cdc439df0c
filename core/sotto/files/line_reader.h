#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/files/byte_source.h"

namespace sotto {

/// How a reader words an error of structure. A strict check tells the holder of the file the line; training does not.
struct ReadOptions {
  bool show_lines = true;
};

/// Error{invalid_data} about the structure of a file: "name, line 7: message" or, without lines, "name: message" and
/// how to find the place. `message` must never contain text of a row.
class StructureErrors {
 public:
  StructureErrors(std::string source, ReadOptions options) : source_(std::move(source)), options_(options) {}
  [[noreturn]] void fail(std::uint64_t line, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;
  const std::string& source() const noexcept { return source_; }

 private:
  std::string source_;
  ReadOptions options_;
};

/// Physical lines of a text, without their line end (LF or CR LF) and without a leading byte-order mark, in memory
/// bounded by the longest line allowed.
class LineReader {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

  LineReader(std::unique_ptr<ByteSource> source, ReadOptions options);
  /// The next line, valid until the following call; false at the end. A line over kMaxLineBytes or with a zero byte
  /// (not a text) is an error of structure.
  bool next(std::string_view& line);
  /// The 1-based number of the line last returned.
  std::uint64_t number() const noexcept { return number_; }
  const StructureErrors& errors() const noexcept { return errors_; }

 private:
  bool refill();
  std::string_view finish_line(std::size_t length, std::size_t consumed);

  std::unique_ptr<ByteSource> source_;
  StructureErrors errors_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;
  bool blocks_ = false;  // it begins as a block file does
};

/// `text` without blanks and tabs at either side.
std::string_view trim(std::string_view text) noexcept;

}  // namespace sotto
