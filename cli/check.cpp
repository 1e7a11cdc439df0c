#include "check.h"

namespace sotto::cli {

CheckFlag::CheckFlag(CLI::App& app) {
  app.add_flag(
      "--no-check", off_,
      "do not look at the rows first; without it what is found goes to standard error, not for release, and rows "
      "that nothing can be learned from are refused before anything is charged");
}

HearCheck CheckFlag::hear(const Output& output) const {
  if (off_) return {};
  return [&output](const RowCheck& check) { output.check(check); };
}

}  // namespace sotto::cli
