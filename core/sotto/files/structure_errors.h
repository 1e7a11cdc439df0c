#pragma once
#include <cstdint>
#include <string>

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

}  // namespace sotto
