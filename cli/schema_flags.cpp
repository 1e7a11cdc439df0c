#include "schema_flags.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/data/number.h"

namespace sotto::cli {
namespace {

void declare(Schema& schema, Column column) {
  for (Column& declared : schema.columns) {
    if (declared.name == column.name) {
      declared = std::move(column);
      return;
    }
  }
  schema.columns.push_back(std::move(column));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The name before the first '=', and the rest. A name with a '=' in it needs a schema file.
std::pair<std::string, std::string_view> name_and_rest(std::string_view flag, std::string_view field_name,
                                                       const std::string& form) {
  const std::size_t equals = flag.find('=');
  require(equals != flag.npos && equals > 0 && equals + 1 < flag.size(), field_name,
          "got '" + std::string(flag) + "', must be written " + form);
  return {std::string(flag.substr(0, equals)), flag.substr(equals + 1)};
}

}  // namespace

void declare_range(Schema& schema, std::string_view flag) {
  auto [name, rest] = name_and_rest(flag, "range", "name=min:max or name=min:max:log1p");
  const std::vector<std::string> parts = split(rest, ':');
  NumericColumn numeric;
  const bool logarithmic = parts.size() == 3 && parts[2] == "log1p";
  const bool well_formed = parts.size() == 2 || logarithmic || (parts.size() == 3 && parts[2] == "linear");
  if (well_formed) numeric.range = Range{parse_number(parts[0]), parse_number(parts[1])};
  require(well_formed && std::isfinite(numeric.range->min) && numeric.range->min < numeric.range->max, "range",
          "got '" + std::string(flag) + "', must be written name=min:max or name=min:max:log1p with min < max");
  if (logarithmic) numeric.scale = NumericScale::log1p;
  declare(schema, {std::move(name), numeric});
}

void declare_category(Schema& schema, std::string_view flag) {
  auto [name, rest] = name_and_rest(flag, "category", "name=value,value,...");
  declare(schema, {std::move(name), CategoryColumn{split(rest, ',')}});
}

void declare_ignored(Schema& schema, std::string_view name) {
  require(!name.empty(), "ignore", "needs the name of a column");
  declare(schema, {std::string(name), IgnoredColumn{}});
}

void declare_text(Schema& schema, std::string_view name) {
  require(!name.empty(), "text", "needs the name of a column");
  declare(schema, {std::string(name), CategoryColumn{}});
}

}  // namespace sotto::cli
