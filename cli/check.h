#pragma once
#include <CLI/CLI.hpp>

#include "output.h"
#include "sotto/data/row_check.h"

namespace sotto::cli {

/// `--no-check`, of the verbs that look at the rows before anything is charged.
class CheckFlag {
 public:
  explicit CheckFlag(CLI::App& app);
  bool wanted() const noexcept { return !off_; }
  /// Prints what was found to standard error; unset where no check is wanted. `output` is to outlive it.
  HearCheck hear(const Output& output) const;

 private:
  bool off_ = false;
};

}  // namespace sotto::cli
