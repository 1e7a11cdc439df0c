#include "sotto/data/draft.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "capi/boundary.h"
#include "capi/column_types.h"
#include "sotto/data/schema_json.h"

// A first declaration of a table's columns, from its types and its rows. NOT FOR RELEASE.
namespace sotto::capi {
namespace {

using Json = nlohmann::ordered_json;

/// As a declaration of `features`: the kind is seen by its keys, and an empty cell is a NULL.
Json declaration(const Json& column) {
  Json given = column;
  given.erase("name");
  given.erase("kind");
  if (given.contains("scale") && given["scale"] == "linear") given.erase("scale");
  if (given.contains("missing") && given["missing"] == Json{""}) given["missing"] = true;
  return given;
}

/// Of a drafted schema: `features` and `options` of a registration, and why each column is drafted as it is.
Json declarations(const SchemaDraft& draft) {
  const Json schema = Json::parse(to_json(draft.schema));
  Json features = Json::object(), options = Json::object(), why = Json::object();
  for (std::size_t i = 0; i < draft.columns.size(); ++i) {
    const auto& [column, reason] = draft.columns[i];
    const bool used = !std::holds_alternative<IgnoredColumn>(column.kind);
    if (used) features[column.name] = declaration(schema["columns"][i]);
    why[column.name] = used ? reason : "left out: " + reason;
  }
  for (const char* key : {"classes", "negative", "positive", "public"}) {
    if (schema["label"].contains(key)) options[key] = schema["label"][key];
  }
  for (const char* key : {"data_norm", "intercept"}) {
    if (schema.contains(key)) options[key] = schema[key];
  }
  return Json{{"features", features}, {"options", options}, {"why", why}};
}

}  // namespace
}  // namespace sotto::capi

struct sotto_draft {
  sotto::Schema declared;
  sotto::TableProfiler profiler;
  std::vector<std::string_view> texts;
};

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_draft_new(const char* label, const char* types, const char* const* columns, size_t column_count,
                             sotto_draft** draft, sotto_error* error) {
  return guarded(error, [&] {
    *draft = new sotto_draft{declared_by_types(label, ColumnTypes(types)),
                             TableProfiler(RowShape::cells, {columns, columns + column_count}),
                             std::vector<std::string_view>(column_count)};
  });
}

void sotto_draft_free(sotto_draft* draft) { delete draft; }

sotto_status sotto_draft_row(sotto_draft* draft, const sotto_cell* cells) {
  return guarded(nullptr, [&] {
    for (std::size_t i = 0; i < draft->texts.size(); ++i) {
      draft->texts[i] = cells[i].data == nullptr ? std::string_view() : std::string_view(cells[i].data, cells[i].size);
    }
    RawRow row;
    row.cells = draft->texts;
    draft->profiler.add(row);
  });
}

sotto_status sotto_draft_finish(sotto_draft* draft, sotto_text* declarations, sotto_error* error) {
  return guarded(error, [&] {
    const TableProfile table = draft->profiler.finish(draft->declared.label.column);
    require(table.rows > 0, "source", "the table has no rows");
    const Json json = capi::declarations(draft_schema(table, draft->declared));
    *declarations = copy_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
}
