#include "colour.h"

#include <unistd.h>

#include <cstdlib>

namespace sotto::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

std::string with_red(std::string_view line) {
  std::string text(line);
  for (const std::string_view word : {"NOT PRIVATE", "NOT VERIFIED", "NOT FOR RELEASE"}) {
    if (const std::size_t at = text.find(word); at != text.npos) text.replace(at, word.size(), red(word));
  }
  return text;
}

}  // namespace

bool coloured(std::FILE* where) {
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE")) return std::string_view(std::getenv("CLICOLOR_FORCE")) != "0";
  const char* terminal = std::getenv("TERM");
  return ::isatty(::fileno(where)) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string bold(std::string_view text) { return "\033[1m" + std::string(text) + "\033[0m"; }
std::string red(std::string_view text) { return "\033[1;31m" + std::string(text) + "\033[0m"; }

std::string painted(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::string_view rest = end == text.npos ? std::string_view() : text.substr(end + 1);
    const bool heading = !line.empty() && line[0] != ' ' && rest.starts_with("  ");
    const std::string with = with_red(line);
    result += heading && with == line ? bold(line) : with;
    if (end == text.npos) return result;
    result += '\n';
    text = rest;
  }
}

}  // namespace sotto::cli
