#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "output.h"

/// One function a verb: adds the subcommand to the program; its callback does the work and throws sotto::Error.
namespace sotto::cli {

void add_data(CLI::App& program, Output& output);
/// These four below `data`.
void add_draft(CLI::App& data, Output& output);
void add_bounds(CLI::App& data, Output& output);
void add_get(CLI::App& data, Output& output);
void add_synth(CLI::App& data, Output& output);
void add_plan(CLI::App& program, Output& output);
void add_train(CLI::App& program, Output& output);
void add_tune(CLI::App& program, Output& output);
void add_predict(CLI::App& program, Output& output);
void add_evaluate(CLI::App& program, Output& output);
void add_ledger(CLI::App& program, Output& output);
/// `log` and `export` below `ledger`.
void add_ledger_log(CLI::App& ledger, Output& output);
/// `lower` below `ledger`.
void add_ledger_lower(CLI::App& ledger, Output& output);
/// `verify` and `key` below `ledger`.
void add_ledger_checks(CLI::App& ledger, Output& output);
void add_verify(CLI::App& program, Output& output);
void add_account(CLI::App& program, Output& output);
void add_calibrate(CLI::App& program, Output& output);
void add_audit(CLI::App& program, Output& output);
void add_report(CLI::App& program, Output& output);
void add_explain(CLI::App& program, Output& output);
void add_manual(CLI::App& program, Output& output);

/// Of the verbs that judge a model on rows.
inline constexpr const char* kLabelsFileHelp =
    "IDX: the file with the labels of --data, if it is not beside it; never the one of the training";

/// `--threads`, of the verbs that work on rows or files. Results have the same bits for any number.
void add_threads(CLI::App& verb);

/// A subcommand with the flag every verb has.
CLI::App* add_verb(CLI::App& parent, Output& output, const std::string& name, const std::string& help);

/// The same, of a verb that is a struct: built from its subcommand, it has `run`.
template <class Verb>
void add(CLI::App& parent, Output& output, const std::string& name, const std::string& help) {
  CLI::App* verb = add_verb(parent, output, name, help);
  auto state = std::make_shared<Verb>(*verb);
  verb->callback([state, &output] { state->run(output); });
}

}  // namespace sotto::cli
