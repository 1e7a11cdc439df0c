#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "sotto/algorithms/personal.h"
#include "sotto/data/schema.h"

namespace sotto::cli {

/// The flag that gives positions an epsilon of their own, by a file.
class PersonalFile {
 public:
  explicit PersonalFile(CLI::App& app);
  /// Nothing if the flag was not given.
  std::optional<PersonalEpsilons> read() const;
  bool given() const noexcept { return !file_.empty(); }

 private:
  std::string file_;
};

/// The same, by a file or a column of the data.
class PersonalFlags {
 public:
  explicit PersonalFlags(CLI::App& app);
  /// Nothing if no flag was given. `schema` is that of the data file `path`.
  std::optional<PersonalEpsilons> read(const std::string& path, const Schema& schema) const;
  bool given() const noexcept { return file_.given() || !column_.empty(); }
  /// True if the epsilons are a column of the data.
  bool reads_data() const noexcept { return !column_.empty(); }

 private:
  PersonalFile file_;
  std::string column_;
};

}  // namespace sotto::cli
