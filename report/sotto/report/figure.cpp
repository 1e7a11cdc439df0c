#include "sotto/report/figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/base/fields.h"
#include "sotto/report/html.h"
#include "sotto/report/values_table.h"

namespace sotto::report {
namespace {

/// Whether one legend serves all panels: the same series in the same order.
bool share_legend(const std::vector<Chart>& panels) {
  const auto same = [](const Series& a, const Series& b) {
    return a.name == b.name && a.is_private == b.is_private && a.mark == b.mark;
  };
  return std::all_of(panels.begin(), panels.end(), [&](const Chart& panel) {
    return std::equal(panel.series.begin(), panel.series.end(), panels.front().series.begin(),
                      panels.front().series.end(), same);
  });
}

struct PanelLook {
  bool compact = false;
  bool legend = false;
};

std::string panel_html(const Chart& panel, const PanelLook& look) {
  std::string text = R"(<section class="panel">)";
  if (!panel.title.empty()) text += fmt::format("<h4>{}</h4>", escaped(panel.title));
  text += fmt::format(
      R"(<div class="plot" tabindex="0" role="group" aria-label="Values of {}: left and right arrow keys">{})"
      R"(<div class="tip" role="status" hidden></div></div>)",
      escaped(panel.title.empty() ? panel.y.label : panel.title), svg_inline(panel, look.compact));
  if (look.legend) text += legend(panel.series);
  return text +
         fmt::format(
             R"(<details><summary>Values</summary><div class="scroll" tabindex="0">{}</div></details></section>)",
             values_table(panel));
}

/// As the papers lay theirs out: pairs and fours in two columns, others in three.
std::size_t columns_of(std::size_t panels) {
  if (panels == 1) return 1;
  return panels == 2 || panels % 4 == 0 ? 2 : 3;
}

std::string panels_html(const std::vector<Chart>& panels) {
  if (panels.empty()) return "";
  const bool shared = share_legend(panels);
  std::string text = shared ? legend(panels.front().series) : "";
  const std::size_t columns = columns_of(panels.size());
  text += fmt::format(R"(<div class="panels of{}">)", columns);
  for (const Chart& panel : panels) text += panel_html(panel, {columns > 2, !shared});
  return text + "</div>";
}

/// Base-64, of which a data link is made.
std::string encoded(const std::string& bytes) {
  static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (int shift = 18; shift >= 0; shift -= 6) text += kLetters[three >> shift & 63];
  }
  if (bytes.size() % 3 != 0) std::fill(text.end() - static_cast<int>(3 - bytes.size() % 3), text.end(), '=');
  return text;
}

std::string data_html(const DataFile& data) {
  std::string links;
  if (!data.link.empty()) links += fmt::format(R"(<a href="{}">{}</a>)", escaped(data.link), escaped(data.name));
  if (!data.text.empty()) {
    links +=
        fmt::format(R"({}<a download="{}" href="data:text/csv;base64,{}">{}</a>)", links.empty() ? "" : " · ",
                    escaped(data.name), encoded(data.text), links.empty() ? escaped(data.name) : "copy in this page");
  }
  return links.empty() ? "" : fmt::format(R"(<p class="sources">Data: {}</p>)", links);
}

}  // namespace

std::string_view verdict_words(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::reproduced: return "Reproduced";
    case VerdictKind::only_invalid: return "Only with the invalid calibration";
    case VerdictKind::not_reproduced: return "Not reproduced";
    case VerdictKind::not_run: return "Not run";
  }
  return "";
}

std::string verdict_label(VerdictKind kind) {
  return fmt::format(R"(<span class="verdict {}">{}</span>)", enum_name(kind), verdict_words(kind));
}

std::string html_of(const Table& table) {
  std::string text = R"(<div class="scroll" tabindex="0"><table>)";
  if (!table.title.empty()) text += fmt::format("<caption>{}</caption>", escaped(table.title));
  text += "<thead><tr>";
  for (const std::string& column : table.columns) text += fmt::format(R"(<th scope="col">{}</th>)", escaped(column));
  text += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (const std::string& cell : row) text += fmt::format("<td>{}</td>", escaped(cell));
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>";
}

std::string html_of(const Figure& figure) {
  const std::string id = escaped(figure.id);
  std::string text = fmt::format(
      R"(<figure class="figure" id="{0}" aria-labelledby="{0}-title"><header><h3 id="{0}-title"><a href="#{0}">{1}</a></h3>{2}</header>)",
      id, escaped(figure.title), figure.verdict ? verdict_label(figure.verdict->kind) : "");
  if (figure.verdict && !figure.verdict->text.empty()) {
    text += fmt::format(R"(<p class="why">{}</p>)", escaped(figure.verdict->text));
  }
  text += panels_html(figure.panels);
  for (const Table& table : figure.tables) text += html_of(table);
  if (!figure.caption.empty()) text += fmt::format("<figcaption>{}</figcaption>", escaped(figure.caption));
  if (figure.data) text += data_html(*figure.data);
  return text + "</figure>\n";
}

}  // namespace sotto::report
