#include "data_flags.h"

#include "schema_flags.h"
#include "sotto/files/inspect.h"
#include "sotto/files/schema_file.h"

namespace sotto::cli {

SchemaFlags::SchemaFlags(CLI::App& app) : fields_(app, "Data"), projection_fields_(app, "Data") {
  const auto add = [&](const char* flag, auto& target, const char* help) {
    return app.add_option(flag, target, help)->group("Data")->type_name("");
  };
  add("--schema", file_, "JSON file that declares columns, bounds and label")->type_name("FILE");
  add("--label", label_, "the column of the label: its name, or its 1-based position in a file without header");
  add("--label-positive", positive_, "label texts that mean +1 (default 1), separated by commas; * for all others")
      ->delimiter(',');
  add("--label-negative", negative_, "label texts that mean -1 (default -1, 0), separated by commas; * for all others")
      ->delimiter(',');
  add("--classes", classes_, "the label's public classes, separated by commas; two are negative, positive")
      ->delimiter(',');
  add("--names", names_, "column names of a file without header, separated by commas")->delimiter(',');
  add("--range", ranges_, "NAME=MIN:MAX[:log1p], the public range of a numeric column; may be repeated");
  add("--range-all", range_all_, "MIN:MAX, the public range of every numeric column that declares none");
  add("--category", categories_, "NAME=VALUE,VALUE,..., the public values of a text column; may be repeated");
  add("--text", texts_, "a text column whose values are to be found; may be repeated");
  add("--ignore", ignored_, "a column to read past; may be repeated");
  app.add_flag("--no-header", no_header_,
               "the first line is a row, not the column names; columns are then called by position")
      ->group("Data");
  fields_.add_struct<Schema>();
  add("--projection", projection_, "reduce the features to --dimensions: none, gaussian or choose_features")
      ->type_name(one_of(choices_of<Reduction>()));
  projection_fields_.add_catalogue<Reduction>();
  app.add_flag("--assume-bounds-from-data", bounds_from_data_,
               "take bounds and categories from the rows; the model is then NOT PRIVATE")
      ->group("Data");
}

bool SchemaFlags::given() const {
  return !file_.empty() || !label_.empty() || !positive_.empty() || !negative_.empty() || !classes_.empty() ||
         !names_.empty() || !ranges_.empty() || !categories_.empty() || !texts_.empty() || !ignored_.empty() ||
         !range_all_.empty() || !projection_.empty() || no_header_ || bounds_from_data_ || !fields_.given().empty() ||
         !projection_fields_.given().empty();
}

bool SchemaFlags::private_norm() const {
  const auto norm = fields_.given().find("data_norm");
  return norm != fields_.given().end() && norm->second == "private";
}

Schema SchemaFlags::schema(const std::string& path) const {
  require(!private_norm(), "data_norm", "can be found privately by 'train' and 'data bounds' only");
  return bounds_from_data_ ? assume_bounds_from_data(path, declared()) : declared();
}

Schema SchemaFlags::declared() const {
  Schema schema = file_.empty() ? Schema{} : read_schema(file_);
  std::set<std::string> used;
  GivenFields given = fields_.given();
  if (private_norm()) given.erase("data_norm");
  apply_fields(schema, given, used);
  if (!label_.empty()) schema.label.column = label_;
  if (!positive_.empty()) schema.label.positive = positive_;
  if (!negative_.empty()) schema.label.negative = negative_;
  if (!classes_.empty()) schema.label.classes = classes_;
  if (!names_.empty()) schema.names = names_;
  if (no_header_ || !names_.empty()) schema.header = HeaderLine::absent;
  for (const std::string& flag : ranges_) declare_range(schema, flag);
  for (const std::string& flag : categories_) declare_category(schema, flag);
  for (const std::string& name : texts_) declare_text(schema, name);
  for (const std::string& name : ignored_) declare_ignored(schema, name);
  if (!range_all_.empty()) {
    Schema scratch;
    declare_range(scratch, "all=" + range_all_);
    schema.range = std::get<NumericColumn>(scratch.columns.front().kind).range;
  }
  if (!projection_.empty()) schema.projection = make_by_name<Reduction>(projection_, "projection");
  std::visit([&](auto& reduction) { apply_fields(reduction, projection_fields_.given(), used); }, schema.projection);
  for (const auto& [name, value] : projection_fields_.given()) {
    require(used.contains(name), name, "is for --projection gaussian or choose_features");
  }
  return schema;
}

}  // namespace sotto::cli
