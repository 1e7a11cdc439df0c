#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "field_flags.h"
#include "sotto/data/schema.h"

namespace sotto::cli {

/// The flags that declare what a file holds: a schema file, flags, or both (flags win).
class SchemaFlags {
 public:
  explicit SchemaFlags(CLI::App& app);
  /// The declarations; for bounds taken from the rows of `path` when that was asked for.
  Schema schema(const std::string& path) const;
  /// The declarations alone; what is to be found in the rows is open.
  Schema declared() const;
  /// True if the data norm is to be found privately.
  bool private_norm() const;
  /// True if bounds are to be taken from the rows.
  bool bounds_from_data() const noexcept { return bounds_from_data_; }
  /// True if any flag of this group was given.
  bool given() const;

 private:
  std::string file_;
  std::string label_;
  std::vector<std::string> positive_;
  std::vector<std::string> negative_;
  std::vector<std::string> classes_;
  std::vector<std::string> names_;
  std::vector<std::string> ranges_;
  std::vector<std::string> categories_;
  std::vector<std::string> texts_;
  std::vector<std::string> ignored_;
  std::string range_all_;
  std::string projection_;
  bool no_header_ = false;
  bool bounds_from_data_ = false;
  FieldFlags fields_;
  FieldFlags projection_fields_;
};

}  // namespace sotto::cli
