#include "lexicon.h"

#include <algorithm>

#include "documents.h"

namespace sotto::cli {
namespace {

/// Without the blanks around it and the marks of code in it.
std::string plain(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(' ');
  if (first == cell.npos) return {};
  std::string text(cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  std::erase(text, '`');
  return text;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line.remove_prefix(1);
  for (std::size_t end = line.find('|'); end != line.npos; end = line.find('|')) {
    cells.push_back(plain(line.substr(0, end)));
    line.remove_prefix(end + 1);
  }
  return cells;
}

}  // namespace

std::vector<Word> words_of(std::string_view document) {
  std::vector<Word> words;
  std::string kind;
  bool in_table = false;  // below the line that parts a table from its heading
  while (!document.empty()) {
    const std::size_t end = std::min(document.find('\n'), document.size() - 1);
    const std::string_view line = document.substr(0, end);
    document.remove_prefix(end + 1);
    if (line.starts_with("## ")) {
      kind = plain(line.substr(3));
      if (!kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z') kind[0] = static_cast<char>(kind[0] - 'A' + 'a');
    }
    if (!line.starts_with('|')) {
      in_table = false;
    } else if (line.starts_with("| ---")) {
      in_table = true;
    } else if (in_table) {
      const std::vector<std::string> cells = cells_of(line);
      if (cells.size() >= 2) words.push_back({kind, cells[0], cells[1]});
    }
  }
  return words;
}

std::vector<Word> lexicon() {
  std::vector<Word> words = words_of(kMethods);
  for (Word& word : words_of(kGlossary)) {
    words.push_back({"word", std::move(word.name), std::move(word.meaning)});
  }
  return words;
}

}  // namespace sotto::cli
