#include "out_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/out_file.h"
#include "sotto/data/schema.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/reading.h"
#include "whole_file.h"

namespace sotto::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kOutFlags = {"--out", "--profile", "--trade-off", "--svg"};
// How a file of SQLite, its log and an anchor begin.
constexpr std::array<std::string_view, 4> kLedgerHeads = {"SQLite format 3", "\x37\x7f\x06\x82", "\x37\x7f\x06\x83",
                                                          "sotto anchor "};

constexpr std::array<std::string_view, 3> kSqliteEndings = {"-shm", "-wal", "-journal"};

bool is_out(const CLI::Option& option) {
  return std::ranges::any_of(kOutFlags, [&](std::string_view flag) { return option.check_name(std::string(flag)); });
}

bool is_same(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  if (fs::equivalent(one, other, ignored)) return true;
  const fs::path first = fs::weakly_canonical(one, ignored), second = fs::weakly_canonical(other, ignored);
  return !first.empty() && first == second;
}

bool belongs_to_ledger(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(15, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return std::ranges::any_of(kLedgerHeads, [&](std::string_view begin) { return head.starts_with(begin); });
}

/// Whether SQLite keeps its log or memory under this name while a ledger is in use, and removes it afterwards.
bool is_beside_ledger(const std::string& path) {
  return std::ranges::any_of(kSqliteEndings, [&](std::string_view ending) {
    return path.ends_with(ending) && belongs_to_ledger(path.substr(0, path.size() - ending.size()));
  });
}

std::string given(const CLI::App& verb, const std::string& flag) {
  const CLI::Option* option = verb.get_option_no_throw(flag);
  return option != nullptr && option->count() > 0 ? option->as<std::string>() : std::string();
}

/// The labels file a schema names. One that cannot be read is told by the verb; a pipe can be read once only.
std::string labels_in_schema(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  try {
    return schema_from_json(whole_file(path, "schema")).labels_file;
  } catch (const Error&) {
    return {};
  }
}

/// An IDX file has its labels beside it unless it is told otherwise.
void add_labels(const CLI::App& verb, std::vector<std::string>& read) {
  const bool is_idx = given(verb, "--format") == "idx";
  for (const std::string& path : std::vector<std::string>(read)) {
    if (!is_idx && format_of(path, {}) != FileFormat::idx) continue;
    if (const std::optional<std::string> labels = usual_labels_path(path)) read.push_back(*labels);
  }
  if (const std::string named = labels_in_schema(given(verb, "--schema")); !named.empty()) read.push_back(named);
}

void check(const std::string& path, const std::string& flag, const std::vector<std::string>& read) {
  check_out_file(path, flag);
  if (std::ranges::any_of(read, [&](const std::string& each) { return is_same(path, each); })) {
    throw Error(ErrorKind::invalid_argument, flag + ": " + path + " is a file that is read", flag);
  }
  if (belongs_to_ledger(path) || is_beside_ledger(out_target(path, flag))) {
    throw Error(ErrorKind::invalid_argument, flag + ": " + path + " belongs to a ledger and is not replaced", flag);
  }
}

}  // namespace

void check_out_files(const CLI::App& verb) {
  std::vector<std::string> read;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0 || option->get_type_name() != "FILE" || is_out(*option)) continue;
    // A schema is read whole before it is written again: drafts are confirmed in place.
    if (verb.get_name() == "schema" && option->check_name("--schema")) continue;
    read.push_back(option->as<std::string>());
  }
  add_labels(verb, read);
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0 || option->get_type_name() != "FILE" || !is_out(*option)) continue;
    check(option->as<std::string>(), option->get_name().substr(2), read);
  }
}

}  // namespace sotto::cli
