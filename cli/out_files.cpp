#include "out_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/error.h"

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
bool is_beside_ledger(std::string_view path) {
  return std::ranges::any_of(kSqliteEndings, [&](std::string_view ending) {
    return path.ends_with(ending) && belongs_to_ledger(std::string(path.substr(0, path.size() - ending.size())));
  });
}

void check(const std::string& path, const std::string& flag, const std::vector<std::string>& read) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  if (!fs::is_directory(folder.empty() ? "." : folder, ignored) ||
      ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    throw Error(ErrorKind::io, flag + ": " + path + " cannot be written, its folder is not there or not writable",
                flag);
  }
  if (std::ranges::any_of(read, [&](const std::string& each) { return is_same(path, each); })) {
    throw Error(ErrorKind::invalid_argument, flag + ": " + path + " is a file that is read", flag);
  }
  // The draft of a file that is to be replaced has the second name.
  if (belongs_to_ledger(path) || belongs_to_ledger(path + ".part") || is_beside_ledger(path)) {
    throw Error(ErrorKind::invalid_argument, flag + ": " + path + " belongs to a ledger and is not replaced", flag);
  }
}

}  // namespace

void check_out_files(const CLI::App& verb) {
  std::vector<std::string> read;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0 || option->get_type_name() != "FILE" || is_out(*option)) continue;
    read.push_back(option->as<std::string>());
  }
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0 || option->get_type_name() != "FILE" || !is_out(*option)) continue;
    check(option->as<std::string>(), option->get_name().substr(2), read);
  }
}

}  // namespace sotto::cli
