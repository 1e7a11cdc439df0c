#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "sotto/base/version.h"
#include "verbs.h"

/// Shell completion and the man page, generated from the very flags the program parses; those come from the declared
/// fields.
namespace sotto::cli {
namespace {

using Apps = std::vector<const CLI::App*>;

Apps children(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* child) { return !child->get_name().empty(); });
}

std::string words(const CLI::App& app) {
  std::string list;
  for (const CLI::App* child : children(app)) list += child->get_name() + " ";
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) list += "--" + name + " ";
  }
  if (!list.empty()) list.pop_back();
  return list;
}

void add_cases(const CLI::App& app, const std::string& path, std::string& script) {
  script += fmt::format("    '{}') words='{}' ;;\n", path, words(app));
  for (const CLI::App* child : children(app)) {
    add_cases(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), script);
  }
}

std::string bash_completion(const CLI::App& program) {
  std::string script = R"(# bash completion for sotto; load with: source <(sotto completion)
_sotto() {
  local current=${COMP_WORDS[COMP_CWORD]} path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] && break
    path="${path:+$path }${COMP_WORDS[i]}"
  done
  case "$path" in
)";
  add_cases(program, "", script);
  script += R"(  esac
  if [[ $current == -* || -n $path && -n $words || -z $path ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
  [[ $current != -* && ${COMP_WORDS[COMP_CWORD-1]} == --* ]] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _sotto sotto
)";
  return script;
}

/// Roff has its own meaning for backslashes and for leading dots and quotes.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  if (!safe.empty() && (safe[0] == '.' || safe[0] == '\'')) safe.insert(0, "\\&");
  return safe;
}

void add_section(const CLI::App& app, const std::string& path, std::string& page) {
  page += fmt::format(".SS {}\n{}\n", roff(path), roff(app.get_description()));
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff("--" + option->get_lnames().front()),
                        roff(option->get_description()));
  }
  for (const CLI::App* child : children(app)) add_section(*child, path + " " + child->get_name(), page);
}

std::string man_page(const CLI::App& program) {
  std::string page =
      fmt::format(".TH SOTTO 1 \"\" \"sotto {}\"\n.SH NAME\nsotto \\- {}\n", kVersion, roff(program.get_description()));
  page += ".SH SYNOPSIS\n.B sotto\n\\fIverb\\fR [\\fIoptions\\fR]\n.SH VERBS\n";
  for (const CLI::App* child : children(program)) add_section(*child, "sotto " + child->get_name(), page);
  page += fmt::format(".SH EXIT STATUS\n{}\n", roff(program.get_footer()));
  return page;
}

}  // namespace

void add_manual(CLI::App& program, Output& output) {
  const auto add_text = [&](const char* name, const char* help, std::string (*text)(const CLI::App&)) {
    add_verb(program, output, name, help)->callback([&program, &output, text] {
      output.print(output.json ? nlohmann::ordered_json{{"text", text(program)}}.dump(2) : text(program));
    });
  };
  add_text("completion", "print completion for bash: source <(sotto completion)", bash_completion);
  add_text("man", "print the man page: sotto man | man -l -", man_page);
}

}  // namespace sotto::cli
