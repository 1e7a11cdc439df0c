#include "sotto/report/values_table.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "sotto/report/html.h"

namespace sotto::report {
namespace {

constexpr std::size_t kShownRows = 120;

using Row = std::vector<const Point*>;

std::map<double, Row> rows_of(const Chart& chart) {
  std::map<double, Row> rows;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].mark == Mark::level) continue;
    for (const Point& p : chart.series[i].points) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
      Row& row = rows[p.x];
      row.resize(chart.series.size());
      row[i] = &p;
    }
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].mark != Mark::level || chart.series[i].points.empty()) continue;
    for (auto& [x, row] : rows) row[i] = chart.series[i].points.data();
  }
  return rows;
}

/// A number as its axis has it: budgets are rounded up.
std::string on_axis(const Axis& axis, double value) {
  return axis.label == "epsilon" || axis.label == "delta" ? short_number_up(value) : short_number(value);
}

std::string value_text(const Chart& chart, const Point* p) {
  if (p == nullptr) return "";
  std::string text = on_axis(chart.y, p->y);
  if (p->sd > 0) text += fmt::format(" ± {:.2g}", p->sd);
  if (p->runs > 0) text += fmt::format(" <small>({} run{})</small>", p->runs, p->runs == 1 ? "" : "s");
  return text;
}

std::string x_text(const Chart& chart, double x) {
  const auto place = static_cast<std::size_t>(std::max(0.0, x - 1));
  return place < chart.x.names.size() ? escaped(chart.x.names[place]) : on_axis(chart.x, x);
}

constexpr const char* kNotPrivateTag = R"( <span class="tag">not private</span>)";

}  // namespace

std::string values_table(const Chart& chart) {
  const std::map<double, Row> rows = rows_of(chart);
  const std::size_t every = rows.size() / kShownRows + 1;
  std::string text = fmt::format(R"(<table class="values"><thead><tr><th scope="col">{}</th>)", escaped(chart.x.label));
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    text += fmt::format(R"(<th scope="col" class="{}">{}{}</th>)", colour_class(i), escaped(series.name),
                        series.is_private ? "" : kNotPrivateTag);
  }
  text += "</tr></thead><tbody>\n";
  std::size_t number = 0;
  for (const auto& [x, row] : rows) {
    const bool last = number + 1 == rows.size();
    if (number++ % every != 0 && !last) continue;
    text += fmt::format(R"(<tr><th scope="row" data-v="{}">{}</th>)", x, x_text(chart, x));
    for (const Point* p : row) text += "<td>" + value_text(chart, p) + "</td>";
    text += "</tr>\n";
  }
  text += "</tbody></table>";
  if (every > 1) text += fmt::format("<p>One x in {} is shown; the data file has all.</p>", every);
  return text;
}

std::string legend(const std::vector<Series>& series) {
  std::string text = R"(<ul class="legend">)";
  for (std::size_t i = 0; i < series.size(); ++i) {
    text += fmt::format(R"(<li><svg viewBox="0 0 34 14" aria-hidden="true">{}</svg><span>{}{}</span></li>)",
                        svg_swatch(series[i], i), escaped(series[i].name), series[i].is_private ? "" : kNotPrivateTag);
  }
  return text + "</ul>";
}

}  // namespace sotto::report
