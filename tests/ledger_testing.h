#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "sotto/base/error.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace sotto::test {

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
/// Keeps the inode, as an editor or a restore in place would.
inline void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

/// The fingerprint of the data the tests' ledgers are made for.
inline const Digest kSomeData = sha256("some data");

inline LedgerTerms terms_of(FilterKind kind, double epsilon, double delta) {
  LedgerTerms terms;
  terms.filter.kind = kind;
  terms.filter.budget = {epsilon, delta, Relation::replace_one};
  terms.rows = 60;
  return terms;
}

/// A folder of its own for every test.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto-ledger-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/L";
  }
  ~LedgerTest() override { std::filesystem::remove_all(folder_); }

  /// Ten pure releases of 0.1 fit.
  void create() const { SqliteLedger::create(path_, terms_of(FilterKind::sum, 1, 1e-9), kSomeData); }
  static Spending tenth(const std::string& request = "r") { return {PureEvent{0.1}, 0, request}; }

  /// The kind of error, its words in `message_` and its hint in `hint_`.
  template <class Act>
  ErrorKind refused(const Act& act) {
    try {
      act();
    } catch (const Error& error) {
      message_ = error.what();
      hint_ = error.hint().kind;
      return error.kind();
    }
    ADD_FAILURE() << "nothing was refused";
    return ErrorKind::internal;
  }

  std::string folder_, path_, message_;
  HintKind hint_ = HintKind::none;
};

}  // namespace sotto::test
