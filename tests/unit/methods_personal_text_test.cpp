// Personal epsilons as text: runs of positions, the line that names a block file, and what is refused.
#include <gtest/gtest.h>

#include <sstream>

#include "sotto/base/error.h"
#include "sotto/methods/personal_text.h"

namespace sotto {
namespace {

PersonalEpsilons read(const std::string& text, std::uint64_t most = kMaxPositions) {
  std::istringstream lines(text);
  return read_epsilons(lines, "file", {}, most);
}

TEST(PersonalText, LinesAreOnePositionOrARunOfThem) {
  const PersonalEpsilons personal = read("0.5\n\n1 3\n  0.25  \n");
  EXPECT_EQ(personal.levels, (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(personal.level_of, (std::vector<std::uint8_t>{1, 0, 0, 0, 2}));
}

TEST(PersonalText, WhatIsWrittenIsReadAgain) {
  const PersonalEpsilons personal = read("0.1\n3 2\n0.1 4\n");
  const std::string text = epsilons_text(255, personal);
  EXPECT_EQ(text, "# epsilons of block file 00000000000000ff\n0.1 1\n3 2\n0.1 4\n");
  EXPECT_EQ(read(text).level_of, personal.level_of);
  EXPECT_EQ(read(text).levels, personal.levels);
}

TEST(PersonalText, TheFirstLineIsCheckedBeforeAnythingIsRead) {
  std::istringstream lines("nonsense\n");
  EXPECT_THROW(read_epsilons(lines, "file", [](const std::string& first) { throw first; }), std::string);
}

TEST(PersonalText, WhatIsNoEpsilonOrNoCountIsRefusedByItsLine) {
  for (const char* line : {"0", "-1", "nan", "inf", "1e400", "x", "1 0", "1 -1", "1 +1", "1 1.5", "1 2 3",
                           "1 18446744073709551616", "1 4294967297"}) {
    EXPECT_THROW(read(std::string("1\n") + line + "\n"), Error) << line;
  }
  EXPECT_THROW(read("1 3\n1 2\n", 4), Error) << "more positions than may be";
  EXPECT_EQ(read("1 3\n1\n", 4).level_of.size(), 4U);
}

TEST(PersonalText, SixtyFourLevelsAreTheMost) {
  std::string text;
  for (int i = 1; i <= 64; ++i) text += std::to_string(i) + "\n";
  EXPECT_EQ(read(text).levels.size(), 64U);
  EXPECT_THROW(read(text + "65\n"), Error);
}

}  // namespace
}  // namespace sotto
