#include <gtest/gtest.h>

#include "../cli/schema_flags.h"
#include "data_testing.h"
#include "sotto/data/schema.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/schema_file.h"

namespace sotto {
namespace {

using testing::contains;
using testing::error_of;
using testing::message_of;

Schema full_schema() {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.separator = ";";
  schema.skip_lines = 2;
  schema.header = HeaderLine::absent;
  schema.names = {"age", "income", "job", "date", "y"};
  schema.columns = {{"age", NumericColumn{Range{17, 90}, NumericScale::linear}},
                    {"income", NumericColumn{Range{0, 0.1 + 0.2}, NumericScale::log1p}},
                    {"job", CategoryColumn{{"admin", "\"quoted\"", "caf\xc3\xa9"}}},
                    {"date", IgnoredColumn{}}};
  schema.label = {"y", {"yes"}, {"no", "*"}};
  schema.range = Range{-1, 1};
  schema.features = 9;
  schema.labels_file = "labels";
  schema.data_norm = 1.0 / 3.0;
  schema.intercept = 0.5;
  schema.projection = GaussianProjection{7, 18446744073709551615U};
  schema.storage = Storage::dense;
  schema.bounds_from_data = true;
  return schema;
}

TEST(Schema, AJsonRoundTripKeepsEveryField) {
  EXPECT_EQ(schema_from_json(to_json(full_schema())), full_schema());
  EXPECT_EQ(schema_from_json(to_json(Schema{})), Schema{});
  Schema chosen = full_schema();
  chosen.projection = ChooseFeatures{3, 4};
  chosen.complete = true;
  EXPECT_EQ(schema_from_json(to_json(chosen)), chosen);
}

TEST(Schema, AHeaderIsDeclaredOrTakenForGrantedUntilTheColumnsAreListed) {
  EXPECT_EQ(schema_from_json("{}").header, HeaderLine::automatic);
  EXPECT_EQ(schema_from_json(R"({"header": true})").header, HeaderLine::present);
  EXPECT_EQ(schema_from_json(R"({"header": false})").header, HeaderLine::absent);
  EXPECT_EQ(schema_from_json(R"({"names": ["a"]})").header, HeaderLine::absent);
  EXPECT_EQ(schema_from_json(R"({"complete": true})").header, HeaderLine::present) << "as models of any version are";
  Schema schema;
  schema.label.column = "y";
  schema.data_norm = 1;
  for (const HeaderLine header : {HeaderLine::automatic, HeaderLine::present, HeaderLine::absent}) {
    schema.header = header;
    EXPECT_EQ(schema_from_json(to_json(schema)), schema);
  }
  schema.header = HeaderLine::automatic;
  EXPECT_TRUE(contains(to_json(complete_schema(schema, {"x", "y"})), "\"header\": true"));
}

TEST(Schema, AJsonRoundTripKeepsTheClasses) {
  Schema schema;
  schema.label.column = "y";
  schema.label.classes = {"setosa", "7", "caf\xc3\xa9", "-0.5"};
  EXPECT_EQ(schema_from_json(to_json(schema)), schema);
  EXPECT_EQ(class_count(schema.label), 4U);
  EXPECT_EQ(class_texts(schema.label), schema.label.classes);
  EXPECT_EQ(class_count(Label{}), 2U);
  EXPECT_EQ(class_texts(Label{"y", {"yes", "y"}, {"no", "n"}}), (std::vector<std::string>{"no", "yes"}));
}

TEST(Schema, ReadsWhatAHandWouldWrite) {
  const Schema schema = schema_from_json(R"({
    "columns": [{"name": "age", "kind": "numeric", "min": 17, "max": 90},
                {"name": "job", "kind": "category", "values": ["a", "b"]},
                {"name": "id", "kind": "ignore"}],
    "label": {"column": "y", "positive": ["yes"], "negative": ["no"]}, "intercept": 1})");
  EXPECT_EQ(schema.columns.size(), 3U);
  EXPECT_EQ(schema.header, HeaderLine::automatic);
  EXPECT_FALSE(schema.data_norm.has_value());
  EXPECT_EQ(row_norm_bound(schema), 1.0);
}

TEST(Schema, EveryMistakeInAFileIsNamed) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"({"colums": []})", "colums: unknown key"},
           {R"({"label": {"colunm": "y"}})", "label.colunm: unknown key"},
           {R"({"columns": [{"name": "a", "kind": "numeric", "values": []}]})", "columns[0].values: unknown key"},
           {R"({"columns": [{"name": "a", "kind": "number"}]})", "columns[0].kind"},
           {R"({"columns": [{"name": "a", "min": 1}]})", "min and max are declared together"},
           {R"({"columns": [{"name": "a", "min": 2, "max": 1}]})", "min < max"},
           {R"({"columns": [{"name": "a", "min": -1e308, "max": 1e308}]})", "finite"},
           {R"({"columns": [{"name": "a", "scale": "log1p"}]})", "scale log1p needs min and max"},
           {R"({"columns": [{"name": "a", "scale": "cubic"}]})", "linear or log1p"},
           {R"({"columns": [{"kind": "ignore"}]})", "needs a name"},
           {R"({"columns": [{"name": "a"}, {"name": "a"}]})", "declared twice"},
           {R"({"columns": [{"name": "a", "kind": "category", "values": ["u", "u"]}]})", "twice"},
           {R"({"columns": {"a": 1}})", "columns: must be a list"},
           {R"({"columns": [{"name": "y"}], "label": {"column": "y"}})", "is the label"},
           {R"({"label": {"positive": ["1"], "negative": ["1"]}})", "both positive and negative"},
           {R"({"label": {"positive": []}})", "positive must list"},
           {R"({"label": {"classes": ["a"]}})", "classes: got 1"},
           {R"({"label": {"classes": ["a", "b", "a"]}})", "'a' is listed twice"},
           {R"({"label": {"classes": ["1", "2", "1.0"]}})", "'1.0' is listed twice"},
           {R"({"label": {"classes": ["a", ""]}})", "empty text"},
           {R"({"label": {"classes": ["a", "b"], "positive": ["a"]}})", "not both"},
           {R"({"label": {"classes": [1, 2]}})", "label.classes: must be a text"},
           {R"({"label": "y"})", "label: must be an object"},
           {R"({"data_norm": 0})", "data_norm"},
           {R"({"data_norm": -1})", "data_norm"},
           {R"({"data_norm": "1"})", "data_norm: must be a number"},
           {R"({"data_norm": 1e31})", "data_norm"},
           {R"({"data_norm": 1, "data_norm": 2})", "'data_norm' appears twice"},
           {R"({"header": 1})", "header: must be true or false"},
           {R"({"features": -1})", "features: must be a whole number"},
           {R"({"features": 1.5})", "features: must be a whole number"},
           {R"({"features": 99999999})", "features: must be at most"},
           {R"({"skip_lines": 4294967296})", "skip_lines: must be a whole number from 0 to 4294967295"},
           {R"({"names": ["a"], "header": true})", "names"},
           {R"({"names": [1]})", "names: must be a text"},
           {R"({"format": "xml"})", "auto, csv, libsvm or idx"},
           {R"({"projection": {"kind": "gaussian", "dimensions": 0}})", "dimensions"},
           {R"({"projection": {"kind": "gaussian"}})", "dimensions: declare how many"},
           {R"({"projection": {"kind": "choose_features", "key": 3}})", "dimensions: declare how many"},
           {R"({"projection": {"kind": "gaussian", "seed": 0}})", "projection.seed: unknown key"},
           {R"({"projection": {"kind": "none", "key": 0}})", "projection.key: unknown key"},
           {R"({"range": {"min": 0}})", "together"},
           {R"([])", "must be an object"},
           {R"({"columns": [[[[[[[[[[[]]]]]]]]]]]})", "nested too deeply"},
           {R"({"data_norm": 1e999})", "number out of range"},
           {"", "is not JSON"},
           {"{\"a\"", "is not JSON"}}) {
    const auto [kind, message] = error_of([&] { schema_from_json(text); });
    EXPECT_EQ(kind, ErrorKind::invalid_argument) << text;
    EXPECT_TRUE(contains(message, expected)) << text << " gave: " << message;
  }
}

TEST(Schema, ADataFileGivenAsSchemaIsNotQuoted) {
  const testing::TempFile file("rows.csv", "SECRET,1\nSECRET,2\n");
  const std::string message = message_of([&] { read_schema(file.path()); });
  EXPECT_TRUE(contains(message, "rows.csv")) << message;
  EXPECT_FALSE(contains(message, "SECRET")) << message;
}

TEST(Schema, FlagsDeclareColumns) {
  Schema schema;
  cli::declare_range(schema, "age=17:90");
  cli::declare_range(schema, "income=0:1e5:log1p");
  cli::declare_category(schema, "job=admin,<=50K,");
  cli::declare_ignored(schema, "id");
  cli::declare_range(schema, "age=-1:+100");
  EXPECT_EQ(schema.columns, (std::vector<Column>{{"age", NumericColumn{Range{-1, 100}, NumericScale::linear}},
                                                 {"income", NumericColumn{Range{0, 1e5}, NumericScale::log1p}},
                                                 {"job", CategoryColumn{{"admin", "<=50K", ""}}},
                                                 {"id", IgnoredColumn{}}}));
  for (const char* bad : {"age", "=1:2", "age=", "age=1", "age=2:1", "age=1:1", "age=a:b", "age=1:2:3", "age=nan:1",
                          "age=1:inf:linear:x"}) {
    EXPECT_TRUE(contains(message_of([&] { cli::declare_range(schema, bad); }), "name=min:max")) << bad;
  }
  EXPECT_TRUE(contains(message_of([&] { cli::declare_category(schema, "job"); }), "name=value"));
  EXPECT_TRUE(contains(message_of([&] { cli::declare_ignored(schema, ""); }), "ignore"));
}

TEST(Schema, WithoutBoundsItRefusesAndListsWhatToDeclare) {
  Schema schema;
  schema.label.column = "y";
  cli::declare_range(schema, "b=0:1");
  cli::declare_category(schema, "d=u,v");
  schema.columns.push_back({"c", NumericColumn{}});
  const std::vector<std::string> names = {"a", "b", "c", "d", "y"};
  const auto [kind, message] = error_of([&] { check_declared(schema, names); });
  EXPECT_EQ(kind, ErrorKind::invalid_argument);
  EXPECT_TRUE(contains(message, "no public bounds for a, c;")) << message;
  EXPECT_TRUE(contains(message, "declare for each a range")) << message;
  schema.data_norm = 2.0;
  EXPECT_NO_THROW(check_declared(schema, names));
  schema.data_norm.reset();
  schema.range = Range{0, 1};
  EXPECT_NO_THROW(check_declared(schema, names));
}

TEST(Schema, ACategoryNeedsItsListEvenWithADataNorm) {
  Schema schema;
  schema.label.column = "y";
  schema.data_norm = 1.0;
  schema.columns.push_back({"a", CategoryColumn{}});
  EXPECT_TRUE(contains(message_of([&] { check_declared(schema, {"a", "y"}); }), "no public bounds for a"));
}

TEST(Schema, NamesPastSkippedLinesAreNotShown) {
  Schema schema;
  schema.label.column = "1";
  schema.skip_lines = 7;
  const std::string message = message_of([&] { check_declared(schema, {"SECRET", "39", "1"}); });
  EXPECT_TRUE(contains(message, "no public bounds for 2 columns;")) << message;
  EXPECT_FALSE(contains(message, "SECRET")) << message;
}

TEST(Schema, NamesOfAFileWithoutTheLabelAreNotShown) {
  Schema schema;
  EXPECT_TRUE(contains(message_of([&] { check_declared(schema, {"SECRET"}); }), "declare which column is the label"));
  schema.label.column = "y";
  const std::string message = message_of([&] { check_declared(schema, {"SECRET", "39"}); });
  EXPECT_TRUE(contains(message, "no column y among its 2")) << message;
  EXPECT_FALSE(contains(message, "SECRET")) << message;
}

TEST(Schema, ADeclaredColumnThatIsNotThereIsToldByName) {
  Schema schema;
  schema.label.column = "y";
  cli::declare_range(schema, "b=0:1");
  EXPECT_TRUE(contains(message_of([&] { check_declared(schema, {"a", "y"}); }), "the file has no column b"));
}

TEST(Schema, AColumnThatIsMisspeltIsToldByItsNearestNameWhereNamesAreNoRow) {
  const auto hint_of = [](const Schema& schema, const std::vector<std::string>& names) {
    try {
      check_declared(schema, names);
    } catch (const Error& error) {
      return error.hint();
    }
    return Hint{};
  };
  Schema schema;
  schema.label.column = "income";
  cli::declare_range(schema, "agee=0:1");
  EXPECT_EQ(hint_of(schema, {"age", "income"}).arguments, std::vector<std::string>{"age"});
  EXPECT_EQ(hint_of(schema, {"age", "incom"}).kind, HintKind::none) << "nothing declared is there";
  cli::declare_range(schema, "job=0:1");
  EXPECT_EQ(hint_of(schema, {"age", "job", "incom"}).arguments, std::vector<std::string>{"incom"});
  schema.skip_lines = 1;
  EXPECT_EQ(hint_of(schema, {"age", "job", "incom"}).kind, HintKind::none);
  EXPECT_EQ(hint_of(schema, {"age", "income"}).kind, HintKind::none);
}

TEST(Schema, CompletingPutsEveryColumnInFileOrder) {
  Schema schema;
  schema.label.column = "y";
  schema.data_norm = 1.0;
  cli::declare_range(schema, "b=0:1");
  const Schema complete = complete_schema(schema, {"row_names", "a", "y", "b"});
  EXPECT_EQ(complete.columns, (std::vector<Column>{{"row_names", IgnoredColumn{}},
                                                   {"a", NumericColumn{}},
                                                   {"b", NumericColumn{Range{0, 1}, NumericScale::linear}}}));
  EXPECT_TRUE(complete.complete);
}

}  // namespace
}  // namespace sotto
