#include "sotto/report/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/base/fields.h"
#include "sotto/data/schema_json.h"
#include "sotto/model/prediction.h"
#include "sotto/report/html.h"

namespace sotto::report {
namespace {

constexpr std::size_t kMaxColumns = 100;
constexpr std::size_t kMaxValues = 12;

std::string list_words(const std::vector<std::string>& values) {
  const std::size_t shown = std::min(values.size(), kMaxValues);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = fmt::format("{}", fmt::join(values.begin(), end, ", "));
  return shown < values.size() ? text + fmt::format(" and {} more", values.size() - shown) : text;
}

struct Words {
  std::string kind;
  std::string declared;
};

Words words_of(const NumericColumn& column) {
  const auto& range = column.range;
  std::string text = range ? fmt::format("{} to {}", short_number(range->min), short_number(range->max))
                           : "no range; long rows are scaled down";
  if (range && column.scale == NumericScale::log1p) text += ", on a logarithmic scale";
  if (!column.missing.empty()) text += "; missing where it says " + list_words(column.missing);
  return {"number", text};
}
Words words_of(const CategoryColumn& column) {
  return {counted(column.values.size(), "category", "categories"), list_words(column.values)};
}
Words words_of(const IgnoredColumn&) { return {"not used", "read past"}; }

Table table_of(const Schema& schema) {
  Table table{"Columns of the rows", {"Column", "Kind", "Declared"}, {}};
  for (const Column& column : schema.columns) {
    if (table.rows.size() == kMaxColumns) break;
    Words words = std::visit([](const auto& kind) { return words_of(kind); }, column.kind);
    if (!column.is_public) words.declared += " (suggested from the rows, not confirmed)";
    table.rows.push_back({column.name, words.kind, words.declared});
  }
  if (schema.columns.size() > kMaxColumns) {
    table.rows.push_back({counted(schema.columns.size() - kMaxColumns, "more", "more"), "", ""});
  }
  return table;
}

std::string rows_words(const TrainingReport& report) {
  if (report.model.card.rows == 0) return "a private number of rows";
  const std::string rows = counted(report.model.card.rows, "row", "rows");
  const bool all = report.ledger && report.ledger->terms.rows == report.model.card.rows;
  return all ? rows + ", all of the ledger's" : rows;
}

std::string data_set_words(const TrainingReport& report) {
  const std::string& id = report.ledger ? report.ledger->terms.id : report.model.card.budget.ledger;
  return id.empty() ? "not stated: no ledger knows the rows"
                    : fmt::format("the rows of ledger {:.12}, which it knows by their content", id);
}

std::string found_words(const Schema& schema) {
  if (schema.bounds_from_data) return "Something here was read from the rows without noise: the model is not private.";
  if (!schema.bounds_cost) return "";
  return fmt::format(
      "Some of it was found in the rows privately, for epsilon {} and delta {}. The promise includes that.",
      short_number_up(schema.bounds_cost->epsilon), delta_text(schema.bounds_cost->delta));
}

std::string table_html(const Model& model, const Schema& schema) {
  if (schema.columns.empty()) {
    return paragraph(fmt::format("The model does not name its columns. It has {}.",
                                 counted(model.card.features, "feature", "features")));
  }
  std::string text = html_of(table_of(schema));
  text +=
      "<p><small>A number outside its range is moved to the nearer end. A category that is not listed counts as none. "
      "What is declared is public: it stands in the model file.</small></p>";
  return text;
}

}  // namespace

std::string columns_section(const TrainingReport& report) {
  const Model& model = report.model;
  const PrivacyCard& card = model.card;
  const Json encoding = Json::parse(model.encoding);
  const Schema schema = encoding.empty() ? Schema{} : schema_from_json(model.encoding);
  const bool label_known = !encoding.empty() && !schema.label.column.empty();
  Facts facts;
  facts.add("Data set", data_set_words(report)).add("Rows", rows_words(report));
  facts.add("Label",
            fmt::format("{}{}", label_known ? schema.label.column + ": " : "", list_words(class_texts(model))));
  facts.add("Features", fmt::format("{} after encoding", short_number(card.features)));
  if (card.data_norm > 0) {
    facts.add("Length of a row", fmt::format("at most {}; longer ones are scaled down", short_number(card.data_norm)));
  }
  std::string text = R"(<section id="data"><h2>Data</h2><div class="box">)" + facts.html();
  const std::string found = found_words(schema);
  if (!found.empty()) text += paragraph(found);
  return text + table_html(model, schema) + "</div></section>\n";
}

}  // namespace sotto::report
