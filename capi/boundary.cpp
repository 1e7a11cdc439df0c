#include "capi/boundary.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "capi/hint_text.h"
#include "sotto/base/threads.h"
#include "sotto/base/version.h"
#include "sotto/optim/row_sum.h"
#include "sotto/privacy/ledger/files.h"
#include "sotto/random/permutation.h"

namespace sotto::capi {
namespace {

void put(char* target, std::size_t room, std::string_view text) noexcept {
  std::size_t size = std::min(room - 1, text.size());
  // Never end inside a character.
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  std::memcpy(target, text.data(), size);
  target[size] = '\0';
}

sotto_status status_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid_argument: return SOTTO_INVALID_ARGUMENT;
    case ErrorKind::invalid_data: return SOTTO_INVALID_DATA;
    case ErrorKind::budget_exceeded: return SOTTO_BUDGET_EXCEEDED;
    case ErrorKind::unsupported: return SOTTO_UNSUPPORTED;
    case ErrorKind::io: return SOTTO_IO;
    case ErrorKind::internal: return SOTTO_INTERNAL;
  }
  return SOTTO_INTERNAL;
}

/// A hint is left out where there is no memory for it.
void put_hint(const Error& problem, sotto_error* error) noexcept {
  error->hint[0] = '\0';
  try {
    put(error->hint, sizeof error->hint, hint_text(problem));
  } catch (const std::bad_alloc&) {
  }
}

bool is_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// Overwrites whatever has the form of a fingerprint; whether there was any. The second line behind FileError.
bool mask_fingerprints(char* text) noexcept {
  constexpr std::ptrdiff_t kDigits = 64;
  bool any = false;
  while (*text != '\0') {
    char* end = text;
    while (is_hex(*end)) ++end;
    const bool found = end - text >= kDigits;
    if (found) std::fill(text, end, '.');
    any = any || found;
    text = end == text ? text + 1 : end;
  }
  return any;
}

}  // namespace

sotto_status report(const Error& problem, sotto_error* error) noexcept {
  if (error != nullptr) {
    const auto* of_file = dynamic_cast<const FileError*>(&problem);  // its name has the fingerprint of rows
    put(error->message, sizeof error->message,
        of_file != nullptr ? std::string_view(of_file->message()) : problem.what());
    put(error->field, sizeof error->field, problem.field());
    put_hint(problem, error);
    const bool masked = mask_fingerprints(error->message);
    put(error->log, sizeof error->log, of_file != nullptr || masked ? problem.what() : "");
  }
  return status_of(problem.kind());
}

sotto_status report(sotto_status status, std::string_view message, sotto_error* error) noexcept {
  if (error != nullptr) {
    put(error->message, sizeof error->message, message);
    error->field[0] = '\0';
    error->hint[0] = '\0';
    error->log[0] = '\0';
  }
  return status;
}

sotto_text copy_text(std::string_view text) {
  auto* data = static_cast<char*>(std::malloc(text.size() + 1));
  if (data == nullptr) throw std::bad_alloc();
  std::memcpy(data, text.data(), text.size());
  data[text.size()] = '\0';
  return {data, text.size()};
}

}  // namespace sotto::capi

void sotto_text_free(sotto_text* text) {
  std::free(text->data);
  *text = {nullptr, 0};
}

void sotto_initialise(void) { sotto::limit_threads(1); }

void sotto_use_threads(unsigned most) { sotto::limit_sum_threads(most == 0 ? 1 : most); }

void sotto_leave(void) { sotto::abandon_sums(); }

void sotto_keyed_order(uint64_t key, uint64_t tweak, uint64_t n, uint64_t first, uint64_t count, uint64_t* positions) {
  const sotto::KeyedPermutation permutation({key, 0, 0, 0}, tweak, n);
  for (uint64_t i = 0; i < count; ++i) positions[i] = permutation(first + i);
}

const char* sotto_version(void) {
  static const std::string version(sotto::kVersion);
  return version.c_str();
}
