// How bytes become rows is fixed by a ledger: what a request says about it is compared without a look at the file.
#include "data_testing.h"
#include "ledger_testing.h"
#include "sotto/engines/file_rows.h"
#include "sotto/files/complete.h"
#include "sotto/files/load.h"
#include "sotto/files/reading.h"
#include "sotto/train.h"

namespace sotto::test {
namespace {

using sotto::testing::TempFile;

Schema with_label(const std::string& column) {
  Schema schema;
  schema.intercept = 0;
  schema.label.column = column;
  schema.data_norm = 1;
  return schema;
}

TEST(Reading, DiffersWhereBytesWouldBecomeOtherRows) {
  const Schema usual = with_label("y");
  const auto reading = [&](const std::string& path, const auto& change) {
    Schema schema = usual;
    change(schema);
    return reading_of(path, schema);
  };
  const std::string plain = reading_of("a.csv", usual);
  EXPECT_EQ(plain, "csv, separator ,, a header, 0 lines skipped");
  EXPECT_EQ(reading_of("elsewhere/b.csv.gz", usual), plain);
  EXPECT_EQ(reading("a.csv", [](Schema& s) { s.label.column = "x"; }), plain) << "what values mean is no part of it";
  EXPECT_EQ(reading("a.dat", [](Schema& s) { s.separator = ","; }), plain);
  EXPECT_NE(reading_of("a.tsv", usual), plain) << "the name decides where nothing is declared";
  EXPECT_NE(reading_of("a.libsvm",
                       [&] {
                         Schema s = usual;
                         s.features = 3;
                         return s;
                       }()),
            plain);
  EXPECT_NE(reading("a.csv", [](Schema& s) { s.skip_lines = 1; }), plain);
  EXPECT_NE(reading("a.csv", [](Schema& s) { s.header = HeaderLine::absent; }), plain);
  EXPECT_NE(reading("a.csv", [](Schema& s) { s.separator = "blank"; }), plain);
  EXPECT_NE(reading("a.svm", [](Schema& s) { s.features = 3; }), reading("a.svm", [](Schema& s) { s.features = 4; }));
}

TEST(Reading, CompletesASchemaAsTheFileWouldWithoutOpeningIt) {
  const auto same = [](const TempFile& file, const Schema& schema) {
    const CountedRows counted = count_rows(file.path(), schema).value;
    EXPECT_EQ(counted.rows, 2U);
    const std::string name = file.path().substr(file.path().find_last_of('/') + 1);
    EXPECT_EQ(complete_by("/nowhere/" + name, schema, counted.columns), complete_for(file.path(), schema));
  };
  const TempFile table("a.csv", "x,,y\n1,2,1\n2,3,-1\n");
  same(table, with_label("y"));
  Schema bare = with_label("2");
  bare.header = HeaderLine::absent;
  const TempFile rows("b.csv", "1,1\n2,-1\n");
  same(rows, bare);
  bare.names = {"u", "v"};
  bare.label.column = "v";
  same(rows, bare);
  Schema sparse = with_label("");
  sparse.features = 9;
  same(TempFile("c.libsvm", "1 1:0.5\n-1 9:1\n"), sparse);
  for (const std::vector<std::string>& names : {std::vector<std::string>{"u"}, {"u", "u"}, {"u", "v", "w"}}) {
    bare.names = names;
    bare.label.column = "u";
    EXPECT_THROW(complete_by("b.csv", bare, {"1", "2"}), Error) << "refused here, not by the reader after a charge";
  }
}

TEST(Reading, AFileOfIndicesNeedsItsNumberOfFeatures) {
  const TempFile file("a.libsvm", "1 1:0.5\n-1 9:1\n");
  EXPECT_THROW(count_rows(file.path(), {}), Error);
}

class ReadingWithLedger : public LedgerTest {};

TEST_F(ReadingWithLedger, ARequestThatReadsOtherwiseIsRefusedWithoutALookAtTheFile) {
  LedgerTerms terms = terms_of(FilterKind::sum, 1, 1e-9);
  BitSource bits;
  TrainRequest request;
  request.problem = {Logistic{}, 0.1};
  request.budget = {0.5, 0, Relation::replace_one};
  const std::string nowhere = folder_ + "/there is no such file.csv";
  for (const std::string& fixed : {reading_of(nowhere, with_label("y")), std::string()}) {
    terms.reading = fixed;
    path_ = folder_ + (fixed.empty() ? "/without" : "/with");
    SqliteLedger::create(path_, terms, kSomeData);
    SqliteLedger ledger(path_);
    Schema schema = with_label("y");
    schema.skip_lines = 3;
    const auto rows = text_rows(nowhere, complete_by(nowhere, schema, {"x", "y"}));
    EXPECT_EQ(refused([&] { train(*rows, request, bits, {ledger}); }), ErrorKind::invalid_argument);
    EXPECT_NE(message_.find("nothing was read"), std::string::npos) << message_;
    EXPECT_TRUE(ledger.entries().empty());
  }
}

}  // namespace
}  // namespace sotto::test
