#include "help_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "colour.h"
#include "field_flags.h"
#include "sotto/catalogue.h"
#include "verb_notes.h"

namespace sotto::cli {
namespace {

constexpr const char* kMethodGroup = "Method";  // of request.cpp: flags that several methods share

bool is_help(const CLI::Option& option) { return option.check_lname("help") || option.check_lname("help-all"); }

std::string name_of_entry(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  const std::string type = option.get_type_name();
  const bool shown =
      !type.empty() && type.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == type.npos && type != "TEXT";
  return "--" + option.get_lnames().front() + (shown ? " " + type : "");
}

HelpPage::Entry entry_of(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::string preset = option.get_default_str();
  if (!preset.empty()) text += " [" + preset + "]";
  return {name_of_entry(option), text};
}

std::string usage_of(const CLI::App& app, const std::string& verb) {
  std::string usage = verb.empty() ? "sotto" : "sotto " + verb;
  if (!verbs_of(app).empty()) return usage + " VERB [flags]";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      usage += option->get_required() ? " " + option->get_name(true) : " [" + option->get_name(true) + "]";
    } else if (option->get_required()) {
      usage += " " + (takes_file(*option) ? name_of_entry(*option) : name_of_entry(*option) + " ...");
    }
  }
  return usage + " [flags]";
}

/// Those of `first` in its order; all where it is empty.
std::vector<const CLI::Option*> chosen(const CLI::App& app, const VerbNote* note, HelpPart part) {
  std::vector<const CLI::Option*> list;
  const bool all = part == HelpPart::all || note == nullptr || note->first.empty();
  for (const CLI::Option* option : app.get_options()) {
    if (!is_help(*option) && (all || option->get_positional())) list.push_back(option);
  }
  if (all) return list;
  for (const std::string_view flag : note->first) {
    if (const CLI::Option* option = app.get_option_no_throw(std::string(flag))) list.push_back(option);
  }
  return list;
}

/// A section for each method, with its own words about the flags it has.
void add_methods(HelpPage& page, std::set<std::string>& told) {
  const auto add = [&](const Json& members, const std::string& kind) {
    for (const Json& member : members) {
      HelpPage::Section section{kind + " " + member["name"].get<std::string>(), member["summary"].get<std::string>()};
      if (member.contains("reference")) section.about += "; " + member["reference"].get<std::string>();
      for (const Json& field : member["parameters"]) {
        const std::string flag = flag_of(field["name"].get<std::string>());
        const std::string preset = field["default"].get<std::string>();
        section.entries.push_back(
            {flag, field["help"].get<std::string>() + (preset.empty() ? "" : " [" + preset + "]")});
        told.insert(flag);
      }
      if (!section.entries.empty()) page.sections.push_back(std::move(section));
    }
  };
  const Json all = catalogue();
  add(all["methods"], "Method");
  add(all["steps"], "Step");
}

void add_groups(HelpPage& page, const CLI::App& app, const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : options) {
    if (std::ranges::find(groups, option->get_group()) == groups.end()) groups.push_back(option->get_group());
  }
  for (const std::string& group : groups) {
    std::set<std::string> told;
    const bool by_method = group == kMethodGroup && app.get_option_no_throw("--method") != nullptr;
    page.sections.push_back({group == "Options" ? "Flags" : group});
    const std::size_t own = page.sections.size() - 1;
    if (by_method) add_methods(page, told);
    for (const CLI::Option* option : options) {
      if (option->get_group() != group) continue;
      const HelpPage::Entry entry = entry_of(*option);
      if (!told.contains(entry.name)) page.sections[own].entries.push_back(entry);
    }
  }
}

void add_verbs(HelpPage& page, const CLI::App& app, HelpPart part) {
  HelpPage::Section section;
  const auto add = [&](const auto& self, const CLI::App& parent, const std::string& before) -> void {
    for (const CLI::App* verb : verbs_of(parent)) {
      const std::string name = before + verb->get_name();
      const std::string text = verb->get_description();
      section.entries.push_back({name, text.substr(0, text.find(';'))});
      if (part == HelpPart::all) self(self, *verb, name + " ");
    }
  };
  add(add, app, "");
  page.sections.push_back(std::move(section));
}

std::string footer_of(const CLI::App& app, const std::string& verb, bool shortened) {
  if (verb.empty()) return "'sotto VERB --help' has the flags of a verb; 'sotto explain' says what words mean.";
  if (!verbs_of(app).empty()) return "'sotto " + verb + " VERB --help' has the flags of a verb.";
  if (!shortened) return {};
  const auto flags =
      std::ranges::count_if(app.get_options(), [](const auto* option) { return !option->get_positional(); });
  return fmt::format("'sotto {} --help-all' has all {} flags.", verb, flags);
}

}  // namespace

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* child) { return !child->get_name().empty(); });
}

std::string words_to(const CLI::App& app) {
  if (app.get_parent() == nullptr) return {};
  const std::string before = words_to(*app.get_parent());
  return before.empty() ? app.get_name() : before + " " + app.get_name();
}

bool takes_file(const CLI::Option& option) { return option.get_type_name() == "FILE"; }

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == type.npos) return {};
  return CLI::detail::split(type, '|');
}

HelpPage help_page(const CLI::App& app, HelpPart part) {
  HelpPage page;
  page.verb = words_to(app);
  page.usage = usage_of(app, page.verb);
  page.about = app.get_description();
  const VerbNote* note = note_of(page.verb);
  if (note != nullptr) page.examples = CLI::detail::split(std::string(note->example), '\n');
  if (!verbs_of(app).empty()) {
    add_verbs(page, app, part);
    page.footer = footer_of(app, page.verb, true);
    return page;
  }
  const std::vector<const CLI::Option*> options = chosen(app, note, part);
  if (part == HelpPart::all) {
    add_groups(page, app, options);
  } else {
    page.sections.push_back({});
    for (const CLI::Option* option : options) page.sections.back().entries.push_back(entry_of(*option));
    page.footer = footer_of(app, page.verb, note != nullptr && !note->first.empty());
  }
  return page;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const {
  const std::string text =
      help_text(help_page(*app, mode == CLI::AppFormatMode::All ? HelpPart::all : HelpPart::first));
  return coloured(stdout) ? painted(text) : text;
}

}  // namespace sotto::cli
