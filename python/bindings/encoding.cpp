#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>

#include "bindings.h"
#include "interruptible.h"
#include "rows.h"
#include "sotto/base/error.h"
#include "sotto/data/dataset.h"
#include "sotto/data/draft.h"
#include "sotto/data/plain_weights.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/data/table_rows.h"
#include "sotto/engines/in_memory.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The schema of arrays: one numeric column a feature. `declared`: names, label, classes, data_norm (of the stored row),
/// intercept, lower, upper.
Encoder array_encoding(const nb::dict& declared) {
  Schema schema;
  schema.format = FileFormat::csv;
  const auto lower = nb::cast<std::vector<double>>(declared["lower"]);
  const auto upper = nb::cast<std::vector<double>>(declared["upper"]);
  require(lower.size() == upper.size(), "bounds", "as many lower as upper bounds are required");
  for (const std::string& name : nb::cast<std::vector<std::string>>(declared["names"])) {
    const std::size_t i = schema.columns.size();
    NumericColumn numeric;
    require(lower.empty() || i < lower.size(), "bounds", "are required for every feature or for none");
    if (!lower.empty()) numeric.range = Range{lower[i], upper[i]};
    schema.columns.push_back({name, numeric});
  }
  schema.label.column = nb::cast<std::string>(declared["label"]);
  schema.label.classes = nb::cast<std::vector<std::string>>(declared["classes"]);
  schema.data_norm = nb::cast<double>(declared["data_norm"]);
  schema.intercept = nb::cast<double>(declared["intercept"]);
  schema.complete = true;  // not by mark_complete: an array has no header
  return Encoder(std::move(schema));
}

std::vector<std::string> raw_names(const Encoder& encoder) {
  std::vector<std::string> names;
  for (const Column* column : encoder.used_columns()) names.push_back(column->name);
  return names;
}

std::vector<std::string> feature_names(const Encoder& encoder) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < encoder.features(); ++i) names.push_back(encoder.feature_name(i));
  return names;
}

nb::dict facts_of(const Encoder& encoder, std::uint64_t rows) {
  const Facts facts = encoder.facts(rows);
  nb::dict made;
  made["rows"] = facts.rows;
  made["features"] = facts.features;
  made["data_norm"] = facts.data_norm;
  made["classes"] = facts.classes;
  return made;
}

std::pair<std::vector<double>, std::vector<double>> plain_of(const Encoder& encoder, const Weights& weights) {
  PlainWeights plain = plain_weights(encoder, {weights.data(), weights.size()});
  return {std::move(plain.coefficients), std::move(plain.constants)};
}

/// (name, numbers, missing) or (name, places, texts, missing) for each column of a table; `missing` is the text of a cell
/// that has no value.
std::vector<TableColumn> table_from(const nb::list& given) {
  std::vector<TableColumn> table;
  for (const nb::handle item : given) {
    const auto parts = nb::cast<nb::tuple>(item);
    TableColumn column;
    column.name = nb::cast<std::string>(parts[0]);
    const std::size_t last = nb::len(parts) - 1;
    column.missing = nb::cast<std::string>(parts[last]);
    if (last == 2) {
      const auto numbers = nb::cast<Numbers>(parts[1], false);
      column.numbers = {numbers.data(), numbers.size()};
    } else {
      const auto places = nb::cast<CodeArray>(parts[1], false);
      column.places = {places.data(), places.size()};
      column.texts = nb::cast<std::vector<std::string>>(parts[2]);
    }
    table.push_back(std::move(column));
  }
  return table;
}

/// Rows of a table through the encoder, cell by cell as those of a file. Without labels for prediction.
Rows table_rows(const nb::list& given, const Encoder& encoding, bool labelled, bool counted) {
  struct Done {
    std::shared_ptr<const Dataset> rows;
    RowTally tally;
  };
  Done done = interruptible<Done>(
      [table = table_from(given), encoding, labelled, counted, held = keep(given)](const Report& report) {
        constexpr std::uint64_t kLookRows = 4096;
        TableReader reader(table);
        RowEncoder encoder(encoding, reader, labelled ? LabelUse::required : LabelUse::ignored);
        DatasetBuilder builder(encoding.facts(reader.rows()));
        RawRow raw;
        EncodedRow row;
        Done made{nullptr, encoding.empty_tally()};
        if (counted) encoder.count_into(&made.tally);
        while (reader.next(raw)) {
          if (raw.line % kLookRows == 0) report(0);
          encoder.encode(raw, row);
          row.send(builder);
        }
        made.rows = std::make_shared<const Dataset>(builder.finish());
        return made;
      });
  Rows rows;
  rows.facts = done.rows->facts();
  rows.view = done.rows->view();
  rows.owner = done.rows;
  rows.schema = encoding.schema();
  if (counted) rows.check = check_of(encoding, std::move(done.tally));
  return rows;
}

/// A first schema for a table from all of its cells, and why each column was drafted as it is. NOT FOR RELEASE.
std::pair<std::string, std::map<std::string, std::string>> draft_table(const nb::list& given, const std::string& text) {
  const auto work = [table = table_from(given), declared = schema_from_json(text), held = keep(given)](const Report&) {
    TableReader reader(table);
    return draft_schema(profile_rows(reader, declared.label.column), declared);
  };
  SchemaDraft draft = interruptible<SchemaDraft>(work);
  draft.schema.format = FileFormat::csv;
  std::map<std::string, std::string> why;
  for (DraftedColumn& each : draft.columns) why[each.column.name] = std::move(each.why);
  return {to_json(draft.schema), std::move(why)};
}

std::string confirmed(const std::string& text) {
  Schema schema = schema_from_json(text);
  confirm(schema);
  return to_json(schema);
}

std::string fingerprint_table(const nb::list& given) {
  return hex_of(interruptible<Digest>(
      [table = table_from(given), held = keep(given)](const Report&) { return fingerprint_of(table); }));
}

}  // namespace

void bind_encoding(nb::module_& module) {
  nb::class_<Encoder>(module, "Encoding", "The public map from raw columns to stored rows, of a complete schema.")
      .def(nb::init<const Encoder&>())
      .def_static(
          "from_json", [](const std::string& text) { return Encoder(schema_from_json(text)); }, nb::arg("text"))
      .def("__getstate__", [](const Encoder& e) { return to_json(e.schema()); })
      .def("__setstate__", [](Encoder& e, const std::string& text) { new (&e) Encoder(schema_from_json(text)); })
      .def("json", [](const Encoder& e) { return to_json(e.schema()); })
      .def("facts", &facts_of, nb::arg("rows"))
      .def("feature_names", &feature_names)
      .def("linear_map",
           [](const Encoder& e) {
             LinearMap map = linear_map(e);
             return std::pair(std::move(map.low), std::move(map.width));
           })
      .def("plain_weights", &plain_of, nb::arg("weights"))
      .def("largest_norm", &Encoder::largest_norm)
      .def("proposed_norm", [](const Encoder& e) { return proposed_norm(e.schema()); })
      .def_prop_ro("names", &raw_names)
      .def_prop_ro("label", [](const Encoder& e) { return e.schema().label.column; })
      .def_prop_ro("classes", [](const Encoder& e) { return class_texts(e.schema().label); })
      .def_prop_ro("data_norm", &Encoder::data_norm)
      .def_prop_ro("intercept", &Encoder::intercept)
      .def_prop_ro("features", &Encoder::features);
  module.def("array_encoding", &array_encoding, nb::arg("declared"));
  module.def(
      "schema_json", [](const std::string& text) { return to_json(schema_from_json(text)); }, nb::arg("text"));
  module.def(
      "complete_encoding",
      [](const std::string& text, const std::vector<std::string>& columns) {
        Schema schema = schema_from_json(text);
        schema.format = FileFormat::csv;
        return Encoder(complete_schema(std::move(schema), columns));
      },
      nb::arg("schema"), nb::arg("columns"));
  module.def("table_rows", &table_rows, nb::arg("table"), nb::arg("encoding"), nb::arg("labelled"),
             nb::arg("counted") = false);
  module.def("draft_table", &draft_table, nb::arg("table"), nb::arg("declared"));
  module.def(
      "spells_missing", [](const std::string& text) { return spells_missing(text); }, nb::arg("text"));
  module.def("confirmed", &confirmed, nb::arg("schema"));
  module.def(
      "unconfirmed", [](const std::string& text) { return unconfirmed(schema_from_json(text)); }, nb::arg("schema"));
  module.def("fingerprint_table", &fingerprint_table, nb::arg("table"));
}

}  // namespace sotto::python
