#include "personal.h"

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/out_file.h"
#include "sotto/files/open_rows.h"
#include "sotto/methods/personal_text.h"

namespace sotto::cli {
namespace {

[[noreturn]] void refuse(const std::string& name, std::uint64_t line) {
  throw Error(ErrorKind::invalid_argument, name + ": line " + std::to_string(line) + " must hold an epsilon above 0",
              "personal_epsilons");
}

void require_order(const std::string& path, const std::string& first, std::optional<std::uint64_t> block_file) {
  const bool of_blocks = is_of_blocks(first);
  require(
      of_blocks || !block_file, "personal_epsilons",
      path + " is in the order of a text file; a block file has another, give the file that 'data pack' wrote with it");
  require(!of_blocks || block_file, "personal_epsilons", path + " is in the order of a block file's rows");
  require(!block_file || first == epsilons_of_blocks(*block_file), "personal_epsilons",
          path + " is of another block file");
}

PersonalEpsilons from_file(const std::string& path, const std::function<void(const std::string& first)>& check) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::io, path + ": cannot be read", "personal_epsilons");
  return read_epsilons(file, path, check);
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
  return from_file(file_, {});
}

std::optional<PersonalEpsilons> PersonalFile::read_for(std::optional<std::uint64_t> block_file) const {
  if (file_.empty()) return {};
  const auto check = [&](const std::string& first) { require_order(file_, first, block_file); };
  PersonalEpsilons personal = from_file(file_, check);
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
  require(is_of_blocks(first), "out", path + " is where the epsilons would be written, and has other content");
}

void write_epsilons(const std::string& path, std::uint64_t file_id, const PersonalEpsilons& personal) {
  write_file(path, epsilons_text(file_id, personal));
}

}  // namespace sotto::cli
