#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "colour.h"
#include "help_page.h"
#include "hint_text.h"
#include "mistakes.h"
#include "out_files.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/threads.h"
#include "sotto/base/version.h"
#include "sotto/files/byte_source.h"
#include "verbs.h"

namespace sotto::cli {

CLI::App* add_verb(CLI::App& parent, Output& output, const std::string& name, const std::string& help) {
  CLI::App* verb = parent.add_subcommand(name, help);
  verb->add_flag("--json", output.json, "print one JSON object");
  verb->parse_complete_callback([verb] { check_out_files(*verb); });
  return verb;
}

void add_threads(CLI::App& verb) {
  verb.add_option_function<std::string>(
          "--threads", [](const std::string& text) { limit_threads(parse_value<std::uint32_t>(text, "threads")); },
          "how many threads work at a time; 0: one for each processor")
      ->type_name("")
      ->default_str("0");
}

namespace {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return 2;
    case ErrorKind::invalid_data: return 3;
    case ErrorKind::budget_exceeded: return 4;
    case ErrorKind::unsupported: return 5;
    case ErrorKind::io: return 6;
    case ErrorKind::internal: return 70;
  }
  return 70;
}

int report(const Output& output, const Error& error) {
  const std::string hint = hint_text(error);
  output.end_progress();
  if (output.json) {
    nlohmann::ordered_json json{{"kind", name_of(error.kind())}, {"field", error.field()}, {"message", error.what()}};
    if (!hint.empty()) json["hint"] = hint;
    fmt::print(stderr, "{}\n", nlohmann::ordered_json{{"error", json}}.dump());
  } else {
    fmt::print(stderr, "{} {}{}{}\n", coloured(stderr) ? red("sotto:") : "sotto:", error.what(),
               hint.empty() ? "" : "; ", hint);
  }
  return exit_code(error.kind());
}

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 a claim fell in an audit or a file is not what a ledger released, 2 invalid argument, 3 "
    "invalid data, 4 budget exceeded, 5 unsupported, 6 input or output, 70 internal.";

void add_verbs(CLI::App& program, Output& output) {
  add_data(program, output);
  add_plan(program, output);
  add_train(program, output);
  add_tune(program, output);
  add_predict(program, output);
  add_evaluate(program, output);
  add_ledger(program, output);
  add_verify(program, output);
  add_account(program, output);
  add_calibrate(program, output);
  add_audit(program, output);
  add_report(program, output);
  add_explain(program, output);
  add_manual(program, output);
}

/// What the parser refuses: words nobody knows first, since a flag that is misspelt is also one that is missing.
int report_mistake(const CLI::App& program, Output& output, const std::vector<std::string>& words,
                   const CLI::ParseError& mistake) {
  // The flags were not all read: --json may stand after the mistake.
  output.json = std::ranges::find(words, "--json") != words.end();
  if (const auto unknown = unknown_word(program, words)) return report(output, *unknown);
  const std::string verb = words_to(verb_of(program, words));
  const std::string help = output.json ? "" : "; 'sotto " + verb + (verb.empty() ? "" : " ") + "--help' shows how";
  return report(output, {ErrorKind::invalid_argument, mistake.what() + help});
}

}  // namespace
}  // namespace sotto::cli

int main(int argc, char** argv) {
  using namespace sotto::cli;
  CLI::App program("sotto trains linear models on private rows and proves what it promises about them.", "sotto");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_help_flag("-h,--help", "show the flags that most people use first");
  program.set_help_all_flag("--help-all", "show all flags, those of methods under each method");
  program.set_version_flag("--version", std::string(sotto::kVersion));
  program.require_subcommand(1);
  program.footer(kFooter);
  Progress bar;
  Output output;
  output.bar = &bar;
  const sotto::ReadingWatch reading([&bar](double fraction) { bar.update("reading", fraction); });
  const Heartbeat heartbeat(bar);
  add_verbs(program, output);
  const std::vector<std::string> words(argv + 1, argv + argc);
  // "sotto" and "sotto ledger" alone ask what there is.
  const CLI::App& asked = verb_of(program, words);
  if (!verbs_of(asked).empty() && words_to(asked) == fmt::format("{}", fmt::join(words, " "))) {
    fmt::print("{}", asked.help());
    return 0;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return program.exit(e);
    return report_mistake(program, output, words, e);
  } catch (const sotto::Error& e) {
    return report(output, e);
  } catch (const std::bad_alloc&) {
    return report(output, {sotto::ErrorKind::io, "not enough memory"});
  } catch (const std::exception&) {
    return report(output, {sotto::ErrorKind::internal, "an internal error; please report it"});
  }
  return output.exit_code;
}
