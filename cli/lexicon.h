#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sotto::cli {

/// A word that `explain` knows: its heading in docs/methods.md ("method", "loss"), or "word" for one of the glossary.
struct Word {
  std::string kind;
  std::string name;
  std::string meaning;
};

/// The rows of the tables of a document in Markdown, `name | meaning`, with the heading each is under, in small letters.
std::vector<Word> words_of(std::string_view document);

/// All words, those of docs/methods.md first.
std::vector<Word> lexicon();

}  // namespace sotto::cli
