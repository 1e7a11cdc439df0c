#include <gtest/gtest.h>

#include <functional>

#include "../cli/schema_flags.h"
#include "data_testing.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/complete.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/inspect.h"
#include "sotto/files/load.h"
#include "sotto/files/open_rows.h"
#include "sotto/files/reading.h"
#include "sotto/files/schema_file.h"

namespace sotto {
namespace {

using testing::contains;
using testing::error_of;
using testing::gzip;
using testing::message_of;
using testing::TempFile;

Schema labelled(const std::string& label) {
  Schema schema;
  schema.intercept = 0;
  schema.label.column = label;
  return schema;
}
Schema clipped(const std::string& label, double data_norm = 1.0) {
  Schema schema = labelled(label);
  schema.data_norm = data_norm;
  return schema;
}

TEST(Load, TakesNumbersAsTheyAreWhenADataNormIsDeclared) {
  const TempFile file("sphere.csv", "x1,x2,y\n0.6,0.8,1\n3,4,-1\n");
  const Dataset data = read_dataset(file.path(), clipped("y"));
  EXPECT_EQ(data.facts().rows, 2U);
  EXPECT_EQ(data.facts().features, 2U);
  const RowBlock block = data.view();
  for (int row = 0; row < 2; ++row) {
    EXPECT_FLOAT_EQ(block.dense[2 * row], 0.6F);
    EXPECT_FLOAT_EQ(block.dense[2 * row + 1], 0.8F);
  }
  EXPECT_EQ(block.labels[1], -1.0F);
}

TEST(Load, RefusesWithoutBoundsBeforeReadingValues) {
  const TempFile file("a.csv", "x1,x2,y\n0.6,0.8,1\n");
  const auto [kind, message] = error_of([&] { read_dataset(file.path(), labelled("y")); });
  EXPECT_EQ(kind, ErrorKind::invalid_argument);
  EXPECT_TRUE(contains(message, "x1, x2")) << message;
  EXPECT_TRUE(contains(message, "data_norm")) << message;
}

TEST(Load, TheFormatAndSeparatorFollowTheName) {
  const Schema open;
  EXPECT_EQ(format_of("a/b.csv.gz", open), FileFormat::csv);
  EXPECT_EQ(format_of("a/b.LIBSVM", open), FileFormat::libsvm);
  EXPECT_EQ(format_of("a.svm.gz", open), FileFormat::libsvm);
  EXPECT_EQ(format_of("train-images-idx3-ubyte.gz", open), FileFormat::idx);
  EXPECT_EQ(format_of("my_idx_table.csv", open), FileFormat::csv);
  EXPECT_EQ(separator_of("a.tsv.gz", open), '\t');
  EXPECT_EQ(separator_of("a.dat", open), ' ');
  EXPECT_EQ(separator_of("a.csv", open), ',');
  Schema given;
  given.separator = ";";
  EXPECT_EQ(separator_of("a.csv", given), ';');
  given.separator = "tab";
  EXPECT_EQ(separator_of("a.csv", given), '\t');
  given.separator = "blank";
  EXPECT_EQ(separator_of("a.csv", given), ' ');
  for (const std::string bad : {"", "ab", "x", "5", "\"", ".", "-", "\n"}) {
    given.separator = bad;
    EXPECT_TRUE(contains(message_of([&] { separator_of("a.csv", given); }), "separator")) << bad;
  }
}

TEST(Load, ReadsTabSeparatedBlankSeparatedAndPackedFiles) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.tsv", "x\ty\n0.5\t1\n"}, {"a.csv.gz", gzip("x,y\r\n0.5,1\r\n")}, {"a.dat", " x  y \n0.5 1 \n"}};
  for (const auto& [name, content] : files) {
    const TempFile file(name, content);
    const Dataset data = read_dataset(file.path(), clipped("y"));
    EXPECT_EQ(data.view().rows, 1U) << name;
    EXPECT_EQ(data.view().dense[0], 0.5F) << name;
  }
}

TEST(Load, ReadsLibsvmWithADeclaredNumberOfFeatures) {
  const TempFile file("a.libsvm", "+1 1:1 3:1\n-1 2:1\n");
  Schema schema = clipped("");
  EXPECT_TRUE(contains(message_of([&] { read_dataset(file.path(), schema); }), "features"));
  schema.features = 3;
  const Dataset data = read_dataset(file.path(), schema);
  EXPECT_TRUE(data.facts().sparse);
  EXPECT_EQ(data.facts().features, 3U);
  EXPECT_EQ(data.view().labels[1], -1.0F);
  schema.data_norm.reset();
  EXPECT_TRUE(contains(message_of([&] { read_dataset(file.path(), schema); }), "no public bounds"));
  schema.range = Range{0, 1};
  EXPECT_NO_THROW(read_dataset(file.path(), schema));
  cli::declare_range(schema, "1=0:1");
  EXPECT_TRUE(contains(message_of([&] { read_dataset(file.path(), schema); }), "columns"));
}

TEST(Load, ReadsIdxWithItsLabelsBeside) {
  const std::string items("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\xff\0\0\x33", 20);
  const std::string labels("\0\0\x08\x01\0\0\0\x02\x03\x04", 10);
  const TempFile file("t-images-idx3-ubyte", items);
  Schema schema;
  schema.intercept = 0;
  schema.label = {"", {"3"}, {"*"}};
  EXPECT_EQ(error_of([&] { read_dataset(file.path(), schema); }).first, ErrorKind::io);
  file.add("t-labels-idx1-ubyte", labels);
  const Dataset data = read_dataset(file.path(), schema);
  EXPECT_EQ(data.facts().features, 2U);
  EXPECT_EQ(data.view().dense[0], 1.0F);
  EXPECT_FLOAT_EQ(data.view().dense[3], 0.2F);
  EXPECT_EQ(data.view().labels[0], 1.0F);
  EXPECT_EQ(data.view().labels[1], -1.0F);
  const TempFile odd("numbers.idx", items);
  EXPECT_TRUE(contains(message_of([&] { read_dataset(odd.path(), schema); }), "labels_file"));
  schema.labels_file = file.beside("t-labels-idx1-ubyte");
  EXPECT_EQ(read_dataset(odd.path(), schema).facts().rows, 2U);
}

/// Every questionable value there is, in one file.
constexpr std::string_view kDirty =
    "age,job,y\n"
    "30,a,1\n"
    "MARKER,a,1\n"
    "nan,a,0\n"
    "1e999,a,1\n"
    ",a,1\n"
    "500,a,1\n"
    "30,MARKER,0\n"
    "30,a,MARKER\n"
    "MARKER,MARKER,MARKER\n";

Schema dirty_schema() {
  Schema schema = labelled("y");
  cli::declare_range(schema, "age=0:100");
  cli::declare_category(schema, "job=a,b");
  return schema;
}

TEST(Load, TrainingTreatsBadValuesSilently) {
  const TempFile file("dirty.csv", kDirty);
  const Encoder encoder(complete_for(file.path(), dirty_schema()));
  DatasetBuilder builder(encoder.facts(0));
  const LoadReport report = load(file.path(), encoder, ReadMode::lenient, builder);
  const Dataset data = builder.finish();
  EXPECT_EQ(report.rows, 9U);
  EXPECT_EQ(report.tally, RowTally{});
  EXPECT_TRUE(report.first_problems.empty());
  EXPECT_EQ(data.facts().rows, 9U);
  const std::vector<bool> zero = {false, true, true, true, true, false, false, true, true};
  for (std::size_t i = 0; i < zero.size(); ++i) {
    const float* row = data.view().dense + 3 * i;
    EXPECT_EQ(row[0] == 0.0F && row[1] == 0.0F && row[2] == 0.0F, zero[i]) << i;
    if (zero[i]) {
      EXPECT_EQ(data.view().labels[i], 1.0F);
    }
  }
}

TEST(Load, AModelIsJudgedOnUsableRowsAlone) {
  const std::string good = "0.6,0.8,1\n0,0,-1\n";
  const TempFile file("a.csv", "x1,x2,y\n" + good + "nan,1,1\nSECRET,1,1\n,1,1\n1,1e999,1\n1,1,7\n");
  const Encoder encoder(complete_for(file.path(), clipped("y")));
  const UsableRows read = read_usable(file.path(), encoder);
  EXPECT_EQ(read.unusable, 5U);
  ASSERT_EQ(read.rows.facts().rows, 2U) << "a row of zeros that is meant so is one";
  EXPECT_EQ(read.rows.view().labels[1], -1.0F);
  const TempFile none("none.csv", "x1,x2,y\nSECRET,1,1\n");
  const auto [kind, message] = error_of([&] { read_usable(none.path(), encoder); });
  EXPECT_EQ(kind, ErrorKind::invalid_data);
  EXPECT_TRUE(contains(message, "no row can be used")) << message;
  EXPECT_FALSE(contains(message, "SECRET")) << message;
}

TEST(Load, NamesThatMayBeARowAreTakenByNobody) {
  const TempFile file("a.csv", "0.4621726,SECRET,1\n0.5,0.25,-1\n");
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { complete_for(file.path(), clipped("1")); }, [&] { complete_for(file.path(), labelled("1")); },
           [&] { assume_bounds_from_data(file.path(), labelled("1")); }, [&] { inspect(file.path(), labelled("1")); },
           [&] { count_rows(file.path(), {}); }, [&] { read_dataset(file.path(), clipped("1")); }}) {
    const auto [kind, message] = error_of(read);
    EXPECT_EQ(kind, ErrorKind::invalid_argument);
    EXPECT_TRUE(contains(message, "looks like a row")) << message;
    EXPECT_FALSE(contains(message, "0.46") || contains(message, "SECRET")) << message;
  }
}

TEST(Load, ABlockFileIsNoText) {
  const TempFile file("a.csv", std::string("SOTTOBLK\0\0 and more\n", 20));
  const auto [kind, message] = error_of([&] { read_dataset(file.path(), clipped("y")); });
  EXPECT_EQ(kind, ErrorKind::invalid_data);
  EXPECT_TRUE(contains(message, "is a block file: it holds encoded rows")) << message;
}

TEST(Load, AStrictCheckCountsAndPlacesEveryProblem) {
  const TempFile file("dirty.csv", kDirty);
  const Encoder encoder(complete_for(file.path(), dirty_schema()));
  DatasetBuilder builder(encoder.facts(0));
  const LoadReport report = load(file.path(), encoder, ReadMode::strict, builder);
  EXPECT_EQ(report.rows, 9U);
  EXPECT_EQ(report.tally.unusable, 6U);
  EXPECT_EQ(report.tally.classes[1], 2U);
  EXPECT_EQ(report.tally.classes[0], 1U);
  std::uint64_t total = 0;
  for (std::size_t kind = 0; kind < kProblemKinds; ++kind) {
    total += report.tally.of(static_cast<ProblemKind>(kind));
    EXPECT_FALSE(name_of(static_cast<ProblemKind>(kind)).empty());
  }
  EXPECT_EQ(report.tally.of(ProblemKind::not_a_number), 3U);
  EXPECT_EQ(report.tally.of(ProblemKind::unknown_label), 2U);
  EXPECT_EQ(report.tally.of(ProblemKind::undeclared_category), 2U);
  EXPECT_EQ(total, 10U);
  ASSERT_EQ(report.first_problems.size(), 10U);
  EXPECT_EQ(report.first_problems[0].line, 3U);
  EXPECT_EQ(report.first_problems[0].cell.column, 1U);
  EXPECT_EQ(report.first_problems[6].line, 9U);
  EXPECT_EQ(report.first_problems[6].cell.column, 3U);
}

TEST(Load, BothModesStoreTheSameRows) {
  const TempFile file("dirty.csv", kDirty);
  const Encoder encoder(complete_for(file.path(), dirty_schema()));
  DatasetBuilder lenient(encoder.facts(0));
  DatasetBuilder strict(encoder.facts(0));
  load(file.path(), encoder, ReadMode::lenient, lenient);
  load(file.path(), encoder, ReadMode::strict, strict);
  const Dataset a = lenient.finish();
  const Dataset b = strict.finish();
  EXPECT_EQ(std::vector(a.view().dense, a.view().dense + 27), std::vector(b.view().dense, b.view().dense + 27));
}

TEST(Load, NoMessageQuotesACell) {
  // Structure that is wrong in every way, each with a marker in the cells around the fault.
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.csv", "MARKER,1,2\nMARKER,2,3\n"},
      {"a.csv", "a,MARKER,MARKER\n1,2,3\n"},
      {"a.csv", "a,y\nMARKER\n"},
      {"a.csv", "a,y\nMARKER,1,MARKER,4\n"},
      {"a.csv", "a,y\n\"MARKER,1\n"},
      {"a.csv", "a,y\n\"MARKER\"MARKER,1\n"},
      {"a.csv", std::string("a,y\nMARKER\0,1\n", 14)},
      {"a.csv", "MARKER"},
      {"a.csv", "y\nMARKER\n"},
      {"a.svm", "1 MARKER:1\n"},
      {"a.svm", "1 1:1 MARKER\n"},
      {"a.svm", "MARKER:1 1:1\n"},
      {"a.svm", "1 2:MARKER 1:1\n"},
      {"a.svm", "1 99:MARKER\n"},
      {"MARKER.idx", "MARKER"},
      {"a.csv.gz", "\x1f\x8bMARKER"},
  };
  for (const auto& [name, content] : files) {
    const TempFile file(name == "MARKER.idx" ? "b.idx" : name, content);
    Schema schema = labelled("y");
    schema.features = 10;
    schema.range = Range{0, 1};
    schema.labels_file = file.path();
    for (const auto& action : {std::function<void()>([&] { read_dataset(file.path(), schema); }),
                               std::function<void()>([&] { inspect(file.path(), schema); }),
                               std::function<void()>([&] { assume_bounds_from_data(file.path(), schema); }),
                               std::function<void()>([&] { read_schema(file.path()); })}) {
      try {
        action();
      } catch (const Error& error) {
        EXPECT_FALSE(contains(error.what(), "MARKER")) << error.what();
      }
    }
    const auto message = message_of([&] { read_dataset(file.path(), schema); });
    EXPECT_FALSE(contains(message, ", line ")) << message;
  }
}

TEST(Inspect, TellsTheHolderEverythingAndWhatToDeclare) {
  const TempFile file("dirty.csv", kDirty);
  const InspectReport open = inspect(file.path(), labelled("y"));
  EXPECT_TRUE(contains(open.undeclared, "age, job")) << open.undeclared;
  EXPECT_EQ(open.profile.rows, 9U);
  EXPECT_FALSE(InspectReport::kForRelease);
  const ColumnProfile& age = open.profile.columns[0];
  EXPECT_EQ(age.numbers, 4U);
  EXPECT_EQ(age.empty, 1U);
  EXPECT_EQ(age.others, 4U);
  EXPECT_EQ(age.min, 30.0);
  EXPECT_EQ(age.max, 500.0);
  EXPECT_EQ(open.profile.columns[1].distinct, (std::vector<std::string>{"MARKER", "a"}));
  EXPECT_EQ(open.profile.label.distinct.size(), 3U);
  const InspectReport declared = inspect(file.path(), dirty_schema());
  EXPECT_TRUE(declared.undeclared.empty());
  EXPECT_EQ(declared.checked.tally.unusable, 6U);
}

TEST(Inspect, CountsTheRowsOfEveryClass) {
  const TempFile file("three.csv", "x,y\n0.1,a\n0.2,c\n0.3,b\n0.4,c\n0.5,d\nbad,a\n");
  Schema schema = clipped("y");
  schema.label.classes = {"c", "a", "b"};
  const InspectReport report = inspect(file.path(), schema);
  EXPECT_EQ(report.checked.tally.classes, (std::vector<std::uint64_t>{2, 1, 1}));
  EXPECT_EQ(report.checked.tally.unusable, 2U);
}

TEST(Inspect, AStructureErrorTellsTheLine) {
  const TempFile file("a.csv", "a,y\n1,1\n1,1,1\n");
  EXPECT_TRUE(contains(message_of([&] { inspect(file.path(), clipped("y")); }), "line 3"));
}

TEST(AssumedBounds, AreReadFromTheRowsAndMarked) {
  const TempFile file("a.csv", "age,job,const,y\n20,a,7,no\n60,b,7,yes\n?,a,7,no\n");
  const Schema schema = assume_bounds_from_data(file.path(), labelled("y"));
  EXPECT_TRUE(schema.bounds_from_data);
  EXPECT_TRUE(schema.complete);
  EXPECT_EQ(schema.columns, (std::vector<Column>{{"age", NumericColumn{Range{20, 60}, NumericScale::linear}},
                                                 {"job", CategoryColumn{{"a", "b"}}},
                                                 {"const", NumericColumn{Range{7, 14}, NumericScale::linear}}}));
  EXPECT_EQ(schema.label.positive, (std::vector<std::string>{"yes"}));
  EXPECT_EQ(schema.label.negative, (std::vector<std::string>{"no"}));
  EXPECT_TRUE(schema_from_json(to_json(schema)).bounds_from_data);
}

TEST(AssumedBounds, MoreThanTwoLabelsBecomeClasses) {
  const TempFile file("three.csv", "x,y\n0.1,10\n0.2,9\n0.3,9.0\n0.4,\n0.5,none\n");
  const Schema assumed = assume_bounds_from_data(file.path(), labelled("y"));
  EXPECT_EQ(assumed.label.classes, (std::vector<std::string>{"9", "10", "none"}));
  EXPECT_TRUE(assumed.bounds_from_data);
  Schema declared = labelled("y");
  declared.label.classes = {"9", "10"};
  EXPECT_EQ(assume_bounds_from_data(file.path(), declared).label.classes, declared.label.classes);
}

TEST(AssumedBounds, KeepWhatIsDeclared) {
  const TempFile file("a.csv", "age,job,id,y\n20,1,x,0\n60,2,y,1\n");
  Schema schema = labelled("y");
  cli::declare_range(schema, "age=0:100");
  schema.columns.push_back({"job", CategoryColumn{}});
  cli::declare_ignored(schema, "id");
  const Schema filled = assume_bounds_from_data(file.path(), schema);
  EXPECT_EQ(filled.columns[0], schema.columns[0]);
  EXPECT_EQ(filled.columns[1], (Column{"job", CategoryColumn{{"1", "2"}}}));
  EXPECT_EQ(filled.columns[2], schema.columns[2]);
  EXPECT_EQ(filled.label, schema.label);
}

TEST(AssumedBounds, RefuseWhatCannotBeGuessed) {
  std::string text = "name,y\n";
  for (int i = 0; i < 1500; ++i) text += "name" + std::to_string(i) + ",1\n";
  const TempFile names("a.csv", text);
  EXPECT_TRUE(contains(message_of([&] { assume_bounds_from_data(names.path(), labelled("y")); }), "different texts"));
  const TempFile one("a.csv", "a,y\n1,red\n2,\n3,red\n");
  EXPECT_TRUE(contains(message_of([&] { assume_bounds_from_data(one.path(), labelled("y")); }), "fewer than 2"));
  EXPECT_TRUE(contains(message_of([&] { assume_bounds_from_data(one.path(), labelled("z")); }), "label"));
}

TEST(AssumedBounds, WorkForLibsvm) {
  const TempFile file("a.libsvm", "1 1:2 7:-4\n0 2:1\n");
  const Schema schema = assume_bounds_from_data(file.path(), labelled(""));
  EXPECT_EQ(schema.features, 7U);
  EXPECT_EQ(schema.range, (Range{-4, 2}));
  EXPECT_TRUE(schema.bounds_from_data);
  EXPECT_EQ(read_dataset(file.path(), schema).facts().rows, 2U);
}

}  // namespace
}  // namespace sotto
