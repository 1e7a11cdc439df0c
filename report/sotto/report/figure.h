#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/report/chart.h"

/// A figure of a page: charts side by side, tables, caption, verdict.
namespace sotto::report {

/// What became of a published figure or claim.
enum class VerdictKind { reproduced, only_invalid, not_reproduced, not_run };
constexpr auto enum_names(VerdictKind) {
  return std::array{std::pair{std::string_view("reproduced"), VerdictKind::reproduced},
                    std::pair{std::string_view("only_invalid"), VerdictKind::only_invalid},
                    std::pair{std::string_view("not_reproduced"), VerdictKind::not_reproduced},
                    std::pair{std::string_view("not_run"), VerdictKind::not_run}};
}
/// "Reproduced", "Only with the invalid calibration", ...
std::string_view verdict_words(VerdictKind kind);

struct Verdict {
  VerdictKind kind = VerdictKind::not_run;
  std::string text{};
};
/// The verdict as a label with a sign and a colour.
std::string verdict_label(VerdictKind kind);

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
/// A table that scrolls by itself where it is wider than the page.
std::string html_of(const Table& table);

/// A file with the numbers behind a figure.
struct DataFile {
  std::string name;
  std::string link{};  ///< relative to the page; empty: the page has the only copy
  std::string text{};  ///< its content, kept in the page; empty: not kept
};

struct Figure {
  std::string id;  ///< letters, digits, '-', '_' and '.': the anchor
  std::string title;
  std::string caption{};
  std::optional<Verdict> verdict{};
  std::vector<Chart> panels{};
  std::vector<Table> tables{};
  std::optional<DataFile> data{};
};
std::string html_of(const Figure& figure);

}  // namespace sotto::report
