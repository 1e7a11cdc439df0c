#include <gtest/gtest.h>

#include "sotto/base/nearest.h"
#include "sotto/methods/method.h"

namespace sotto {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, ASlipIsALetterTooManyMissingWrongOrTwoThatChangedPlaces) {
  EXPECT_EQ(slips_between("", ""), 0U);
  EXPECT_EQ(slips_between("train", "train"), 0U);
  EXPECT_EQ(slips_between("train", "trains"), 1U);
  EXPECT_EQ(slips_between("train", "rain"), 1U);
  EXPECT_EQ(slips_between("train", "brain"), 1U);
  EXPECT_EQ(slips_between("train", "trian"), 1U);
  EXPECT_EQ(slips_between("", "plan"), 4U);
  EXPECT_EQ(slips_between("kitten", "sitting"), 3U);
}

TEST(Nearest, AWordIsTakenForTheNamesItBeginsOrNearlySpells) {
  const std::vector<std::string_view> flags{"--epsilon",        "--delta", "--label",
                                            "--label-positive", "--data",  "--data-norm"};
  EXPECT_EQ(nearest_names("--eps", flags), Names{"--epsilon"});
  EXPECT_EQ(nearest_names("--lable", flags), Names{"--label"});
  EXPECT_EQ(nearest_names("--DATA_NORM", flags), Names{"--data-norm"});
  EXPECT_EQ(nearest_names("--dat", flags), (Names{"--data", "--data-norm"}));
  EXPECT_EQ(nearest_names("--colour", flags), Names{});
  EXPECT_EQ(nearest_names("--x", flags), Names{});
  EXPECT_EQ(nearest_names("", flags), Names{});
  EXPECT_EQ(nearest_names(std::string(100000, 'a'), flags), Names{}) << "not a matter of minutes either";
}

TEST(Nearest, AnUnknownMemberOfAListComesWithTheNearestOnes) {
  try {
    make_by_name<Method>("bolton", "method");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint().kind, HintKind::did_you_mean);
    EXPECT_EQ(error.hint().arguments, Names{"bolt_on"});
    EXPECT_EQ(error.field(), "method");
  }
  try {
    make_by_name<Method>("frobnicate", "method");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint().kind, HintKind::none);
  }
}

}  // namespace
}  // namespace sotto
