#include "personal.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/data/block_file_io.h"
#include "sotto/data/load.h"

namespace sotto::cli {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 32;

[[noreturn]] void refuse(const std::string& name, std::uint64_t line) {
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

/// The first line of epsilons that are in the order of a block file's rows begins so.
constexpr const char* kOfBlocks = "# epsilons of block file ";
std::string first_line(std::uint64_t file_id) { return fmt::format("{}{:016x}", kOfBlocks, file_id); }

void require_order(const std::string& path, const std::string& first, std::optional<std::uint64_t> block_file) {
  const bool of_blocks = first.starts_with(kOfBlocks);
  require(
      of_blocks || !block_file, "personal_epsilons",
      path + " is in the order of a text file; a block file has another, give the file that 'data pack' wrote with it");
  require(!of_blocks || block_file, "personal_epsilons", path + " is in the order of a block file's rows");
  require(!block_file || first == first_line(*block_file), "personal_epsilons", path + " is of another block file");
}

/// Lines "EPSILON" for one position or "EPSILON COUNT" for so many.
std::vector<double> from_file(const std::string& path, const std::function<void(const std::string& first)>& check) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::io, path + ": cannot be read", "personal_epsilons");
  std::vector<double> values;
  std::string text;
  for (std::uint64_t line = 1; std::getline(file, text); ++line) {
    if (line == 1) check(text);
    if (line == 1 && text.starts_with(kOfBlocks)) continue;
    std::istringstream words(text);
    double epsilon = 0;
    std::uint64_t count = 1;
    std::string counted, rest;
    if (!(words >> std::ws) || words.eof()) continue;
    if (!(words >> epsilon) || !(epsilon > 0)) refuse(path, line);
    if ((words >> counted) && !is_count(counted, count)) refuse(path, line);
    if ((words >> rest) || count == 0 || count > kMostRows - values.size()) refuse(path, line);
    values.insert(values.end(), count, epsilon);
  }
  return values;
}

/// The column is public by declaration, so a cell that is no epsilon may be told, by its line.
std::vector<double> from_column(const std::string& path, const Schema& schema, const std::string& name) {
  const Column* column = find_column(schema, name);
  require(column != nullptr && std::holds_alternative<IgnoredColumn>(column->kind), "personal_epsilon_column",
          "must be a column that is no feature: declare it with --ignore " + name);
  const std::unique_ptr<RowReader> reader = open_rows(path, schema, ReadMode::lenient);
  std::size_t place = 0;
  while (place < reader->columns().size() && reader->columns()[place] != name) ++place;
  require(place < reader->columns().size(), "personal_epsilon_column", "the file has no column " + name);
  std::vector<double> values;
  RawRow row;
  while (reader->next(row)) {
    std::istringstream words{std::string(row.cells[place])};
    double epsilon = 0;
    if (!(words >> epsilon) || !(words >> std::ws).eof() || !(epsilon > 0)) refuse(path, row.line);
    values.push_back(epsilon);
  }
  return values;
}

}  // namespace

PersonalFile::PersonalFile(CLI::App& app) {
  app.add_option("--personal-epsilons", file_,
                 "PUBLIC file of smaller epsilons by position of the row: lines EPSILON, or EPSILON COUNT for so many "
                 "rows in turn (of a block file: the file that 'data pack' wrote); methods dpgd (which auto takes), "
                 "dpsgd, bst14, correlated, bolt_on, scs13")
      ->group("Budget")
      ->type_name("FILE");
}

std::optional<PersonalEpsilons> PersonalFile::read() const {
  if (file_.empty()) return {};
  return personal_epsilons(from_file(file_, [](const std::string&) {}));
}

std::optional<PersonalEpsilons> PersonalFile::read_for(std::optional<std::uint64_t> block_file) const {
  if (file_.empty()) return {};
  const auto check = [&](const std::string& first) { require_order(file_, first, block_file); };
  PersonalEpsilons personal = personal_epsilons(from_file(file_, check));
  personal.block_file = block_file;
  return personal;
}

PersonalFlags::PersonalFlags(CLI::App& app) : file_(app) {
  app.add_option("--personal-epsilon-column", column_,
                 "the same from a column of the data, which is then PUBLIC and belongs to the position of its row, "
                 "whatever row stands there; declare it with --ignore too; not with a ledger")
      ->group("Budget")
      ->type_name("NAME");
}

std::optional<PersonalEpsilons> PersonalFlags::read(const std::string& path, const Schema& schema,
                                                    std::optional<std::uint64_t> block_file) const {
  require(!file_.given() || column_.empty(), "personal_epsilons", "give a file or a column, not both");
  if (column_.empty()) return file_.read_for(block_file);
  require(!block_file, "personal_epsilon_column",
          "is in no block file; give it to 'data pack', which writes the epsilons beside the file");
  return personal_epsilons(from_column(path, schema, column_));
}

void check_epsilons_place(const std::string& path) {
  std::ifstream file(path);
  if (!file) return;
  std::string first;
  std::getline(file, first);
  require(first.starts_with(kOfBlocks), "out", path + " is where the epsilons would be written, and has other content");
}

void write_epsilons(const std::string& path, std::uint64_t file_id, const PersonalEpsilons& personal) {
  PartialFile partial(path);
  AppendBuffer out(partial.file(), 0);
  const auto write = [&](const std::string& line) { out.append(std::as_bytes(std::span(line))); };
  write(first_line(file_id) + "\n");
  const std::vector<std::uint8_t>& levels = personal.level_of;
  for (std::size_t i = 0, next = 0; i < levels.size(); i = next) {
    while (next < levels.size() && levels[next] == levels[i]) ++next;
    write(fmt::format("{} {}\n", number_text(personal.levels[levels[i]]), next - i));
  }
  out.flush();
  partial.commit();
}

}  // namespace sotto::cli
