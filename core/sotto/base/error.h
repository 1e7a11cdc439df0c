#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/hint.h"

namespace sotto {

/// What went wrong, coarsely enough that each front end maps it in one place.
enum class ErrorKind { invalid_argument, invalid_data, budget_exceeded, unsupported, io, internal };

/// The spelling of a kind, as front ends print it.
std::string_view name_of(ErrorKind kind) noexcept;

/// The one exception of the library. The message says what was given, what is required and which field;
/// it never quotes a value read from a row, and has no word of a front end's language: that is the hint's.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string field = {}, Hint hint = {})
      : std::runtime_error(message), kind_(kind), field_(std::move(field)), hint_(std::move(hint)) {}

  ErrorKind kind() const noexcept { return kind_; }
  /// The parameter at fault in its one spelling ("batch_rows"), or empty.
  const std::string& field() const noexcept { return field_; }
  /// What would help; its kind may be none.
  const Hint& hint() const noexcept { return hint_; }

 private:
  ErrorKind kind_;
  std::string field_;
  Hint hint_;
};

/// Throws Error{invalid_argument} naming `field` unless `ok`.
void require(bool ok, std::string_view field, const std::string& message);

}  // namespace sotto
