// Parquet through an installed Python; what needs pyarrow or duckdb is skipped where neither is there.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "data_testing.h"
#include "sotto/data/encoder.h"
#include "sotto/files/complete.h"
#include "sotto/files/load.h"
#include "sotto/files/reading.h"
#include "sotto/files/table_source.h"

namespace sotto {
namespace {

using testing::contains;
using testing::error_of;
using testing::TempFile;

/// Sets SOTTO_PYTHON for a while.
class OtherPython {
 public:
  explicit OtherPython(const std::string& program) {
    if (const char* before = std::getenv("SOTTO_PYTHON")) before_ = before;
    ::setenv("SOTTO_PYTHON", program.c_str(), 1);
  }
  ~OtherPython() {
    if (before_.empty()) {
      ::unsetenv("SOTTO_PYTHON");
    } else {
      ::setenv("SOTTO_PYTHON", before_.c_str(), 1);
    }
  }
  OtherPython(const OtherPython&) = delete;
  OtherPython& operator=(const OtherPython&) = delete;

 private:
  std::string before_;
};

/// A program in the place of Python.
std::string script(const TempFile& folder, const std::string& text) {
  folder.add("python", "#!/bin/sh\n" + text + "\n");
  std::filesystem::permissions(folder.beside("python"), std::filesystem::perms::owner_all);
  return folder.beside("python");
}

std::string all_of(const std::string& path) { return read_whole(path, 1 << 20); }

TEST(TableSource, IsChosenByTheName) {
  EXPECT_TRUE(is_table("a.parquet"));
  EXPECT_TRUE(is_table("A.PARQUET"));
  EXPECT_TRUE(is_table("/tmp"));
  EXPECT_FALSE(is_table("a.parquet.csv"));
  EXPECT_EQ(reading_of("a.parquet", {}), "parquet");
}

TEST(TableSource, TheTextIsWhatTheProcessWrites) {
  const TempFile file("a.parquet", "PAR1");
  const OtherPython python(script(file, "printf 'x,y\\n1,1\\n'"));
  EXPECT_EQ(all_of(file.path()), "x,y\n1,1\n");
}

TEST(TableSource, AProcessThatFailsIsAnErrorAlsoAfterRows) {
  const TempFile file("a.parquet", "PAR1");
  {
    const OtherPython python(script(file, "printf 'x,y\\n1,1\\n'; printf 'broken here' >&2; exit 1"));
    const auto [kind, message] = error_of([&] { all_of(file.path()); });
    EXPECT_EQ(kind, ErrorKind::invalid_data);
    EXPECT_TRUE(contains(message, "a.parquet: broken here")) << message;
  }
  const OtherPython python(script(file, "printf 'x,y\\n1,1\\n'; kill -9 $$"));
  EXPECT_TRUE(contains(error_of([&] { all_of(file.path()); }).second, "has ended"));
}

// A pipe holds 64 KiB. The process would wait for a reader of its complaints, and its reader for the rows.
TEST(TableSource, AProcessThatComplainsAtLengthIsNotWaitedForForever) {
  const TempFile file("a.parquet", "PAR1");
  const std::string complain = "head -c 300000 /dev/zero | tr '\\0' w >&2; ";
  {
    const OtherPython python(script(file, complain + "printf 'x,y\\n1,1\\n'"));
    EXPECT_EQ(all_of(file.path()), "x,y\n1,1\n");
  }
  const OtherPython python(script(file, "printf 'x,y\\n'; " + complain + "exit 1"));
  const auto [kind, message] = error_of([&] { all_of(file.path()); });
  EXPECT_EQ(kind, ErrorKind::invalid_data);
  EXPECT_LT(message.size(), 2000U);
}

// Where ended children leave no word, nobody knows whether the rows are all.
TEST(TableSource, RowsOfAProcessWhoseEndIsUnknownAreNotTaken) {
  const TempFile file("a.parquet", "PAR1");
  const OtherPython python(script(file, "printf 'x,y\\n1,1\\n'; exit 1"));
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(error_of([&] { all_of(file.path()); }).first, ErrorKind::invalid_data);
  std::signal(SIGCHLD, before);
}

TEST(TableSource, WhatToInstallIsSaidWhereNothingIsThere) {
  const TempFile file("a.parquet", "PAR1");
  {
    const OtherPython python("/nonexistent/python");
    const auto [kind, message] = error_of([&] { all_of(file.path()); });
    EXPECT_EQ(kind, ErrorKind::unsupported);
    EXPECT_TRUE(contains(message, "pip install pyarrow")) << message;
  }
  const OtherPython python(script(file, "exit 3"));
  EXPECT_EQ(error_of([&] { all_of(file.path()); }).first, ErrorKind::unsupported);
}

TEST(TableSource, AMissingFileOrAFolderWithoutTablesIsAnErrorOfInput) {
  EXPECT_EQ(error_of([] { all_of("/nonexistent/a.parquet"); }).first, ErrorKind::io);
  const TempFile file("a.csv", "x\n");
  EXPECT_EQ(error_of([&] { all_of(file.beside("")); }).first, ErrorKind::io);
}

/// Makes two Parquet files and the CSV of their table; false if there is nothing to make or read them with.
bool make_tables(const TempFile& folder) {
  const char* chosen = std::getenv("SOTTO_PYTHON");
  folder.add("make.py", R"(
import sys, datetime
import pyarrow as pa, pyarrow.parquet as pq
at = sys.argv[1]
def table(shift):
    return pa.table({'x': pa.array([0.1 + shift, None, 1/3], pa.float64()), 'f': pa.array([0.1, 2, 3], pa.float32()),
                     'n': pa.array([1, 2, 3], pa.int64()), 'b': [True, False, None],
                     't': ['a, b', 'say "hi"', None], 'c': pa.array(['u', 'v', 'u']).dictionary_encode(),
                     'd': [datetime.date(2024, 1, 2)] * 3, 'z': pa.nulls(3), 'y': ['1', '0', '1']})
pq.write_table(table(0), at + '/t/a.parquet')
pq.write_table(table(1), at + '/t/b.parquet')
lines = ['x,f,n,b,t,c,d,z,y']
for shift in (0, 1):
    lines += [repr(0.1 + shift) + ',0.1,1,true,"a, b",u,2024-01-02,,1', ',2,2,false,"say ""hi""",v,2024-01-02,,0',
              repr(1/3) + ',3,3,,,u,2024-01-02,,1']
open(at + '/t.csv', 'w').write('\n'.join(lines) + '\n')
)");
  std::filesystem::create_directory(folder.beside("t"));
  const std::string command = std::string(chosen != nullptr ? chosen : "python3") + " " + folder.beside("make.py") +
                              " " + folder.beside("") + " 2>/dev/null";
  return std::system(command.c_str()) == 0;
}

TEST(TableSource, GivesTheRowsOfTheCsvOfTheSameTable) {
  const TempFile folder("none", "");
  if (!make_tables(folder)) GTEST_SKIP() << "no Python with pyarrow";
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "y";
  schema.data_norm = 1.0;
  const Range wide{-5, 5};
  schema.columns = {{"x", NumericColumn{wide, NumericScale::linear}},
                    {"b", CategoryColumn{{"true", "false"}}},
                    {"t", CategoryColumn{{"a, b", "say \"hi\"", ""}}},
                    {"c", CategoryColumn{{"u", "v"}}},
                    {"d", CategoryColumn{{"2024-01-02"}}},
                    {"z", IgnoredColumn{}}};
  const auto rows_of = [&](const std::string& path) {
    const Dataset rows = read_dataset(path, schema);
    return std::vector<float>(rows.view().dense, rows.view().dense + rows.facts().rows * rows.facts().features);
  };
  const std::vector<float> rows = rows_of(folder.beside("t"));
  EXPECT_EQ(rows, rows_of(folder.beside("t.csv")));
  EXPECT_EQ(count_rows(folder.beside("t"), schema).value.rows, 6U);
  EXPECT_EQ(count_rows(folder.beside("t/b.parquet"), schema).value.rows, 3U);
}

}  // namespace
}  // namespace sotto
