#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "completion.h"
#include "help_page.h"
#include "mistakes.h"
#include "sotto/base/fields.h"
#include "sotto/base/out_file.h"
#include "sotto/base/version.h"
#include "verbs.h"

/// Shell completion and the pages of the manual, made from the very flags the program parses.
namespace sotto::cli {
namespace {

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

/// "sotto-data-pack", by which man finds the page.
std::string page_name(const std::string& verb) {
  std::string name = verb.empty() ? "sotto" : "sotto-" + verb;
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

std::string man_page(const CLI::App& program, const CLI::App& app) {
  const HelpPage page = help_page(app, HelpPart::all);
  const std::string name = page_name(page.verb);
  std::string text = fmt::format(".TH {} 1 \"\" \"sotto {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n", roff(name),
                                 kVersion, roff(name), roff(page.about), roff(page.usage));
  for (const HelpPage::Section& section : page.sections) {
    text += fmt::format(".SH {}\n", section.title.empty() ? "VERBS" : roff(section.title));
    if (!section.about.empty()) text += roff(section.about) + "\n";
    for (const HelpPage::Entry& entry : section.entries) {
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(entry.name), roff(entry.text));
    }
  }
  if (!page.examples.empty()) text += ".SH EXAMPLES\n.nf\n";
  for (const std::string& line : page.examples) text += roff(line) + "\n";
  if (!page.examples.empty()) text += ".fi\n";
  return text + fmt::format(".SH EXIT STATUS\n{}\n", roff(program.get_footer()));
}

void write_pages(const CLI::App& program, const CLI::App& app, const std::filesystem::path& folder) {
  write_file((folder / (page_name(words_to(app)) + ".1")).string(), man_page(program, app));
  for (const CLI::App* verb : verbs_of(app)) write_pages(program, *verb, folder);
}

/// As an installation lays them out.
void write_all(const CLI::App& program, const std::filesystem::path& folder) {
  for (const char* part : {"man1", "bash", "zsh", "fish"}) std::filesystem::create_directories(folder / part);
  write_pages(program, program, folder / "man1");
  write_file((folder / "bash" / "sotto").string(), completion_script(program, Shell::bash));
  write_file((folder / "zsh" / "_sotto").string(), completion_script(program, Shell::zsh));
  write_file((folder / "fish" / "sotto.fish").string(), completion_script(program, Shell::fish));
}

void print_text(const Output& output, const std::string& text) {
  output.print_as_is(output.json ? nlohmann::ordered_json{{"text", text}}.dump(2) : text);
}

struct ManVerb {
  std::vector<std::string> verb;
  std::string folder;

  void run(const CLI::App& program, const Output& output) const {
    if (!folder.empty()) return write_all(program, folder);
    if (const auto unknown = unknown_word(program, verb)) throw Error(*unknown);
    print_text(output, man_page(program, verb_of(program, verb)));
  }
};

}  // namespace

void add_manual(CLI::App& program, Output& output) {
  CLI::App* man = add_verb(program, output, "man", "print a page of the manual, of sotto or of a verb");
  auto pages = std::make_shared<ManVerb>();
  man->add_option("verb", pages->verb, "the verb, as its words: data pack")->type_name("");
  man->add_option("--write", pages->folder, "write every page and every completion below this folder instead")
      ->type_name("DIR");
  man->callback([pages, &program, &output] { pages->run(program, output); });
  CLI::App* completion =
      add_verb(program, output, "completion", "print completion for a shell: verbs, flags and values");
  auto shell = std::make_shared<std::string>("bash");
  completion->add_option("shell", *shell, "bash, zsh or fish")->type_name("bash|zsh|fish")->capture_default_str();
  completion->callback([shell, &program, &output] {
    print_text(output, completion_script(program, enum_by_name<Shell>(*shell, "shell")));
  });
}

}  // namespace sotto::cli
