#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace sotto::cli {

/// What every verb about an existing ledger has.
struct LedgerVerb {
  explicit LedgerVerb(CLI::App& app) { app.add_option("ledger", path, "the ledger")->required()->type_name("FILE"); }
  std::string path;
};

}  // namespace sotto::cli
