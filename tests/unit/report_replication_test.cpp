#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "sotto/base/error.h"
#include "sotto/report/replication.h"

namespace sotto::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReport = R"({"title": "T <b>", "introduction": "I & J", "figures": ["Song13-1.json"],
  "claims": [{"paper": "Song13", "claim": "C <i>", "published": "2X", "measured": 1.5, "verdict": "not_reproduced"},
             {"paper": "Song13", "claim": "D", "published": "", "measured": "", "verdict": "in part"}]})";
constexpr const char* kFigure = R"({"id": "Song13-1", "paper": "Song13", "figure": "Figure 1", "title": "Objective",
  "caption": "C", "alt": "A", "verdict": {"kind": "only_invalid", "text": "W"},
  "panels": [{"title": "P", "x": {"label": "x", "scale": "log"}, "y": {"label": "y", "scale": "linear"},
    "series": [{"name": "S", "private": false, "points": [{"x": 1, "y": 2, "sd": 0.5, "runs": 20}, {"x": 2, "y": null}]}]}],
  "tables": [{"title": "T", "columns": ["a", "b"], "rows": [["c", 0.123456], [null, 7]]}]})";

class ReplicationFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
    write("report.json", kReport);
    write("Song13-1.json", kFigure);
    write("Song13-1.csv", "x,y\n1,2\n");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Replication read() { return read_replication(folder_.string(), (folder_ / "index.html").string()); }
  /// The message of the refusal of a figure in which `from` is replaced.
  std::string refusal(const std::string& from, const std::string& to) {
    std::string text = kFigure;
    text.replace(text.find(from), from.size(), to);
    write("Song13-1.json", text);
    try {
      read();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_data);
      return e.what();
    }
    return "";
  }
  fs::path folder_;
};

TEST_F(ReplicationFiles, AreReadAsTheyAre) {
  const Replication all = read();
  ASSERT_EQ(all.figures.size(), 1u);
  const PaperFigure& one = all.figures[0];
  EXPECT_EQ(one.number, "Figure 1");
  EXPECT_EQ(one.figure.verdict->kind, VerdictKind::only_invalid);
  const Chart& panel = one.figure.panels.at(0);
  EXPECT_EQ(panel.x.scale, Scale::log);
  EXPECT_FALSE(panel.series.at(0).is_private);
  EXPECT_EQ(panel.series[0].points[0].runs, 20u);
  EXPECT_TRUE(std::isnan(panel.series[0].points[1].y));
  EXPECT_EQ(one.figure.tables.at(0).rows[0][1], "0.1235");
  EXPECT_EQ(one.figure.tables[0].rows[1][0], "");
  EXPECT_EQ(one.figure.data->link, "Song13-1.csv");
  EXPECT_EQ(one.figure.data->text, "x,y\n1,2\n");
  EXPECT_EQ(all.claims.at(0).measured, "1.5");
}

TEST_F(ReplicationFiles, GiveAPageWithVerdictsOnTopThatPointToFigures) {
  const std::string html = html_of(read());
  const std::size_t table = html.find("id=\"verdicts\""), figure = html.find("id=\"Song13-1\"");
  ASSERT_NE(table, std::string::npos);
  ASSERT_NE(figure, std::string::npos);
  EXPECT_LT(table, figure);
  EXPECT_NE(html.find("<a href=\"#Song13-1\">Figure 1</a>"), std::string::npos);
  EXPECT_NE(html.find("Only with the invalid calibration"), std::string::npos);
  EXPECT_NE(html.find("T &lt;b&gt;"), std::string::npos);
  EXPECT_EQ(html.find("<i>"), std::string::npos);
  EXPECT_NE(html.find("in part"), std::string::npos);
}

TEST_F(ReplicationFiles, LinksAreRelativeToThePage) {
  const Replication all = read_replication(folder_.string(), (folder_.parent_path() / "index.html").string());
  EXPECT_EQ(all.figures[0].figure.data->link, folder_.filename().string() + "/Song13-1.csv");
}

TEST_F(ReplicationFiles, ALargeDataFileIsLinkedOnly) {
  write("Song13-1.csv", std::string(100'000, '1'));
  const Replication all = read();
  EXPECT_EQ(all.figures[0].figure.data->link, "Song13-1.csv");
  EXPECT_TRUE(all.figures[0].figure.data->text.empty());
}

TEST_F(ReplicationFiles, WhatIsWrongIsToldWithFileAndField) {
  EXPECT_NE(refusal("only_invalid", "wonderful").find("Song13-1.json: verdict: got 'wonderful'"), std::string::npos);
  EXPECT_NE(refusal("\"log\"", "\"cubic\"").find("scale: got 'cubic'"), std::string::npos);
  EXPECT_NE(refusal("\"id\": \"Song13-1\"", "\"id\": \"../x\"").find("id: must be letters"), std::string::npos);
  EXPECT_NE(refusal("\"title\": \"Objective\",", "").find("title"), std::string::npos);
  EXPECT_NE(refusal("\"x\": 1,", "\"x\": \"one\",").find("Song13-1.json"), std::string::npos);
  EXPECT_NE(refusal("]]}]}", "]"), "");
}

TEST_F(ReplicationFiles, AFigureOutsideTheFolderIsRefused) {
  write("report.json", R"({"title": "T", "figures": ["../secret.json"]})");
  EXPECT_THROW(read(), Error);
  write("report.json", R"({"title": "T", "figures": ["missing.json"]})");
  try {
    read();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::io);
  }
}

}  // namespace
}  // namespace sotto::report
