// Any number of threads reads the rows, the lines and the errors that one reader reads from the front.
#include <gtest/gtest.h>

#include <random>

#include "data_testing.h"
#include "sotto/data/encoder.h"
#include "sotto/files/complete.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/libsvm_reader.h"
#include "sotto/files/load.h"
#include "sotto/files/read_rows.h"
#include "sotto/files/text_pieces.h"

namespace sotto {
namespace {

using testing::contains;
using testing::gzip;
using testing::TempFile;

/// What a row looked like, with its line.
using Seen = std::vector<std::string>;

std::string text_of(const RawRow& row, std::uint64_t line) {
  std::string text = std::to_string(line) + "|" + std::string(row.label);
  for (const std::string_view cell : row.cells) text += "|" + std::string(cell);
  for (std::size_t i = 0; i < row.indices.size(); ++i) {
    text += "|" + std::to_string(row.indices[i]) + ":" + std::to_string(row.values[i]);
  }
  return text;
}

class Collect final : public RowWork {
 public:
  Collect(Seen& all, std::size_t most) : all_(all), most_(most) {}
  void begin() override { rows_.clear(); }
  void take(const RawRow& row) override { rows_.emplace_back(row.line, text_of(row, 0)); }
  void deliver(std::uint64_t lines_before) override {
    for (const auto& [line, text] : rows_) all_.push_back(std::to_string(line + lines_before) + text.substr(1));
  }
  bool full() const override { return rows_.size() >= most_; }

 private:
  Seen& all_;
  std::size_t most_;
  std::vector<std::pair<std::uint64_t, std::string>> rows_;
};

/// The rows, and the error at the end if there is one.
template <class Read>
Seen with_error(const Read& read) {
  Seen seen;
  try {
    read(seen);
  } catch (const Error& error) {
    seen.push_back(std::string("error: ") + error.what());
  }
  return seen;
}

Seen one_by_one(RowReader& reader) {
  return with_error([&](Seen& seen) {
    RawRow row;
    while (reader.next(row)) seen.push_back(text_of(row, row.line));
  });
}

Seen on_threads(RowReader& reader, unsigned threads, std::size_t most = 1000000) {
  return with_error(
      [&](Seen& seen) { read_rows(reader, threads, [&] { return std::make_unique<Collect>(seen, most); }); });
}

/// Hands out its bytes a few at a time.
class Dribble final : public ByteSource {
 public:
  Dribble(std::string_view bytes, std::size_t step) : inner_(bytes, "some.csv"), step_(step) {}
  std::size_t read(std::span<char> buffer) override {
    return inner_.read(buffer.first(std::min(step_, buffer.size())));
  }
  const std::string& name() const noexcept override { return inner_.name(); }

 private:
  MemorySource inner_;
  std::size_t step_;
};

CsvReader csv(std::string_view text) { return {std::make_unique<Dribble>(text, 100003), CsvLayout{}}; }

/// Longer than several pieces. `quotes`: cells with separators, quotes and line ends in them.
std::string long_table(std::size_t bytes, bool quotes) {
  std::mt19937 random(3);
  std::string text = "a,b,c\r\n";
  while (text.size() < bytes) {
    text += std::to_string(random() % 100000) + ", 0." + std::to_string(random()) + " ,";
    switch (quotes ? random() % 6 : 5) {
      case 0: text += "\"two\nlines\""; break;
      case 1: text += "\"a, \"\"quoted\"\" word\""; break;
      case 2: text += "\"" + std::string(random() % 300, '\n') + "\""; break;
      case 3: text += "5\" pipe"; break;
      case 4: text += "x\n\n  "; break;
      default: text += "plain"; break;
    }
    text += random() % 3 == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST(ReadRows, AnyNumberOfThreadsReadsTheSameRowsAndLines) {
  for (const bool quotes : {false, true}) {
    const std::string text = long_table(5 * TextPieces::kPieceBytes, quotes);
    CsvReader front = csv(text);
    const Seen expected = one_by_one(front);
    EXPECT_GT(expected.size(), 10000U);
    EXPECT_FALSE(contains(expected.back(), "error"));
    for (const unsigned threads : {1U, 2U, 3U, 8U}) {
      CsvReader reader = csv(text);
      EXPECT_TRUE(on_threads(reader, threads) == expected) << threads;
      RawRow row;
      EXPECT_FALSE(reader.next(row)) << "nothing is left";
    }
    CsvReader reader = csv(text);
    EXPECT_TRUE(on_threads(reader, 3, 777) == expected) << "in parts";
  }
}

TEST(ReadRows, ErrorsAreThoseOfTheFirstFaultInTheFileWithItsLine) {
  const std::string start = long_table(3 * TextPieces::kPieceBytes / 2, true);
  const std::string rest = long_table(2 * TextPieces::kPieceBytes, false).substr(7);
  for (const std::string& fault : {std::string("1,2\n"), std::string("1,2,3,4\n"), std::string("1,\"x\"y,2\n"),
                                   std::string("1,\0,2\n", 6), std::string("1,2,\"never closed\n")}) {
    const std::string text = start + fault + rest + "a second fault\n" + rest;
    CsvReader front = csv(text);
    const Seen expected = one_by_one(front);
    ASSERT_TRUE(contains(expected.back(), "error: some.csv, line ")) << fault;
    for (const unsigned threads : {1U, 2U, 5U}) {
      CsvReader reader = csv(text);
      EXPECT_EQ(on_threads(reader, threads).back(), expected.back());
      CsvReader in_parts = csv(text);
      EXPECT_EQ(on_threads(in_parts, threads, 1000).back(), expected.back());
    }
  }
}

TEST(ReadRows, AFaultBeforeTheEndOfACutFileIsToldFirst) {
  const std::string packed = gzip("a,b\n1,2\n1,2,3\n" + std::string(100000, '\n'));
  for (const std::size_t cut : {std::size_t{0}, std::size_t{9}}) {
    const std::string_view bytes = std::string_view(packed).substr(0, packed.size() - cut);
    CsvReader reader(unpack_if_gzip(std::make_unique<MemorySource>(bytes, "f")), CsvLayout{});
    EXPECT_TRUE(contains(on_threads(reader, 2).back(), "line 3")) << cut;
  }
}

TEST(ReadRows, LibsvmIsReadAlike) {
  std::mt19937 random(5);
  std::string text;
  while (text.size() < 3 * TextPieces::kPieceBytes) {
    text += std::to_string(random() % 2) + " 1:0.5 " + std::to_string(2 + random() % 50) + ":" +
            std::to_string(random()) + (random() % 9 == 0 ? " # note\n\n" : "\n");
  }
  const auto reader_of = [&](const std::string& all) {
    return LibsvmReader(std::make_unique<MemorySource>(all, "some.svm"), 100);
  };
  for (const std::string& all : {text, text + "1 3:1 2:1\n" + text}) {
    LibsvmReader front = reader_of(all);
    const Seen expected = one_by_one(front);
    for (const unsigned threads : {1U, 2U, 4U}) {
      LibsvmReader reader = reader_of(all);
      const Seen seen = on_threads(reader, threads);
      EXPECT_EQ(seen.back(), expected.back()) << threads;
      if (all.size() == text.size()) {
        EXPECT_TRUE(seen == expected) << threads;
      }
    }
  }
}

TEST(ReadRows, DatasetsReportsAndFingerprintsDoNotDependOnThreads) {
  std::mt19937 random(9);
  std::string text = "x,job,y\n";
  while (text.size() < 3 * TextPieces::kPieceBytes) {
    text += (random() % 50 == 0 ? "?" : "0." + std::to_string(random())) + (random() % 2 == 0 ? ",a," : ",other,") +
            (random() % 70 == 0 ? "maybe" : std::to_string(random() % 2)) + "\n";
  }
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "y";
  schema.columns = {{"x", NumericColumn{Range{0, 0.5}, NumericScale::linear}}, {"job", CategoryColumn{{"a", "b"}}}};
  for (const std::string& bytes : {text, gzip(text)}) {
    const TempFile file("rows.csv", bytes);
    const Encoder encoder(complete_for(file.path(), schema));
    const auto load_with = [&](unsigned threads) {
      DatasetBuilder builder(encoder.facts(0));
      auto report = load_fingerprinted(file.path(), encoder, {ReadMode::strict, threads}, builder);
      return std::pair(builder.finish(), std::move(report));
    };
    const auto [rows, report] = load_with(1);
    EXPECT_EQ(report.fingerprint, fingerprint_of(file.path(), schema));
    EXPECT_GT(report.value.tally.unusable, 100U);
    const std::size_t values = rows.facts().rows * rows.facts().features;
    for (const unsigned threads : {2U, 5U}) {
      const auto [other, same] = load_with(threads);
      ASSERT_EQ(other.facts().rows, rows.facts().rows);
      EXPECT_TRUE(std::equal(rows.view().dense, rows.view().dense + values, other.view().dense));
      EXPECT_TRUE(std::equal(rows.view().labels, rows.view().labels + rows.facts().rows, other.view().labels));
      EXPECT_EQ(same.fingerprint, report.fingerprint);
      EXPECT_EQ(same.value.tally, report.value.tally);
      ASSERT_EQ(same.value.first_problems.size(), LoadReport::kPlacesKept);
      for (std::size_t i = 0; i < LoadReport::kPlacesKept; ++i) {
        EXPECT_EQ(same.value.first_problems[i].line, report.value.first_problems[i].line);
      }
      EXPECT_EQ(count_rows(file.path(), schema, threads).value.rows, rows.facts().rows);
      EXPECT_EQ(read_usable(file.path(), encoder, threads).unusable, report.value.tally.unusable);
    }
  }
}

}  // namespace
}  // namespace sotto
