#include "explained.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "field_flags.h"
#include "help_page.h"
#include "lexicon.h"
#include "sotto/base/nearest.h"
#include "sotto/catalogue.h"
#include "sotto/privacy/ledger/budget_words.h"

namespace sotto::cli {
namespace {

/// The word of the lexicon as it is spelt there: a flag may be asked for as --batch-rows.
std::string spelt(const std::string& word) {
  const std::size_t first = word.find_first_not_of('-');
  return first == 0 || first == word.npos ? word : field_of(word);
}

bool is_called(const Json& member, const std::string& name) {
  if (member["name"] == name) return true;
  const Json& aliases = member.value("aliases", Json::array());
  return std::ranges::find(aliases, Json(name)) != aliases.end();
}

/// Parameters and reference, of what is in the catalogue.
void add_declared(Json& entry, const Json& members) {
  for (const Json& member : members) {
    if (member["name"] != entry["name"]) continue;
    entry["summary"] = member["summary"];
    if (member.contains("reference")) entry["reference"] = member["reference"];
    entry["parameters"] = member["parameters"];
  }
}

Json entry_of(const Word& word) {
  static const Json all = catalogue();
  Json entry{{"name", word.name}, {"kind", word.kind}, {"meaning", word.meaning}};
  if (word.kind == "method") add_declared(entry, all["methods"]);
  if (word.kind == "loss") add_declared(entry, all["losses"]);
  if (word.kind == "step rule") add_declared(entry, all["steps"]);
  if (word.kind == "filter") {
    const Budget usual{1, 1e-6, Relation::replace_one};
    entry["example"] = "Of a budget of epsilon 1 and delta 1e-06: " +
                       filter_words(enum_by_name<FilterKind>(word.name, "filter"), usual) + ".";
  }
  return entry;
}

/// What the fields of this name are for, by their owners.
Json field_entry(const std::string& name) {
  static const Json all = catalogue();
  Json entry{{"name", name}, {"kind", "flag"}, {"flag", flag_of(name)}, {"of", Json::array()}};
  const auto add = [&](const Json& fields, const std::string& owner) {
    for (const Json& field : fields) {
      if (field["name"] == name)
        entry["of"].push_back({{"owner", owner}, {"help", field["help"]}, {"default", field["default"]}});
    }
  };
  add(all["problem"], "every method");
  add(all["budget"], "every method");
  for (const char* section : {"methods", "steps", "losses"}) {
    for (const Json& member : all[section]) add(member["parameters"], member["name"].get<std::string>());
  }
  return entry["of"].empty() ? Json() : entry;
}

std::string default_text(const Json& field) {
  const std::string preset = field["default"].get<std::string>();
  return preset.empty() ? "" : " [" + preset + "]";
}

std::string text_of(const Json& entry) {
  std::string text = fmt::format("{} ({})\n", entry["name"].get<std::string>(), entry["kind"].get<std::string>());
  HelpPage::Section section;
  for (const char* key : {"meaning", "summary", "example", "reference"}) {
    if (entry.contains(key)) section.entries.push_back({key, entry[key].get<std::string>()});
  }
  for (const Json& field : entry.value("parameters", Json::array())) {
    section.entries.push_back(
        {flag_of(field["name"].get<std::string>()), field["help"].get<std::string>() + default_text(field)});
  }
  for (const Json& owner : entry.value("of", Json::array())) {
    section.entries.push_back(
        {owner["owner"].get<std::string>(), owner["help"].get<std::string>() + default_text(owner)});
  }
  return text + entries_text(section.entries);
}

/// By kind, in the order of the documents.
std::vector<std::pair<std::string, std::vector<std::string>>> names_by_kind() {
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
  for (const Word& word : lexicon()) {
    if (kinds.empty() || kinds.back().first != word.kind) kinds.push_back({word.kind, {}});
    kinds.back().second.push_back(word.name);
  }
  return kinds;
}

}  // namespace

Json explained_json(const std::string& word) {
  static const Json all = catalogue();
  std::string name = spelt(word);
  for (const char* section : {"methods", "losses"}) {
    for (const Json& member : all[section]) {
      if (is_called(member, name)) name = member["name"];
    }
  }
  Json entries = Json::array();
  for (const Word& each : lexicon()) {
    if (each.name == name) entries.push_back(entry_of(each));
  }
  if (Json field = field_entry(name); !field.is_null()) entries.push_back(std::move(field));
  if (!entries.empty()) return entries;
  const std::vector<std::string> near = nearest_names(word, explained_names());
  throw Error(ErrorKind::invalid_argument,
              "there is no word " + word +
                  (near.empty() ? "; 'sotto explain' lists them"
                                : "; did you mean " + join_names({near.begin(), near.end()}) + "?"),
              "word");
}

std::string explained(const std::string& word) {
  std::string text;
  for (const Json& entry : explained_json(word)) text += (text.empty() ? "" : "\n") + text_of(entry);
  text.pop_back();
  return text;
}

std::string explained_list() {
  std::vector<HelpPage::Entry> entries;
  for (const auto& [kind, names] : names_by_kind()) {
    entries.push_back({kind, fmt::format("{}", fmt::join(names, ", "))});
  }
  return "'sotto explain WORD' says what a word means; flags too, as in 'sotto explain passes'\n" +
         entries_text(entries) + "'sotto explain --catalog' lists methods and losses with all parameters";
}

Json explained_list_json() {
  Json list = Json::object();
  for (const auto& [kind, names] : names_by_kind()) list[kind] = names;
  return list;
}

const std::vector<std::string_view>& explained_names() {
  static const std::vector<Word> words = lexicon();
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Word& word : words) {
      if (std::ranges::find(list, word.name) == list.end()) list.push_back(word.name);
    }
    return list;
  }();
  return names;
}

}  // namespace sotto::cli
