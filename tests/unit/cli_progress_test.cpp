// The progress bar, with a clock and a terminal of the test's own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "../cli/progress.h"

namespace sotto::cli {
namespace {

class ProgressTest : public testing::Test {
 protected:
  ~ProgressTest() override {
    std::fclose(terminal_);
    std::free(bytes_);  // NOLINT: open_memstream allocates it
  }
  std::string seen() {
    std::fflush(terminal_);
    return {bytes_, size_};
  }
  Progress::Clock clock() {
    return [this] { return now_; };
  }

  double now_ = 1000;
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* terminal_ = open_memstream(&bytes_, &size_);
};

TEST_F(ProgressTest, WorkUnderTwoSecondsShowsNothing) {
  {
    Progress bar(terminal_, clock());
    bar.update("reading", 0.1);
    now_ += 1.9;
    bar.update("reading", 0.9);
    bar.tick();
  }
  EXPECT_EQ(seen(), "");
}

TEST_F(ProgressTest, LongerWorkShowsABarAndTakesItAway) {
  {
    Progress bar(terminal_, clock());
    now_ += 2.1;
    bar.update("reading", 0.25);
    EXPECT_EQ(seen(), "\r\033[Kreading [##########..............................] 25%");
    bar.update("training", 1.0);
    EXPECT_TRUE(seen().ends_with("\r\033[Ktraining [########################################] 100%"));
  }
  EXPECT_TRUE(seen().ends_with("100%\r\033[K"));
}

TEST_F(ProgressTest, TheSamePercentIsDrawnOnce) {
  Progress bar(terminal_, clock());
  now_ += 2.1;
  bar.update("reading", 0.250);
  const std::string before = seen();
  bar.update("reading", 0.254);
  EXPECT_EQ(seen(), before);
}

TEST_F(ProgressTest, WhatTellsNoFractionShowsTheTime) {
  Progress bar(terminal_, clock());
  bar.tick();
  EXPECT_EQ(seen(), "");
  now_ += 3;
  bar.tick();
  EXPECT_EQ(seen(), "\r\033[Kworking, 3 s");
}

TEST_F(ProgressTest, TheTimeDoesNotHideABarThatMoves) {
  Progress bar(terminal_, clock());
  now_ += 3;
  bar.update("reading", 0.5);
  now_ += 0.9;
  bar.tick();
  EXPECT_TRUE(seen().ends_with("50%"));
  now_ += 0.2;
  bar.tick();
  EXPECT_TRUE(seen().ends_with("working, 4 s"));
  bar.update("reading", 0.5);
  EXPECT_TRUE(seen().ends_with("50%"));
}

TEST_F(ProgressTest, AfterItsEndItIsSilent) {
  Progress bar(terminal_, clock());
  now_ += 3;
  bar.update("reading", 0.5);
  bar.end();
  const std::string before = seen();
  bar.update("reading", 0.6);
  now_ += 3;
  bar.tick();
  bar.end();
  EXPECT_EQ(seen(), before);
}

TEST_F(ProgressTest, WithoutATerminalNothingHappens) {
  Progress bar(nullptr, clock());
  EXPECT_TRUE(bar.silent());
  now_ += 3;
  bar.update("reading", 0.5);
  bar.tick();
  bar.end();
  EXPECT_EQ(seen(), "");
}

TEST_F(ProgressTest, FractionsOutsideTheBarAreCut) {
  Progress bar(terminal_, clock());
  now_ += 3;
  bar.update("reading", 1.7);
  EXPECT_TRUE(seen().ends_with("] 100%"));
  bar.update("reading", -1);
  EXPECT_TRUE(seen().ends_with("] 0%"));
}

}  // namespace
}  // namespace sotto::cli
