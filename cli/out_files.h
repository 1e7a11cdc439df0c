#pragma once
#include <CLI/CLI.hpp>

namespace sotto::cli {

/// Throws before a verb begins, and so before a ledger is charged, if a file it is to write cannot be that: its folder
/// is not there, it is one of the files the verb reads, or it is a ledger, the log of one or an anchor, which a result
/// would destroy.
void check_out_files(const CLI::App& verb);

}  // namespace sotto::cli
