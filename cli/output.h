#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "progress.h"
#include "sotto/data/row_check.h"
#include "sotto/warnings.h"

namespace sotto::cli {

/// What every verb shares: whether the answer is one JSON object, where text goes, and how far the work is.
struct Output {
  bool json = false;
  int exit_code = 0;  ///< of a verb that ran to its end
  Progress* bar = nullptr;
  /// Prints to standard output, with a line end; on a terminal with colours.
  void print(const std::string& text) const;
  /// The same of text that is for another program.
  void print_as_is(const std::string& text) const;
  /// Something to know beside the answer, to standard error; nothing if it is empty.
  void remark(const std::string& text) const;
  /// Beside an answer for people, to standard error; an answer in JSON has them under `warnings`.
  void warn(const std::vector<Warning>& warnings) const;
  /// What was found in the rows, for those who may read them, to standard error: a table, or a line of JSON under `check`.
  void check(const RowCheck& check) const;
  /// `fraction` of the work done, 0 to 1: a function of public counts.
  void progress(std::string_view what, double fraction) const;
  /// No bar from here on: the answer goes to the terminal as it is made.
  void end_progress() const;
};

}  // namespace sotto::cli
