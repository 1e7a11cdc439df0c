#include <gtest/gtest.h>

#include <cmath>

#include "../cli/schema_flags.h"
#include "data_testing.h"
#include "sotto/data/encoder.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/libsvm_reader.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

using testing::contains;
using testing::message_of;

Schema people() {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.label = {"y", {"yes"}, {"no"}};
  schema.data_norm = 10.0;
  schema.intercept = 0;
  cli::declare_range(schema, "age=20:60");
  cli::declare_range(schema, "income=0:100:log1p");
  cli::declare_category(schema, "job=admin,clerk");
  cli::declare_ignored(schema, "id");
  return schema;
}
const std::vector<std::string> kPeopleColumns = {"id", "age", "job", "income", "y"};

Encoder people_encoder(Schema schema = people()) { return Encoder(complete_schema(std::move(schema), kPeopleColumns)); }

EncodedRow encode_csv(const Encoder& encoder, const std::string& text, LabelUse use = LabelUse::required) {
  CsvReader reader(std::make_unique<MemorySource>(text), CsvLayout{});
  RowEncoder rows(encoder, reader, use);
  RawRow raw;
  EncodedRow row;
  EXPECT_TRUE(reader.next(raw));
  rows.encode(raw, row);
  return row;
}
EncodedRow encode_person(const Encoder& encoder, const std::string& cells) {
  return encode_csv(encoder, "id,age,job,income,y\n" + cells + "\n");
}

TEST(Encoder, ScalesNumbersAndSpreadsCategories) {
  Schema schema = people();
  schema.intercept = 0.5;
  const EncodedRow row = encode_person(people_encoder(schema), "1,30,clerk,9,yes");
  ASSERT_FALSE(row.sparse);
  ASSERT_EQ(row.values.size(), 5U);
  EXPECT_FLOAT_EQ(row.values[0], 0.25F);
  EXPECT_EQ(row.values[1], 0.0F);
  EXPECT_EQ(row.values[2], 1.0F);
  EXPECT_FLOAT_EQ(row.values[3], static_cast<float>(std::log(10.0) / std::log(101.0)));
  EXPECT_EQ(row.values[4], 0.5F);
  EXPECT_EQ(row.label, 1.0F);
  EXPECT_TRUE(row.problems.empty());
}

TEST(Encoder, FeatureNamesTellWhereAFeatureComesFrom) {
  Schema schema = people();
  schema.intercept = 1.0;
  const Encoder encoder = people_encoder(schema);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < encoder.features(); ++i) names.push_back(encoder.feature_name(i));
  EXPECT_EQ(names, (std::vector<std::string>{"age", "job=admin", "job=clerk", "income", "intercept"}));
  EXPECT_TRUE(contains(message_of([&] { encoder.feature_name(5); }), "5 features"));
  schema.projection = GaussianProjection{2, 1};
  EXPECT_EQ(people_encoder(schema).feature_name(1), "projection_2");
}

TEST(Encoder, ValuesOutsideTheirRangeAreMovedToItsEnds) {
  const Encoder encoder = people_encoder();
  const EncodedRow row = encode_person(encoder, "1,99,admin,-5,no");
  EXPECT_EQ(row.values, (std::vector<float>{1.0F, 1.0F, 0.0F, 0.0F}));
  EXPECT_EQ(row.label, -1.0F);
  ASSERT_EQ(row.problems.size(), 2U);
  EXPECT_EQ(row.problems[0].column, 2U);
  EXPECT_EQ(row.problems[0].kind, ProblemKind::out_of_range);
  EXPECT_EQ(row.problems[1].column, 4U);
}

TEST(Encoder, AnUndeclaredCategoryIsTheNamelessOtherValue) {
  const EncodedRow row = encode_person(people_encoder(), "1,60,astronaut,100,yes");
  EXPECT_EQ(row.values, (std::vector<float>{1.0F, 0.0F, 0.0F, 1.0F}));
  ASSERT_EQ(row.problems.size(), 1U);
  EXPECT_EQ(row.problems[0].kind, ProblemKind::undeclared_category);
}

TEST(Encoder, ABadNumberOrLabelMakesTheWholeRowZero) {
  Schema schema = people();
  schema.intercept = 1.0;
  for (const Reduction& reduction :
       {Reduction{NoProjection{}}, Reduction{GaussianProjection{3, 1}}, Reduction{ChooseFeatures{2, 1}}}) {
    schema.projection = reduction;
    const Encoder encoder = people_encoder(schema);
    for (const auto& [cells, kind] :
         std::vector<std::pair<std::string, ProblemKind>>{{"1,x,admin,5,no", ProblemKind::not_a_number},
                                                          {"1,nan,admin,5,no", ProblemKind::not_a_number},
                                                          {"1,inf,admin,5,no", ProblemKind::not_finite},
                                                          {"1,-1e999,admin,5,no", ProblemKind::not_finite},
                                                          {"1,,admin,5,no", ProblemKind::empty_cell},
                                                          {"1,30,admin,5,maybe", ProblemKind::unknown_label},
                                                          {"1,30,admin,5,", ProblemKind::unknown_label}}) {
      const EncodedRow row = encode_person(encoder, cells);
      EXPECT_EQ(row.values, std::vector<float>(encoder.features(), 0.0F)) << cells;
      EXPECT_EQ(row.label, 1.0F) << cells;
      ASSERT_EQ(row.problems.size(), 1U) << cells;
      EXPECT_EQ(row.problems[0].kind, kind) << cells;
    }
  }
}

TEST(Encoder, AnIgnoredColumnMayHoldAnything) {
  EXPECT_TRUE(encode_person(people_encoder(), "nan,30,admin,5,no").problems.empty());
}

TEST(Encoder, ClipsAfterTheInterceptWasAppended) {
  Schema schema = people();
  schema.data_norm = 1.0;
  schema.intercept = 1.0;
  const EncodedRow row = encode_person(people_encoder(schema), "1,60,admin,100,yes");
  for (const std::size_t i : {0, 1, 3, 4}) EXPECT_FLOAT_EQ(row.values[i], 0.5F);
}

TEST(Encoder, AnInterceptThatIsNotSaidIsOneBesideFeaturesInTheirRanges) {
  Schema schema = people();
  schema.intercept.reset();
  for (const double norm : {0.01, 10.0}) {
    schema.data_norm = norm;
    const Encoder encoder = people_encoder(schema);
    EXPECT_EQ(encoder.intercept(), 1.0);
    EXPECT_EQ(encoder.feature_name(4), "intercept");
  }
  EXPECT_EQ(encode_person(people_encoder(schema), "1,20,other,0,yes").values, (std::vector<float>{0, 0, 0, 0, 1}));
  schema.columns.clear();
  schema.range = Range{0, 100};
  cli::declare_category(schema, "job=admin,clerk");
  schema.data_norm = 0.01;
  EXPECT_EQ(people_encoder(schema).intercept(), 1.0);
}

// Beside numbers of a thousandth an intercept of 1 would leave a thousandth of them when the row is clipped.
TEST(Encoder, AnInterceptThatIsNotSaidIsNoLargerThanTheNormOfNumbersAsTheyAre) {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.label.column = "y";
  for (const auto& [norm, intercept] : std::vector<std::pair<double, double>>{{0.001, 0.001}, {1, 1}, {1000, 1}}) {
    schema.data_norm = norm;
    EXPECT_EQ(Encoder{complete_schema(schema, {"a", "y"})}.intercept(), intercept);
  }
  schema.intercept = 5;
  EXPECT_EQ(Encoder{complete_schema(schema, {"a", "y"})}.intercept(), 5);
  schema.intercept = 0;
  EXPECT_EQ(Encoder{complete_schema(schema, {"a", "y"})}.features(), 1U);
}

TEST(Encoder, ASchemaThatWasSavedWithoutAnInterceptHasNone) {
  const std::string stored =
      R"({"format": "csv", "columns": [{"name": "a", "min": 0, "max": 1}], "label": {"column": "y"},)";
  const Schema complete = schema_from_json(stored + R"("complete": true})");
  EXPECT_EQ(Encoder(complete).features(), 1U);
  EXPECT_EQ(complete, schema_from_json(stored + R"("intercept": 0.0, "complete": true})"));
  EXPECT_FALSE(schema_from_json(stored + R"("complete": false})").intercept);
}

TEST(Encoder, TheLargestNormIsThatOfEveryColumnAtItsEnd) {
  Schema schema = people();
  schema.intercept = -0.5;
  const Encoder encoder = people_encoder(schema);
  const EncodedRow row = encode_person(encoder, "1,70,clerk,200,yes");
  double squares = 0;
  for (const float v : row.values) squares += static_cast<double>(v) * v;
  EXPECT_NEAR(encoder.largest_norm().value(), std::sqrt(squares), 1e-6);
  EXPECT_NEAR(encoder.largest_norm().value(), std::sqrt(3.25), 1e-12);
  schema.projection = ChooseFeatures{.dimensions = 2, .key = 1};
  EXPECT_NEAR(people_encoder(schema).largest_norm().value(), 1.5, 1e-12);
  schema.projection = GaussianProjection{.dimensions = 2, .key = 1};
  EXPECT_FALSE(people_encoder(schema).largest_norm().has_value());
  Schema open = people();
  std::get<NumericColumn>(open.columns[0].kind).range.reset();
  EXPECT_FALSE(people_encoder(open).largest_norm().has_value());
  Schema sparse;
  sparse.format = FileFormat::libsvm;
  sparse.features = 9;
  sparse.data_norm = 1.0;
  sparse.complete = true;
  EXPECT_FALSE(Encoder(sparse).largest_norm().has_value());
  sparse.range = Range{-4, 2};
  EXPECT_NEAR(Encoder(sparse).largest_norm().value(), 3, 1e-12);
}

TEST(Encoder, LabelsAreComparedAsTextsThenAsNumbers) {
  const LabelMatcher standard{Label{}};
  for (const char* text : {"1", "+1", "1.0", "1.000e+00"}) EXPECT_EQ(standard.match(text), 1.0F) << text;
  for (const char* text : {"-1", "0", "0.0", "-1.0", "0e0"}) EXPECT_EQ(standard.match(text), -1.0F) << text;
  for (const char* text : {"2", "", "yes", "nan", "*"}) EXPECT_FALSE(standard.match(text).has_value()) << text;
  const LabelMatcher rest{Label{"y", {"normal."}, {"*"}}};
  EXPECT_EQ(rest.match("normal."), 1.0F);
  EXPECT_EQ(rest.match("smurf."), -1.0F);
  EXPECT_FALSE(rest.match("").has_value());
}

TEST(Encoder, ClassesAreNumberedInTheirOrderAndTheFirstIsALabelToo) {
  const LabelMatcher matcher{Label{.column = "y", .classes = {"red", "2", "blue"}}};
  EXPECT_EQ(matcher.match("red"), 0.0F);
  EXPECT_EQ(matcher.match("2.0"), 1.0F);
  EXPECT_EQ(matcher.match("blue"), 2.0F);
  for (const char* text : {"0", "1", "", "Red", "nan", "-1"}) EXPECT_FALSE(matcher.match(text).has_value()) << text;
  const LabelMatcher two{Label{.column = "y", .classes = {"no", "yes"}}};
  EXPECT_EQ(two.match("no"), -1.0F);
  EXPECT_EQ(two.match("yes"), 1.0F);
  const LabelMatcher open{Label{.column = "y", .classes = {"a", "b", "*"}}};
  EXPECT_EQ(open.match("anything"), 2.0F);
  EXPECT_FALSE(open.match("").has_value());
}

TEST(Encoder, ALabelOutsideTheClassesMakesTheRowZeroAndAFirstClassDoesNot) {
  Schema schema = people();
  schema.label = Label{.column = "y", .classes = {"low", "middle", "high"}};
  const Encoder encoder = people_encoder(schema);
  EXPECT_EQ(encoder.facts(5).classes, 3U);
  const EncodedRow first = encode_person(encoder, "1,60,admin,100,low");
  EXPECT_EQ(first.label, 0.0F);
  EXPECT_EQ(first.values, (std::vector<float>{1.0F, 1.0F, 0.0F, 1.0F}));
  EXPECT_TRUE(first.problems.empty());
  const EncodedRow unknown = encode_person(encoder, "1,60,admin,100,lowest");
  EXPECT_EQ(unknown.values, std::vector<float>(4, 0.0F));
  EXPECT_TRUE(is_label(unknown.label, 3));
  ASSERT_EQ(unknown.problems.size(), 1U);
  EXPECT_EQ(unknown.problems[0].kind, ProblemKind::unknown_label);
}

TEST(Encoder, ReadsColumnsInAnyOrderAndPastNewOnes) {
  const Encoder encoder = people_encoder();
  const EncodedRow row = encode_csv(encoder, "new,y,income,job,age\n7,yes,100,clerk,60\n");
  EXPECT_EQ(row.values, (std::vector<float>{1.0F, 0.0F, 1.0F, 1.0F}));
  EXPECT_TRUE(contains(message_of([&] { encode_csv(encoder, "y,age,job\nyes,1,clerk\n"); }), "no column income"));
}

TEST(Encoder, PredictionNeedsNoLabel) {
  const Encoder encoder = people_encoder();
  EXPECT_EQ(encode_csv(encoder, "age,job,income\n60,clerk,100\n", LabelUse::ignored).values,
            (std::vector<float>{1.0F, 0.0F, 1.0F, 1.0F}));
  EXPECT_EQ(encode_csv(encoder, "age,job,income,y\n60,clerk,100,what\n", LabelUse::ignored).values[0], 1.0F);
  EXPECT_TRUE(contains(message_of([&] { encode_csv(encoder, "age,job,income\n60,clerk,100\n"); }), "no column y"));
}

TEST(Encoder, SurvivesJsonAndCopies) {
  Schema schema = people();
  schema.intercept = 1.0;
  schema.projection = GaussianProjection{3, 77};
  const Encoder encoder = people_encoder(schema);
  const Encoder restored(schema_from_json(to_json(encoder.schema())));
  auto copy = std::make_unique<Encoder>(encoder);
  const Encoder copy_of_copy = *copy;
  copy.reset();
  const std::string cells = "1,35,clerk,50,no";
  const EncodedRow row = encode_person(encoder, cells);
  EXPECT_EQ(encode_person(restored, cells).values, row.values);
  EXPECT_EQ(encode_person(copy_of_copy, cells).values, row.values);
}

Encoder sparse_encoder(Schema schema) {
  schema.format = FileFormat::libsvm;
  schema.complete = true;
  return Encoder(std::move(schema));
}
EncodedRow encode_libsvm(const Encoder& encoder, const std::string& text) {
  LibsvmReader reader(std::make_unique<MemorySource>(text), encoder.schema().features);
  RowEncoder rows(encoder, reader);
  RawRow raw;
  EncodedRow row;
  EXPECT_TRUE(reader.next(raw));
  rows.encode(raw, row);
  return row;
}

TEST(Encoder, SparseRowsStaySparseWithTheInterceptLast) {
  Schema schema;
  schema.features = 6;
  schema.range = Range{-2, 4};
  schema.data_norm = 10;
  schema.intercept = 1.0;
  const EncodedRow row = encode_libsvm(sparse_encoder(schema), "+1 2:2 6:-3\n");
  ASSERT_TRUE(row.sparse);
  EXPECT_EQ(row.columns, (std::vector<std::uint32_t>{1, 5, 6}));
  EXPECT_EQ(row.values, (std::vector<float>{0.5F, -0.5F, 1.0F}));
  EXPECT_EQ(row.problems.size(), 1U);
  const EncodedRow bad = encode_libsvm(sparse_encoder(schema), "+1 2:2 3:zzz\n");
  EXPECT_TRUE(bad.columns.empty());
  EXPECT_TRUE(bad.values.empty());
}

TEST(Encoder, DenseStorageOfSparseRowsHoldsTheSameNumbers) {
  Schema schema;
  schema.features = 6;
  schema.data_norm = 1;
  schema.storage = Storage::dense;
  const EncodedRow row = encode_libsvm(sparse_encoder(schema), "-1 2:3 6:4\n");
  ASSERT_FALSE(row.sparse);
  const std::vector<float> expected = {0, 0.6F, 0, 0, 0, 0.8F};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(row.values[i], expected[i]);
}

TEST(Encoder, AGaussianProjectionKeepsSquaredLengthOnAverage) {
  // Over 400 keys the mean of |Gx|^2 has standard deviation sqrt(2/k/400) = 0.035 for k = 4.
  double sum = 0;
  constexpr int kKeys = 400;
  const std::vector<std::uint32_t> columns = {0, 2, 5};
  const std::vector<double> values = {0.6, -0.48, 0.64};
  std::vector<double> out(4);
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const Projection projection(GaussianProjection{4, key}, 6, false);
    projection.mix(columns, values, out);
    for (const double value : out) sum += value * value;
  }
  EXPECT_NEAR(sum / kKeys, 1.0, 0.12);
}

TEST(Encoder, TheSameKeyProjectsAlikeAndAnotherKeyDoesNot) {
  const std::vector<std::uint32_t> columns = {1};
  const std::vector<double> values = {1.0};
  const auto projected = [&](std::uint64_t key) {
    std::vector<double> out(3);
    Projection(GaussianProjection{3, key}, 5, false).mix(columns, values, out);
    return out;
  };
  EXPECT_EQ(projected(1), projected(1));
  EXPECT_NE(projected(1), projected(2));
}

TEST(Encoder, ChosenFeaturesAreTheSameForTheSameKey) {
  const auto chosen = [](std::uint64_t key) {
    const Projection projection(ChooseFeatures{5, key}, 20, true);
    std::vector<std::uint32_t> sources;
    for (std::uint32_t i = 0; i < projection.output_features(); ++i) sources.push_back(projection.source_of(i));
    return sources;
  };
  EXPECT_EQ(chosen(3), chosen(3));
  EXPECT_NE(chosen(3), chosen(4));
  EXPECT_EQ(chosen(3).size(), 6U);
  EXPECT_EQ(chosen(3).back(), 19U);
  std::vector<int> counts(20);
  for (std::uint64_t key = 0; key < 2000; ++key) {
    for (const std::uint32_t source : chosen(key)) ++counts[source];
  }
  // Each of the 19 candidates is chosen with probability 5/19: 526 of 2000, standard deviation 20.
  for (std::size_t i = 0; i < 19; ++i) EXPECT_NEAR(counts[i], 526, 100) << i;
}

TEST(Encoder, ChoosingRenumbersTheEntriesThatStay) {
  const Projection projection(ChooseFeatures{2, 3}, 6, false);
  std::vector<std::uint32_t> columns = {0, 1, 2, 3, 4, 5};
  std::vector<double> values = {10, 11, 12, 13, 14, 15};
  projection.choose(columns, values);
  EXPECT_EQ(columns, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(values, (std::vector<double>{10.0 + projection.source_of(0), 10.0 + projection.source_of(1)}));
}

TEST(Encoder, ContradictionsAreRefused) {
  EXPECT_TRUE(contains(message_of([] { Encoder{people()}; }), "must be completed"));
  Schema schema = people();
  schema.projection = ChooseFeatures{5, 0};
  EXPECT_TRUE(contains(message_of([&] { people_encoder(schema); }), "cannot choose 5 of 4"));
  schema.projection = GaussianProjection{2, 0};
  schema.storage = Storage::sparse;
  EXPECT_TRUE(contains(message_of([&] { people_encoder(schema); }), "dense rows"));
  schema.storage = Storage::automatic;
  schema.projection = GaussianProjection{1U << 24, 0};
  Schema wide = schema;
  EXPECT_NO_THROW(people_encoder(people()));
  cli::declare_category(wide, "job=a,b,c,d,e,f,g,h,i,j");
  EXPECT_TRUE(contains(message_of([&] { people_encoder(wide); }), "2^27"));
  Schema sparse;
  EXPECT_TRUE(contains(message_of([&] { sparse_encoder(sparse); }), "features"));
  sparse.features = 3;
  sparse.range = Range{1, 2};
  EXPECT_TRUE(contains(message_of([&] { sparse_encoder(sparse); }), "must contain 0"));
  Schema nothing;
  nothing.format = FileFormat::csv;
  nothing.label.column = "y";
  EXPECT_TRUE(contains(message_of([&] { Encoder{complete_schema(nothing, {"y"})}; }), "no column is left"));
}

TEST(Encoder, ManyCategoriesAreStoredSparse) {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.label.column = "y";
  schema.intercept = 0;
  std::string flag = "c=v0";
  for (int i = 1; i < 200; ++i) flag += ",v" + std::to_string(i);
  cli::declare_category(schema, flag);
  const Encoder encoder{complete_schema(schema, {"c", "y"})};
  EXPECT_TRUE(encoder.sparse());
  const EncodedRow row = encode_csv(encoder, "c,y\nv77,1\n");
  EXPECT_EQ(row.columns, (std::vector<std::uint32_t>{77}));
  EXPECT_EQ(row.values, (std::vector<float>{1.0F}));
}

}  // namespace
}  // namespace sotto
