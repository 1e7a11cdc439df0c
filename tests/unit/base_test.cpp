#include <gtest/gtest.h>

#include <thread>

#include "sotto/base/catalog.h"
#include "sotto/base/error.h"
#include "sotto/base/stop.h"

namespace sotto {
namespace {

struct Apple {
  static constexpr std::string_view kName = "apple";
  static constexpr std::string_view kSummary = "a fruit";
  double weight = 1.0;
  static constexpr auto fields() { return std::tuple{field("weight", &Apple::weight, "in grams")}; }
};
struct Pear {
  static constexpr std::string_view kName = "pear";
  static constexpr std::array<std::string_view, 1> kAliases = {"poire"};
  static constexpr std::string_view kSummary = "another";
  static constexpr auto fields() { return std::tuple{}; }
};
using Fruit = std::variant<Apple, Pear>;

TEST(Catalog, FindsAMemberByNameAndByAlias) {
  EXPECT_EQ(name_of(make_by_name<Fruit>("pear", "fruit")), "pear");
  EXPECT_EQ(name_of(make_by_name<Fruit>("poire", "fruit")), "pear");
}

TEST(Catalog, AnUnknownNameListsTheSet) {
  try {
    make_by_name<Fruit>("plum", "fruit");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid_argument);
    EXPECT_EQ(e.field(), "fruit");
    EXPECT_STREQ(e.what(), "fruit: got 'plum', must be apple or pear");
  }
}

TEST(Catalog, WalksFieldsWithTheirHelp) {
  Apple apple;
  for_each_field(apple, [](std::string_view name, double& value, std::string_view help) {
    EXPECT_EQ(name, "weight");
    EXPECT_EQ(help, "in grams");
    value = 7;
  });
  EXPECT_EQ(apple.weight, 7);
}

TEST(StopCheck, TheInnermostIsAskedAndNobodyOutsideOfThem) {
  check_stop();
  int outer = 0;
  int inner = 0;
  {
    const StopCheck first([&] { ++outer; });
    check_stop();
    {
      const StopCheck second([&] { ++inner; });
      check_stop();
      std::thread([] { check_stop(); }).join();  // another thread has its own
    }
    check_stop();
    const StopCheck stopping([] { throw Error(ErrorKind::internal, "stop"); });
    EXPECT_THROW(check_stop(), Error);
    const StopCheck silent({});
    check_stop();
  }
  check_stop();
  EXPECT_EQ(outer, 2);
  EXPECT_EQ(inner, 1);
}

}  // namespace
}  // namespace sotto
