#include "sotto/methods/personal_text.h"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <sstream>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto {
namespace {

constexpr const char* kOfBlocks = "# epsilons of block file ";

[[noreturn]] void refuse_line(const std::string& name, std::uint64_t line) {
  throw Error(
      ErrorKind::invalid_argument,
      name + ": line " + std::to_string(line) + " must hold an epsilon above 0, and a count after it or nothing",
      "personal_epsilons");
}

/// Digits alone: a stream would take a sign and wrap around.
bool is_count(const std::string& text, std::uint64_t& count) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  return code == std::errc{} && end == text.data() + text.size();
}

/// False for a line of blanks. `room` is how many positions may still come.
bool read_line(const std::string& text, std::uint64_t room, EpsilonRun& run, const std::function<void()>& refuse) {
  std::istringstream words(text);
  std::string counted, rest;
  run = {0, 1};
  if (!(words >> std::ws) || words.eof()) return false;
  if (!(words >> run.epsilon) || !(run.epsilon > 0)) refuse();
  if ((words >> counted) && !is_count(counted, run.count)) refuse();
  if ((words >> rest) || run.count == 0 || run.count > room) refuse();
  return true;
}

}  // namespace

std::string epsilons_of_blocks(std::uint64_t file_id) { return fmt::format("{}{:016x}", kOfBlocks, file_id); }

bool is_of_blocks(const std::string& first_line) { return first_line.starts_with(kOfBlocks); }

PersonalEpsilons read_epsilons(std::istream& text, const std::string& name,
                               const std::function<void(const std::string& first)>& check, std::uint64_t most) {
  std::vector<EpsilonRun> runs;
  std::uint64_t positions = 0;
  std::string line;
  for (std::uint64_t number = 1; std::getline(text, line); ++number) {
    if (number == 1 && check) check(line);
    if (number == 1 && is_of_blocks(line)) continue;
    EpsilonRun run{};
    if (!read_line(line, most - positions, run, [&] { refuse_line(name, number); })) continue;
    positions += run.count;
    runs.push_back(run);
  }
  return personal_epsilons(runs);
}

std::string epsilons_text(std::uint64_t file_id, const PersonalEpsilons& personal) {
  std::string text = epsilons_of_blocks(file_id) + "\n";
  const std::vector<std::uint8_t>& levels = personal.level_of;
  for (std::size_t i = 0, next = 0; i < levels.size(); i = next) {
    while (next < levels.size() && levels[next] == levels[i]) ++next;
    text += fmt::format("{} {}\n", number_text(personal.levels[levels[i]]), next - i);
  }
  return text;
}

}  // namespace sotto
