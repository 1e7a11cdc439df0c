#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sotto/model/json.h"
#include "sotto/privacy/ledger/chain.h"

namespace sotto::cli {

/// What every verb about an existing ledger has.
struct LedgerVerb {
  explicit LedgerVerb(CLI::App& app) { app.add_option("ledger", path, "the ledger")->required()->type_name("FILE"); }
  std::string path;
};

Json entries_json(const std::vector<LedgerEntry>& entries);

}  // namespace sotto::cli
