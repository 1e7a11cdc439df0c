#include <fmt/format.h>

#include <algorithm>

#include "help_page.h"

namespace sotto::cli {
namespace {

constexpr std::size_t kMostForNames = 26;

/// Lines of at most `width` columns.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string paragraph(const std::string& text, std::size_t indent) {
  std::string result;
  for (const std::string& line : wrapped(text, kHelpColumns - indent)) result += std::string(indent, ' ') + line + "\n";
  return result;
}

}  // namespace

std::string entries_text(const std::vector<HelpPage::Entry>& entries) {
  std::size_t names = 0;
  for (const HelpPage::Entry& entry : entries) {
    if (entry.name.size() <= kMostForNames) names = std::max(names, entry.name.size());
  }
  const std::size_t indent = 2 + names + 2;
  std::string text;
  for (const HelpPage::Entry& entry : entries) {
    const std::vector<std::string> lines = wrapped(entry.text, kHelpColumns - indent);
    const bool beside = entry.name.size() <= names;
    text += beside ? fmt::format("  {:<{}}  {}\n", entry.name, names, lines.front()) : "  " + entry.name + "\n";
    for (std::size_t i = beside ? 1 : 0; i < lines.size(); ++i) text += std::string(indent, ' ') + lines[i] + "\n";
  }
  return text;
}

std::string help_text(const HelpPage& page) {
  std::string text =
      page.verb.empty() ? paragraph(page.about, 0) : "usage: " + page.usage + "\n\n" + paragraph(page.about, 0);
  for (const HelpPage::Section& section : page.sections) {
    text += "\n";
    if (!section.title.empty()) text += section.title + ":\n";
    if (!section.about.empty()) text += paragraph(section.about, 2);
    text += entries_text(section.entries);
  }
  if (!page.examples.empty()) text += page.examples.size() > 1 ? "\nExamples:\n" : "\nExample:\n";
  for (const std::string& line : page.examples) text += "  " + line + "\n";
  if (!page.footer.empty()) text += "\n" + paragraph(page.footer, 0);
  return text;
}

}  // namespace sotto::cli
