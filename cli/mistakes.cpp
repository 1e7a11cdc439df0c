#include "mistakes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "field_flags.h"
#include "help_page.h"
#include "sotto/base/nearest.h"

namespace sotto::cli {
namespace {

const CLI::App* child_of(const CLI::App& app, const std::string& word) {
  const std::vector<const CLI::App*> verbs = verbs_of(app);
  const auto found = std::ranges::find(verbs, word, [](const CLI::App* verb) { return verb->get_name(); });
  return found == verbs.end() ? nullptr : *found;
}

/// "train has no flag --eps; did you mean --epsilon?", or where they are listed.
Error unknown(const std::string& message, const std::string& word, const std::vector<std::string>& known,
              const std::string& list) {
  const std::vector<std::string> near = nearest_names(word, {known.begin(), known.end()});
  const std::string hint =
      near.empty() ? "'" + list + "' lists them" : "did you mean " + join_names({near.begin(), near.end()}) + "?";
  return {ErrorKind::invalid_argument, message + " " + word + "; " + hint};
}

Error unknown_flag(const CLI::App& app, const std::string& flag) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string verb = words_to(app);
  return unknown(verb.empty() ? "there is no flag" : "'" + verb + "' has no flag", flag, known,
                 "sotto " + (verb.empty() ? "" : verb + " ") + "--help-all");
}

Error unknown_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* verb : verbs_of(app)) known.push_back(verb->get_name());
  const std::string words = words_to(app);
  return unknown(words.empty() ? "there is no verb" : "'" + words + "' has no verb", word, known,
                 words.empty() ? "sotto --help" : "sotto " + words + " --help");
}

/// Where the next word is that is no value of this option.
std::size_t past_values(const CLI::Option& option, std::span<const std::string> words, std::size_t next) {
  const bool in_word = words[next - 1].find('=') != std::string::npos;
  const auto most = in_word ? 0 : static_cast<std::size_t>(std::max(0, option.get_items_expected_max()));
  for (std::size_t i = 0; i < most && next < words.size() && !words[next].starts_with("--"); ++i) ++next;
  return next;
}

}  // namespace

const CLI::App& verb_of(const CLI::App& program, std::span<const std::string> words) {
  const CLI::App* app = &program;
  for (const std::string& word : words) {
    const CLI::App* child = child_of(*app, word);
    if (child == nullptr) break;
    app = child;
  }
  return *app;
}

std::optional<Error> unknown_word(const CLI::App& program, std::span<const std::string> words) {
  const CLI::App* app = &program;
  for (std::size_t i = 0; i < words.size();) {
    const std::string& word = words[i++];
    if (word == "--") break;
    if (word.starts_with("--")) {
      const std::string flag = word.substr(0, word.find('='));
      const CLI::Option* option = app->get_option_no_throw(flag);
      if (option == nullptr) return unknown_flag(*app, flag);
      i = past_values(*option, words, i);
    } else if (!verbs_of(*app).empty() && !word.starts_with('-')) {
      const CLI::App* child = child_of(*app, word);
      if (child == nullptr) return unknown_verb(*app, word);
      app = child;
    }
  }
  return std::nullopt;
}

}  // namespace sotto::cli
