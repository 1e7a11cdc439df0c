#include "sotto/data/row_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMostUnusable = 10;  // one row in so many
constexpr std::uint64_t kMostHalved = 10;
constexpr std::uint64_t kNotablyHalved = 100;
constexpr std::uint64_t kNotablyOutside = 10;
constexpr std::size_t kColumnsShown = 12;

bool more_than(std::uint64_t part, std::uint64_t one_in, std::uint64_t whole) noexcept { return part * one_in > whole; }

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return std::to_string(part);
  return fmt::format("{} ({:.3g} %)", part, 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

/// The column with the most of something, and how much that is; the first of equals.
template <class Count>
std::pair<std::size_t, std::uint64_t> most_of(const RowTally& tally, const Count& count) {
  std::pair<std::size_t, std::uint64_t> most{0, 0};
  for (std::size_t i = 0; i < tally.columns.size(); ++i) {
    if (count(tally.columns[i]) > most.second) most = {i, count(tally.columns[i])};
  }
  return most;
}

std::string name_at(const RowCheck& check, std::size_t column) {
  return column < check.columns.size() ? "column '" + check.columns[column].name + "'" : "the constant feature";
}

/// A number everywhere in the declaration, and in no row.
bool holds_texts(const RowCheck& check, std::size_t column) {
  const ColumnTally& tally = check.tally.columns[column];
  return check.columns[column].numeric && tally.known == 0 && tally.of(ProblemKind::not_a_number) > 0;
}

struct Pull {
  std::string who;
  double share = 0;
  std::size_t column = 0;
};
/// Who makes clipped rows long.
Pull largest_pull(const RowCheck& check) {
  const auto [column, pull] = most_of(check.tally, [](const ColumnTally& each) { return each.pull; });
  const double whole = static_cast<double>(check.tally.clipped) * ColumnTally::kWholePull;
  return {name_at(check, column), static_cast<double>(pull) / whole, column};
}

std::string pull_text(const Pull& pull) {
  return fmt::format("{} has {:.3g} % of their squared length", pull.who, 100 * pull.share);
}

/// "12 empty cell, 3 not a number, constant"; empty if there is nothing to say.
std::string column_text(const ColumnTally& column) {
  std::vector<std::string> words;
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    if (column.problems[kind] == 0) continue;
    words.push_back(fmt::format("{} {}", column.problems[kind], name_of(static_cast<ProblemKind>(kind))));
  }
  if (column.constant()) words.emplace_back("constant");
  return fmt::format("{}", fmt::join(words, ", "));
}

nlohmann::ordered_json column_json(const ColumnTally& column) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    if (column.problems[kind] > 0) json[std::string(name_of(static_cast<ProblemKind>(kind)))] = column.problems[kind];
  }
  if (column.constant()) json["constant"] = true;
  return json;
}

/// Name and text of every line of the table.
using Lines = std::vector<std::pair<std::string, std::string>>;

void add_columns(const RowCheck& check, Lines& lines) {
  std::size_t left = 0;
  const std::size_t most = lines.size() + kColumnsShown;
  for (std::size_t i = 0; i < check.columns.size(); ++i) {
    const std::string text = column_text(check.tally.columns[i]);
    if (text.empty()) continue;
    if (lines.size() < most) {
      lines.emplace_back(check.columns[i].name, text);
    } else {
      ++left;
    }
  }
  if (left > 0) lines.emplace_back("...", fmt::format("and {} more columns", left));
}

std::string labels_text(const RowCheck& check) {
  std::string text;
  for (std::size_t k = 0; k < check.tally.classes.size() && k < kColumnsShown; ++k) {
    text += fmt::format("{}{} of {}", k == 0 ? "" : ", ", check.tally.classes[k], check.classes.at(k));
  }
  if (check.tally.classes.size() > kColumnsShown)
    text += fmt::format(", {} classes in all", check.tally.classes.size());
  return text + fmt::format(", {} not declared", check.tally.unknown_labels);
}

/// Without a count: a host may keep messages in a log whose readers must not read the rows. The table has the counts.
[[noreturn]] void stop(const std::string& why, std::vector<std::string> hint) {
  throw Error(ErrorKind::invalid_data, "data: " + why + "; nothing was charged", "data",
              {HintKind::declare_column, std::move(hint)});
}

void require_usable(const RowCheck& check) {
  const RowTally& tally = check.tally;
  if (!more_than(tally.unusable, kMostUnusable, tally.rows)) return;
  const auto [column, count] = most_of(tally, [](const ColumnTally& each) { return each.spoiled(); });
  const std::string rows = "more than a tenth of the rows cannot be used and would be zero";
  if (tally.unknown_labels >= count) stop(rows + "; most often their label is not declared", {"labels", check.label});
  const std::string name = check.columns.at(column).name;
  stop(fmt::format("{}; column '{}' has the most cells without a number", rows, name), {"numbers", name});
}

}  // namespace

RowCheck check_of(const Encoder& encoder, RowTally tally) {
  const Schema& schema = encoder.schema();
  RowCheck check{std::move(tally), {}, class_texts(schema.label), schema.label.column, schema.data_norm.has_value()};
  for (const Column* column : encoder.used_columns()) {
    check.columns.push_back({column->name, std::holds_alternative<NumericColumn>(column->kind)});
  }
  if (check.columns.empty()) check.columns.push_back({"values", true});
  return check;
}

Schema checkable(Schema declared) {
  if (!declared.data_norm) declared.data_norm = kMaxDataNorm;
  if (declared.intercept == 0) declared.intercept = 1;  // something is left, whatever is left out
  for (Column& column : declared.columns) {
    const auto* category = std::get_if<CategoryColumn>(&column.kind);
    if (category != nullptr && category->values.empty()) column.kind = IgnoredColumn{};
  }
  return declared;
}

std::string check_text(const RowCheck& check) {
  const RowTally& tally = check.tally;
  Lines lines{{"rows", std::to_string(tally.rows)}};
  lines.emplace_back("unusable", share_text(tally.unusable, tally.rows) + (tally.unusable > 0 ? ", made zero" : ""));
  lines.emplace_back("clipped", share_text(tally.clipped, tally.rows));
  if (tally.clipped > 0) {
    lines.back().second += fmt::format(", to below half of their length {}", share_text(tally.halved, tally.rows));
    if (!check.norm_declared) lines.emplace_back("", "by the usual norm, since data_norm was not declared");
    lines.emplace_back("", pull_text(largest_pull(check)));
  }
  lines.emplace_back("labels", labels_text(check));
  add_columns(check, lines);
  std::size_t width = 0;
  for (const auto& [name, text] : lines) width = std::max(width, name.size());
  std::string table = fmt::format("check of the rows ({})", kCheckRemark);
  for (const auto& [name, text] : lines) table += fmt::format("\n  {:<{}}  {}", name, width, text);
  return table;
}

std::string check_json(const RowCheck& check) {
  const RowTally& tally = check.tally;
  nlohmann::ordered_json json{{"remark", kCheckRemark}, {"rows", tally.rows}};
  json["zero_rows"] = tally.unusable;
  json["clipped"] = tally.clipped;
  json["clipped_to_below_half"] = tally.halved;
  if (tally.clipped > 0) {
    const Pull pull = largest_pull(check);
    json["longest"] = {{"column", pull.column < check.columns.size() ? check.columns[pull.column].name : pull.who},
                       {"share", pull.share}};
  }
  json["classes"] = nlohmann::ordered_json::object();
  for (std::size_t k = 0; k < tally.classes.size(); ++k) json["classes"][check.classes.at(k)] = tally.classes[k];
  json["problems"] = nlohmann::ordered_json::object();
  json["columns"] = nlohmann::ordered_json::object();
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    const auto problem = static_cast<ProblemKind>(kind);
    if (tally.of(problem) > 0) json["problems"][std::string(name_of(problem))] = tally.of(problem);
  }
  for (std::size_t i = 0; i < check.columns.size(); ++i) {
    nlohmann::ordered_json column = column_json(tally.columns[i]);
    if (!column.empty()) json["columns"][check.columns[i].name] = std::move(column);
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool is_notable(const RowCheck& check) {
  const RowTally& tally = check.tally;
  const auto strange = [&](const ColumnTally& column) {
    const std::uint64_t others = column.of(ProblemKind::undeclared_category);
    return more_than(column.of(ProblemKind::out_of_range), kNotablyOutside, tally.rows) ||
           (others > 0 && column.known == 0);
  };
  if (tally.rows == 0) return false;
  return tally.unusable > 0 || more_than(tally.halved, kNotablyHalved, tally.rows) ||
         std::ranges::count(tally.classes, 0U) > 0 || std::ranges::any_of(tally.columns, strange);
}

void require_sound(const RowCheck& check) {
  const RowTally& tally = check.tally;
  for (std::size_t i = 0; i < check.columns.size(); ++i) {
    if (!holds_texts(check, i)) continue;
    const std::string& name = check.columns[i].name;
    stop(fmt::format("column '{}' holds texts, and no categories are declared for it", name), {"texts", name});
  }
  if (tally.rows > 0 && tally.unknown_labels == tally.rows) {
    stop(check.label.empty() ? "no row has a declared label"
                             : fmt::format("column '{}' holds no label that is declared", check.label),
         {"labels", check.label});
  }
  require_usable(check);
  if (!check.norm_declared || !more_than(tally.halved, kMostHalved, tally.rows)) return;
  const Pull pull = largest_pull(check);
  stop(fmt::format("more than a tenth of the rows would be clipped to below half of their length; {} makes them long",
                   pull.who),
       {"norm", pull.column < check.columns.size() ? check.columns[pull.column].name : ""});
}

}  // namespace sotto
