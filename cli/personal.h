#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "sotto/data/schema.h"
#include "sotto/methods/personal.h"

namespace sotto::cli {

/// The flag that gives positions an epsilon of their own, by a file.
class PersonalFile {
 public:
  explicit PersonalFile(CLI::App& app);
  /// Nothing if the flag was not given. In the order of any file: good for classes and counts alone.
  std::optional<PersonalEpsilons> read() const;
  /// In the order of the block file of this id, or of a text file; refused if they are not.
  std::optional<PersonalEpsilons> read_for(std::optional<std::uint64_t> block_file) const;
  bool given() const noexcept { return !file_.empty(); }

 private:
  std::string file_;
};

/// The same, by a file or a column of the data.
class PersonalFlags {
 public:
  explicit PersonalFlags(CLI::App& app);
  /// Nothing if no flag was given. `schema` is that of the data file `path`, `block_file` its id if it is one.
  std::optional<PersonalEpsilons> read(const std::string& path, const Schema& schema,
                                       std::optional<std::uint64_t> block_file) const;
  bool given() const noexcept { return file_.given() || !column_.empty(); }
  /// True if the epsilons are a column of the data.
  bool reads_data() const noexcept { return !column_.empty(); }

 private:
  PersonalFile file_;
  std::string column_;
};

/// Throws if something stands at `path` that write_epsilons() did not write.
void check_epsilons_place(const std::string& path);
/// Writes the epsilons of a block file's rows, for 'train' to take.
void write_epsilons(const std::string& path, std::uint64_t file_id, const PersonalEpsilons& personal);

}  // namespace sotto::cli
