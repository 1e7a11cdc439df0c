#include "sotto/report/replication.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/report/html.h"

namespace sotto::report {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kSmallFile = 64 << 10;  // of which the page keeps a copy

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(ErrorKind::io, "cannot read " + path.string(), "figures");
  return text.str();
}

/// A plain name: an anchor, or a file in the folder and nowhere else.
void check_name(const std::string& name, std::string_view what) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (plain && !name.empty() && name[0] != '.') return;
  throw Error(ErrorKind::invalid_data,
              std::string(what) + ": must be letters, digits, '-', '_' and '.', not begin with '.'", std::string(what));
}

std::string text_at(const Json& json, const char* key) { return json.value(key, std::string()); }
double number_or_none(const Json& json, const char* key, double otherwise) {
  if (!json.contains(key)) return otherwise;
  return json.at(key).is_null() ? std::nan("") : json.at(key).get<double>();
}

Axis axis_from(const Json& json) {
  return {text_at(json, "label"), enum_by_name<Scale>(json.value("scale", std::string("linear")), "scale")};
}

Series series_from(const Json& json) {
  Series series{json.at("name").get<std::string>(), json.value("private", true)};
  for (const Json& p : json.at("points")) {
    const double sd = number_or_none(p, "sd", 0);
    series.points.push_back({p.at("x").get<double>(), number_or_none(p, "y", std::nan("")), sd > 0 ? sd : 0,
                             p.value("runs", std::uint64_t{0})});
  }
  return series;
}

Chart panel_from(const Json& json, const std::string& alt) {
  Chart chart{text_at(json, "title"), axis_from(json.at("x")), axis_from(json.at("y"))};
  for (const Json& series : json.at("series")) chart.series.push_back(series_from(series));
  chart.alt = chart.title.empty() ? alt : alt + " Panel: " + chart.title + ".";
  return chart;
}

std::string cell_from(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_null()) return "";
  return json.is_number_float() ? short_number(json.get<double>()) : json.dump();
}

Table table_from(const Json& json) {
  Table table{text_at(json, "title"), json.at("columns").get<std::vector<std::string>>(), {}};
  for (const Json& row : json.at("rows")) {
    std::vector<std::string> cells;
    for (const Json& cell : row) cells.push_back(cell_from(cell));
    table.rows.push_back(cells);
  }
  return table;
}

Verdict verdict_from(const Json& json) {
  if (json.is_string()) return {enum_by_name<VerdictKind>(json.get<std::string>(), "verdict"), ""};
  return {enum_by_name<VerdictKind>(json.at("kind").get<std::string>(), "verdict"), text_at(json, "text")};
}

PaperFigure figure_from(const Json& json) {
  PaperFigure result{json.at("paper").get<std::string>(), json.at("figure").get<std::string>(), {}};
  check_name(result.paper, "paper");
  Figure& figure = result.figure;
  figure.id = json.at("id").get<std::string>();
  check_name(figure.id, "id");
  figure.title = json.at("title").get<std::string>();
  figure.caption = text_at(json, "caption");
  figure.verdict = verdict_from(json.at("verdict"));
  const std::string alt = json.value("alt", figure.title);
  for (const Json& panel : json.value("panels", Json::array())) figure.panels.push_back(panel_from(panel, alt));
  for (const Json& table : json.value("tables", Json::array())) figure.tables.push_back(table_from(table));
  return result;
}

/// Runs `read` on the parsed file; whatever is wrong in it is told with its name.
template <class Read>
auto read_json(const fs::path& path, const Read& read) {
  try {
    return read(Json::parse(content_of(path)));
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::invalid_data, path.filename().string() + ": " + e.what(), "figures");
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::io) throw;
    throw Error(ErrorKind::invalid_data, path.filename().string() + ": " + e.what(), e.field());
  }
}

void add_data(PaperFigure& figure, const fs::path& folder, const fs::path& page) {
  const fs::path csv = folder / (figure.figure.id + ".csv");
  if (!fs::exists(csv)) return;
  const fs::path from = fs::absolute(page).parent_path();
  DataFile data{csv.filename().string(), fs::absolute(csv).lexically_relative(from).generic_string()};
  if (fs::file_size(csv) <= kSmallFile) data.text = content_of(csv);
  figure.figure.data = data;
}

Claim claim_from(const Json& json) {
  const Json& verdict = json.at("verdict");
  return {text_at(json, "paper"), json.at("claim").get<std::string>(), cell_from(json.value("published", Json(""))),
          cell_from(json.value("measured", Json(""))),
          verdict.is_object() ? verdict.at("kind").get<std::string>() : verdict.get<std::string>()};
}

}  // namespace

Replication read_replication(const std::string& folder, const std::string& page) {
  std::vector<std::string> names;
  Replication replication = read_json(fs::path(folder) / "report.json", [&](const Json& json) {
    Replication result{json.at("title").get<std::string>(), text_at(json, "introduction"), {}, {}};
    names = json.at("figures").get<std::vector<std::string>>();
    for (const std::string& name : names) check_name(name, "figures");
    for (const Json& claim : json.value("claims", Json::array())) result.claims.push_back(claim_from(claim));
    return result;
  });
  for (const std::string& name : names) {
    replication.figures.push_back(read_json(fs::path(folder) / name, figure_from));
    add_data(replication.figures.back(), folder, page);
  }
  return replication;
}

}  // namespace sotto::report
