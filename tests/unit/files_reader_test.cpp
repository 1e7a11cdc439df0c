#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data_testing.h"
#include "sotto/data/number.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/idx_reader.h"
#include "sotto/files/libsvm_reader.h"

namespace sotto {
namespace {

using testing::contains;
using testing::error_of;
using testing::gzip;
using testing::message_of;

using Table = std::vector<std::vector<std::string>>;

CsvReader csv(std::string_view text, CsvLayout layout = {}, ReadOptions options = {}) {
  return {std::make_unique<MemorySource>(text, "some.csv"), std::move(layout), options};
}
Table rows_of(CsvReader reader) {
  Table table;
  RawRow row;
  while (reader.next(row)) table.emplace_back(row.cells.begin(), row.cells.end());
  return table;
}
Table read(std::string_view text, CsvLayout layout = {}) { return rows_of(csv(text, std::move(layout))); }

TEST(CsvReader, ReadsAHeaderAndRows) {
  const std::string text = "a,b,c\n1,2,3\n4,5,6\n";
  EXPECT_EQ(csv(text).columns(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(read(text), (Table{{"1", "2", "3"}, {"4", "5", "6"}}));
}

TEST(CsvReader, TheLastLineNeedsNoLineEnd) { EXPECT_EQ(read("a,b\n1,2"), (Table{{"1", "2"}})); }

TEST(CsvReader, CarriageReturnsByteOrderMarksAndEmptyLinesAreReadPast) {
  const std::string text =
      "\xef\xbb\xbf"
      "a,b\r\n1,2\r\n\r\n   \r\n3,4\r\n\r\n";
  EXPECT_EQ(csv(text).columns().front(), "a");
  EXPECT_EQ(read(text), (Table{{"1", "2"}, {"3", "4"}}));
}

TEST(CsvReader, QuotedCellsKeepSeparatorsQuotesAndLineEnds) {
  EXPECT_EQ(read("a,b\n\"x, y\",\"say \"\"hi\"\"\"\n\"two\nlines\",2\n"),
            (Table{{"x, y", "say \"hi\""}, {"two\nlines", "2"}}));
  EXPECT_EQ(read("\"a\";\"b\"\n58;\"man\"\n", {.separator = ';'}), (Table{{"58", "man"}}));
  EXPECT_EQ(read("a,b\n \"x\" , \"\" \n"), (Table{{"x", ""}}));
}

TEST(CsvReader, AQuoteInsideAPlainCellIsAnOrdinaryCharacter) {
  EXPECT_EQ(read("a,b\n5\" pipe,2\n"), (Table{{"5\" pipe", "2"}}));
}

TEST(CsvReader, BlanksAroundCellsAreDropped) {
  EXPECT_EQ(read("39, State-gov ,  <=50K\n", {.header = HeaderLine::absent}), (Table{{"39", "State-gov", "<=50K"}}));
}

TEST(CsvReader, RunsOfBlanksSeparateWhenAsked) {
  EXPECT_EQ(read("58 0  1\t2 \n  44 0 0 3\n", {.separator = ' ', .header = HeaderLine::absent}),
            (Table{{"58", "0", "1", "2"}, {"44", "0", "0", "3"}}));
  EXPECT_EQ(read("\"a b\" 1 \n\"c\"  2\n", {.separator = ' ', .header = HeaderLine::absent}),
            (Table{{"a b", "1"}, {"c", "2"}}));
}

TEST(CsvReader, ARowOfSeparatorsAloneIsARowOfEmptyCells) {
  EXPECT_EQ(read("a\tb\n\t\n1\t2\n", {.separator = '\t'}), (Table{{"", ""}, {"1", "2"}}));
  EXPECT_EQ(read("a,b\n , \n"), (Table{{"", ""}}));
}

TEST(CsvReader, WithoutAHeaderColumnsAreCalledByPositionOrByGivenNames) {
  EXPECT_EQ(csv("7,8\n", {.header = HeaderLine::absent}).columns(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(csv("7,8\n", {.header = HeaderLine::absent, .names = {"u", "v"}}).columns(),
            (std::vector<std::string>{"u", "v"}));
}

TEST(CsvReader, AHeaderOneShorterThanTheRowsLeavesTheFirstColumnToRowNames) {
  const std::string text = "date,light\n1,monday,5\n2,tuesday,6\n";
  EXPECT_EQ(csv(text).columns(), (std::vector<std::string>{"row_names", "date", "light"}));
  EXPECT_EQ(read(text).size(), 2U);
}

TEST(CsvReader, LinesBeforeTheTableCanBeSkipped) {
  EXPECT_EQ(read("|1x3 Cross validator\n1,2\n", {.header = HeaderLine::absent, .skip_lines = 1}), (Table{{"1", "2"}}));
}

TEST(CsvReader, AFirstLineWithANumberForANameNeedsAWord) {
  for (const std::string first :
       {"0.4621726,-0.25,1", "SECRET,39,yes", "a,b,-1e400", "\"7\",a,b", "a, +5 ,b", "39,39,39"}) {
    const std::string text = first + "\n1,2,3\n";
    const auto [kind, message] = error_of([&] { csv(text); });
    EXPECT_EQ(kind, ErrorKind::invalid_argument) << first;
    EXPECT_TRUE(contains(message, "some.csv: header: the first line looks like a row")) << message;
    for (const char* cell : {"0.46", "SECRET", "39", "1e400"}) EXPECT_FALSE(contains(message, cell)) << message;
    EXPECT_EQ(read(text, {.header = HeaderLine::absent}).size(), 2U);
  }
  EXPECT_EQ(csv("0.5,2,y\n1,2,3\n", {.header = HeaderLine::present}).columns(),
            (std::vector<std::string>{"0.5", "2", "y"}));
  EXPECT_EQ(csv("x1,2nd,,y\n1,2,3,4\n").columns(), (std::vector<std::string>{"x1", "2nd", "column_3", "y"}));
}

TEST(CsvReader, LineNumbersCountPhysicalLines) {
  auto reader = csv("a,b\n\n\"x\ny\",1\nz,2\n");
  RawRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.line, 3U);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.line, 5U);
}

TEST(CsvReader, RaggedRowsAreToldWithTheirLineOrWithoutIt) {
  for (const std::string text : {"a,b\n1,2\nSECRET\n", "a,b\n1,2\n1,SECRET,3\n", "a,b\n1,2\n\"SECRET\",2,3,4\n"}) {
    const auto [kind, message] = error_of([&] { read(text); });
    EXPECT_EQ(kind, ErrorKind::invalid_data);
    EXPECT_TRUE(contains(message, "some.csv, line 3")) << message;
    EXPECT_FALSE(contains(message, "SECRET"));
    const std::string quiet = message_of([&] { rows_of(csv(text, {}, {.show_lines = false})); });
    EXPECT_FALSE(contains(quiet, "line 3")) << quiet;
    EXPECT_TRUE(contains(quiet, "some.csv")) << quiet;
  }
}

TEST(CsvReader, WhatIsNoTableIsRefused) {
  EXPECT_TRUE(contains(message_of([] { read(""); }), "is empty"));
  EXPECT_TRUE(contains(message_of([] { read("\n\n \n"); }), "is empty"));
  EXPECT_TRUE(contains(message_of([] { read("a,a\n1,2\n"); }), "columns 1 and 2 have the same name"));
  EXPECT_TRUE(contains(message_of([] { read("a,b\n\"1,2\n3,4\n"); }), "never closed"));
  EXPECT_TRUE(contains(message_of([] { read("a,b\n\"1\"x,2\n"); }), "closing quote"));
  EXPECT_TRUE(contains(message_of([] { read(std::string_view("a,b\n1,\0\n", 8)); }), "not a text"));
  EXPECT_TRUE(contains(message_of([] {
                         read("1,2\n", {.header = HeaderLine::absent, .names = {"a", "b", "c"}});
                       }),
                       "2 cells"));
}

/// One line without an end, made as it is read: stands for a line of any length.
class EndlessLine final : public ByteSource {
 public:
  explicit EndlessLine(char letter) : letter_(letter) {}
  std::size_t read(std::span<char> buffer) override {
    given += buffer.size();
    std::ranges::fill(buffer, letter_);
    return buffer.size();
  }
  const std::string& name() const noexcept override { return name_; }
  static inline std::size_t given = 0;

 private:
  char letter_;
  std::string name_ = "endless";
};

TEST(CsvReader, AnEndlessLineGivesOneErrorInBoundedMemory) {
  for (const char letter : {'a', ',', '"'}) {
    EndlessLine::given = 0;
    const auto [kind, message] = error_of([&] { CsvReader(std::make_unique<EndlessLine>(letter), CsvLayout{}); });
    EXPECT_EQ(kind, ErrorKind::invalid_data);
    EXPECT_TRUE(contains(message, "not a table")) << message;
    EXPECT_LT(EndlessLine::given, std::size_t{130} << 20);
  }
}

TEST(CsvReader, TooManyColumnsAreRefusedBeforeTheyTakeMemory) {
  const std::string header(std::size_t{kMaxColumns} + 10, ',');
  EXPECT_TRUE(contains(message_of([&] { read(header + "\n1,2\n"); }), "more than the expected"));
}

TEST(Gzip, ReadsOneMemberAndSeveral) {
  const std::string packed = gzip("a,b\n1,2\n") + gzip("3,4\n");
  CsvReader reader(unpack_if_gzip(std::make_unique<MemorySource>(packed)), CsvLayout{});
  EXPECT_EQ(rows_of(std::move(reader)), (Table{{"1", "2"}, {"3", "4"}}));
}

TEST(Gzip, ACutOrDamagedFileIsRefusedAtEveryLength) {
  std::string text = "a,b\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * 7919 % 1000) + "," + std::to_string(i) + "\n";
  const std::string packed = gzip(text);
  for (std::size_t length = 2; length < packed.size(); length += 37) {
    const auto [kind, message] = error_of([&] {
      rows_of(
          CsvReader(unpack_if_gzip(std::make_unique<MemorySource>(std::string_view(packed).substr(0, length))), {}));
    });
    EXPECT_EQ(kind, ErrorKind::invalid_data);
    EXPECT_TRUE(contains(message, "cut off")) << message;
  }
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  EXPECT_TRUE(contains(
      message_of([&] { rows_of(CsvReader(unpack_if_gzip(std::make_unique<MemorySource>(damaged)), {})); }), "damaged"));
}

TEST(Gzip, ASmallFileThatUnpacksToOneHugeLineIsRefused) {
  const std::string packed = gzip(std::string(std::size_t{80} << 20, 'x'));
  EXPECT_TRUE(contains(
      message_of([&] { rows_of(CsvReader(unpack_if_gzip(std::make_unique<MemorySource>(packed)), {})); }), "64 MiB"));
}

TEST(Files, AMissingFileOrADirectoryIsAnErrorOfInput) {
  EXPECT_EQ(error_of([] { open_bytes("/nonexistent/file.csv"); }).first, ErrorKind::io);
  EXPECT_EQ(error_of([] { open_bytes("/tmp"); }).first, ErrorKind::io);
}

std::vector<double> fractions_of(const std::string& path) {
  std::vector<double> told;
  const ReadingWatch watch([&](double fraction) { told.push_back(fraction); });
  const auto source = open_bytes(path);
  std::vector<char> buffer(1 << 14);
  while (source->read(buffer) > 0) {
  }
  return told;
}

TEST(Files, AWatchHearsWhichFractionOfTheBytesIsRead) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919 % 100003) + "\n";
  for (const std::string& bytes : {text, gzip(text)}) {
    const testing::TempFile file("rows.csv", bytes);
    const std::vector<double> told = fractions_of(file.path());
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_GT(told.size(), 3U);
    EXPECT_LT(told.front(), 0.5);
    EXPECT_EQ(told.back(), 1.0);
  }
  EXPECT_TRUE(fractions_of("/dev/null").empty()) << "of no known size";
}

TEST(Files, TheNewestWatchHearsAndTheOneBeforeItAgainAfterIt) {
  const testing::TempFile file("rows.csv", "a,b\n");
  int outer = 0;
  const ReadingWatch watch([&](double) { ++outer; });
  EXPECT_FALSE(fractions_of(file.path()).empty());
  EXPECT_EQ(outer, 0);
  read_whole(file.path(), 100);
  EXPECT_GT(outer, 0);
}

LibsvmReader libsvm(std::string_view text, std::uint32_t features = 10) {
  return {std::make_unique<MemorySource>(text, "some.libsvm"), features};
}
void drain(LibsvmReader reader) {
  RawRow row;
  while (reader.next(row)) {
  }
}

TEST(LibsvmReader, ReadsLabelsAndEntries) {
  auto reader = libsvm("+1 1:0.5 10:2 # note\n\n# only a note\n-1 \r\n-1 3:1 \n");
  RawRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.label, "+1");
  EXPECT_EQ(std::vector(row.indices.begin(), row.indices.end()), (std::vector<std::uint32_t>{0, 9}));
  EXPECT_EQ(std::vector(row.values.begin(), row.values.end()), (std::vector<double>{0.5, 2.0}));
  ASSERT_TRUE(reader.next(row));
  EXPECT_TRUE(row.indices.empty());
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.line, 5U);
  EXPECT_FALSE(reader.next(row));
}

TEST(LibsvmReader, ErrorsOfStructureNameTheLineAndNoValue) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"1 1:1\n1 11:77712\n", "above the number of features, 10"},
           {"1 1:1\n1 99999999999999999999999:1\n", "above the number of features"},
           {"1 1:1\n1 0:77712\n", "whole number from 1"},
           {"1 1:1\n1 -1:77712\n", "whole number from 1"},
           {"1 1:1\n1 qid:77712\n", "whole number from 1"},
           {"1 1:1\n1 3:1 2:77712\n", "ascend"},
           {"1 1:1\n1 3:1 3:77712\n", "ascend"},
           {"1 1:1\n1 77712\n", "index:value"},
           {"1 1:1\n1:77712 2:3\n", "begin with a label"}}) {
    const auto [kind, message] = error_of([&] { drain(libsvm(text)); });
    EXPECT_EQ(kind, ErrorKind::invalid_data);
    EXPECT_TRUE(contains(message, "some.libsvm, line 2")) << message;
    EXPECT_TRUE(contains(message, expected)) << message;
    EXPECT_FALSE(contains(message, "77712")) << message;
  }
}

// Under add_remove a table of one row has the empty one as its neighbour.
TEST(Readers, ATableMayHaveNoRows) {
  EXPECT_TRUE(read("a,b\n").empty());
  EXPECT_NO_THROW(drain(libsvm("\n# nothing\n")));
}

TEST(LibsvmReader, AValueThatIsNoNumberIsANaNAndNoError) {
  auto reader = libsvm("1 1:abc 2:1e999 3:\n");
  RawRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_TRUE(std::isnan(row.values[0]));
  EXPECT_TRUE(std::isinf(row.values[1]));
  EXPECT_TRUE(std::isnan(row.values[2]));
}

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}
std::string idx(char type, const std::vector<std::uint32_t>& extents, const std::string& body) {
  std::string text = {0, 0, type, static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents) text += word(extent);
  return text + body;
}
std::vector<std::vector<double>> idx_rows(const std::string& items, const std::string& labels,
                                          std::vector<std::string>* texts = nullptr) {
  IdxReader reader(std::make_unique<MemorySource>(items, "items"),
                   labels.empty() ? nullptr : std::make_unique<MemorySource>(labels, "labels"));
  std::vector<std::vector<double>> rows;
  RawRow row;
  while (reader.next(row)) {
    rows.emplace_back(row.values.begin(), row.values.end());
    if (texts != nullptr) texts->emplace_back(row.label);
  }
  return rows;
}

TEST(IdxReader, ReadsItemsBesideLabels) {
  std::vector<std::string> labels;
  const auto rows = idx_rows(idx(8, {2, 1, 3}, "\x01\x02\x03\xff\x05\x06"), idx(8, {2}, "\x07\x09"), &labels);
  EXPECT_EQ(rows, (std::vector<std::vector<double>>{{1, 2, 3}, {255, 5, 6}}));
  EXPECT_EQ(labels, (std::vector<std::string>{"7", "9"}));
}

TEST(IdxReader, ReadsEveryValueType) {
  EXPECT_EQ(idx_rows(idx(9, {1, 1}, "\xff"), "")[0][0], -1);
  EXPECT_EQ(idx_rows(idx(0x0B, {1, 1}, std::string("\xff\xfe", 2)), "")[0][0], -2);
  EXPECT_EQ(idx_rows(idx(0x0C, {1, 1}, word(0x80000000)), "")[0][0], -2147483648.0);
  EXPECT_EQ(idx_rows(idx(0x0D, {1, 1}, word(0x3fc00000)), "")[0][0], 1.5);
  EXPECT_EQ(idx_rows(idx(0x0E, {1, 1}, word(0x3ff80000) + word(0)), "")[0][0], 1.5);
}

TEST(IdxReader, BadHeadersAndWrongLengthsAreRefused) {
  const std::string good = idx(8, {2, 2}, "abcd");
  const auto refused = [](const std::string& items, const std::string& labels, const std::string& why) {
    const auto [kind, message] = error_of([&] { idx_rows(items, labels); });
    EXPECT_EQ(kind, ErrorKind::invalid_data);
    EXPECT_TRUE(contains(message, why)) << message;
  };
  refused("", "", "header");
  refused(good.substr(0, 9), "", "header");
  refused("a,b\n1,2\n", "", "not an IDX file");
  refused(idx(7, {2, 2}, "abcd"), "", "not an IDX file");
  refused(idx(8, {}, ""), "", "not an IDX file");
  refused(good.substr(0, good.size() - 1), "", "ends before the last item");
  refused(good + "x", "", "goes on");
  refused(idx(8, {0, 2}, ""), "", "no items");
  refused(idx(8, {2, 0}, ""), "", "must have 1 to");
  refused(idx(8, {2, 0xffffffff, 0xffffffff, 0xffffffff}, ""), "", "must have 1 to");
  refused(idx(14, {0xffffffff, 1 << 24}, "abc"), "", "ends before the last item");
  refused(good, idx(8, {3}, "abc"), "3 labels");
  refused(good, idx(8, {2, 2}, "abcd"), "one dimension");
}

TEST(Numbers, OneExactSpellingOrNotANumber) {
  EXPECT_EQ(parse_number("+1.5e3"), 1500.0);
  EXPECT_EQ(parse_number("-0.25"), -0.25);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  EXPECT_EQ(parse_number("-1e999"), -HUGE_VAL);
  EXPECT_TRUE(std::isinf(parse_number("inf")));
  for (const char* text : {"", " ", "+", "-", "+-1", "1,5", "1 ", " 1", "1x", "0x10", "nan", "?", "1e", "--1"}) {
    EXPECT_TRUE(std::isnan(parse_number(text))) << text;
  }
}

}  // namespace
}  // namespace sotto
