#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::cli {

/// The help of the program or of a verb, before it becomes text for a terminal or a page of the manual.
struct HelpPage {
  struct Entry {
    std::string name;  ///< "--data FILE", "dpgd"
    std::string text;
  };
  struct Section {
    std::string title;
    std::string about{};
    std::vector<Entry> entries{};
  };
  std::string verb;   ///< "data pack"; empty of the program
  std::string usage;  ///< "sotto data pack --data FILE --out FILE [flags]"
  std::string about;
  std::vector<Section> sections;
  std::vector<std::string> examples;
  std::string footer;
};

/// `first`: the flags that most people use first. `all`: every one, those of methods under each method that has them.
enum class HelpPart { first, all };
HelpPage help_page(const CLI::App& app, HelpPart part);

/// The page for a terminal: lines of at most kHelpColumns.
inline constexpr std::size_t kHelpColumns = 98;
std::string help_text(const HelpPage& page);
/// Names and what they mean, in two columns.
std::string entries_text(const std::vector<HelpPage::Entry>& entries);

/// The verbs below an app, in their order.
std::vector<const CLI::App*> verbs_of(const CLI::App& app);
/// "data pack": the words after the program's name.
std::string words_to(const CLI::App& app);
/// Its values, where the flag takes one of a list.
std::vector<std::string> values_of(const CLI::Option& option);
bool takes_file(const CLI::Option& option);

/// Answers --help by the first flags and --help-all by all of them.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace sotto::cli
