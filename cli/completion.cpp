#include "completion.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "help_page.h"

namespace sotto::cli {
namespace {

/// A verb, or the program, with what may follow it.
struct Place {
  std::string verb;  ///< "data pack"
  const CLI::App* app;
};

void add_places(const CLI::App& app, std::vector<Place>& places) {
  places.push_back({words_to(app), &app});
  for (const CLI::App* verb : verbs_of(app)) add_places(*verb, places);
}

std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_lnames().empty(); });
}

const CLI::Option* positional_of(const CLI::App& app) {
  const auto found = app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  return found.empty() ? nullptr : found.front();
}

std::string quoted(const std::string& text, std::string_view escaped_quote) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string(escaped_quote) : std::string(1, c);
  return safe + "'";
}

/// Short enough for a line beside the word.
std::string short_text(const std::string& text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return text;
  return text.substr(0, text.rfind(' ', kMost)) + " ...";
}

/// Values that hold no blank: a shell takes the others for several.
std::vector<std::string> plain_values(const CLI::Option& option) {
  std::vector<std::string> values = values_of(option);
  std::erase_if(values, [](const std::string& value) { return value.find(' ') != value.npos; });
  return values;
}

/// What follows a flag, with all places where it does: patterns of a `case` by what is done there.
using Cases = std::map<std::string, std::string>;
void add_case(Cases& cases, const std::string& action, const std::string& pattern) {
  std::string& patterns = cases[action];
  patterns += (patterns.empty() ? "'" : "|'") + pattern + "'";
}

Cases value_cases(const std::vector<Place>& places, std::string_view offer, std::string_view files) {
  Cases cases;
  for (const Place& place : places) {
    for (const CLI::Option* flag : flags_of(*place.app)) {
      if (flag->get_items_expected_max() == 0) continue;
      const std::vector<std::string> values = plain_values(*flag);
      const std::string action = !values.empty()     ? fmt::format("{} {}", offer, fmt::join(values, " "))
                                 : takes_file(*flag) ? std::string(files)
                                                     : "return";
      for (const std::string& name : flag->get_lnames()) add_case(cases, action, place.verb + " --" + name);
    }
  }
  return cases;
}

std::string case_lines(const Cases& cases, std::string_view end) {
  std::string text;
  for (const auto& [action, patterns] : cases) text += fmt::format("    {}) {}{} ;;\n", patterns, action, end);
  return text;
}

std::string verb_patterns(const std::vector<Place>& places) {
  std::string patterns;
  for (const Place& place : places) {
    if (!place.verb.empty()) patterns += (patterns.empty() ? "'" : "|'") + place.verb + "'";
  }
  return patterns;
}

std::string bash_script(const std::vector<Place>& places) {
  std::string script =
      "# bash completion for sotto; load with: source <(sotto completion bash)\n_sotto() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} verb='' next words='' files='' i\n"
      "  offer() { COMPREPLY=($(compgen -W \"$*\" -- \"$current\")); }\n"
      "  offer_files() { COMPREPLY=($(compgen -f -- \"$current\")); }\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n    next=\"${verb:+$verb }${COMP_WORDS[i]}\"\n    case \"$next\" in\n";
  script += fmt::format("      {}) verb=$next ;;\n      *) break ;;\n    esac\n  done\n", verb_patterns(places));
  script += "  case \"$verb ${COMP_WORDS[COMP_CWORD-1]}\" in\n";
  script += case_lines(value_cases(places, "offer", "offer_files"), "; return") + "  esac\n  case \"$verb\" in\n";
  for (const Place& place : places) {
    std::string words;
    for (const CLI::App* verb : verbs_of(*place.app)) words += verb->get_name() + " ";
    for (const CLI::Option* flag : flags_of(*place.app)) {
      for (const std::string& name : flag->get_lnames()) words += "--" + name + " ";
    }
    const CLI::Option* positional = positional_of(*place.app);
    if (positional != nullptr) words += fmt::format("{} ", fmt::join(plain_values(*positional), " "));
    const bool files = positional != nullptr && takes_file(*positional);
    script += fmt::format("    '{}') words='{}' files='{}' ;;\n", place.verb, words, files ? "yes" : "");
  }
  return script +
         "  esac\n  if [[ -n $files && $current != -* ]]; then offer_files; else offer \"$words\"; fi\n}\n"
         "complete -o filenames -F _sotto sotto\n";
}

std::string zsh_described(const std::string& name, const std::string& help) {
  std::string text;
  for (const char c : name) text += c == ':' ? std::string("\\:") : std::string(1, c);
  return quoted(text + ":" + short_text(help), "'\\''") + " ";
}

std::string zsh_script(const std::vector<Place>& places) {
  std::string script =
      "#compdef sotto\n# zsh completion for sotto; load with: source <(sotto completion zsh)\n_sotto() {\n"
      "  local verb='' next i\n  local -a verbs flags\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n    next=\"${verb:+$verb }${words[i]}\"\n    case \"$next\" in\n";
  script += fmt::format("      {}) verb=$next ;;\n      *) break ;;\n    esac\n  done\n", verb_patterns(places));
  script += "  case \"$verb ${words[CURRENT-1]}\" in\n";
  script += case_lines(value_cases(places, "compadd --", "_files"), "; return") + "  esac\n  case \"$verb\" in\n";
  for (const Place& place : places) {
    std::string verbs, flags, more;
    for (const CLI::App* verb : verbs_of(*place.app)) verbs += zsh_described(verb->get_name(), verb->get_description());
    for (const CLI::Option* flag : flags_of(*place.app)) {
      for (const std::string& name : flag->get_lnames()) flags += zsh_described("--" + name, flag->get_description());
    }
    if (const CLI::Option* positional = positional_of(*place.app)) {
      const std::vector<std::string> values = plain_values(*positional);
      more = takes_file(*positional) ? "; _files" : fmt::format("; compadd -- {}", fmt::join(values, " "));
    }
    script += fmt::format("    '{}') verbs=({}) flags=({}){} ;;\n", place.verb, verbs, flags, more);
  }
  return script +
         "  esac\n  (( $#verbs )) && _describe 'verb' verbs\n"
         "  [[ $PREFIX == -* || $#verbs == 0 ]] && _describe 'flag' flags\n}\n"
         "if [[ $funcstack[1] == _sotto ]]; then _sotto \"$@\"; else compdef _sotto sotto; fi\n";
}

std::string fish_line(const std::string& verb, const std::string& rest, const std::string& help) {
  return fmt::format("complete -c sotto -n '__sotto_at {}' {} -d {}\n", verb, rest, quoted(short_text(help), "\\'"));
}

std::string fish_script(const std::vector<Place>& places) {
  std::string known;
  for (const Place& place : places) {
    if (!place.verb.empty()) known += "'" + place.verb + "' ";
  }
  std::string script =
      "# fish completion for sotto; load with: sotto completion fish | source\n"
      "function __sotto_at\n  set -l verb ''\n  for word in (commandline -opc)[2..]\n"
      "    set -l next (string trim \"$verb $word\")\n";
  script += fmt::format("    contains -- $next {}; or break\n    set verb $next\n  end\n", known);
  script += "  test \"$verb\" = \"$argv\"\nend\ncomplete -c sotto -f\n";
  for (const Place& place : places) {
    for (const CLI::App* verb : verbs_of(*place.app)) {
      script += fish_line(place.verb, "-a " + verb->get_name(), verb->get_description());
    }
    for (const CLI::Option* flag : flags_of(*place.app)) {
      const std::vector<std::string> values = plain_values(*flag);
      const std::string how = !values.empty()                      ? fmt::format(" -x -a '{}'", fmt::join(values, " "))
                              : takes_file(*flag)                  ? " -r -F"
                              : flag->get_items_expected_max() > 0 ? " -x"
                                                                   : "";
      for (const std::string& name : flag->get_lnames()) {
        script += fish_line(place.verb, "-l " + name + how, flag->get_description());
      }
    }
    if (const CLI::Option* positional = positional_of(*place.app)) {
      const std::string what =
          takes_file(*positional) ? "-F" : fmt::format("-a '{}'", fmt::join(plain_values(*positional), " "));
      script += fish_line(place.verb, what, positional->get_description());
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& program, Shell shell) {
  std::vector<Place> places;
  add_places(program, places);
  switch (shell) {
    case Shell::bash: return bash_script(places);
    case Shell::zsh: return zsh_script(places);
    case Shell::fish: return fish_script(places);
  }
  return {};
}

}  // namespace sotto::cli
