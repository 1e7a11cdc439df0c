#include <gtest/gtest.h>

#include "../cli/hint_text.h"

namespace sotto {
namespace {

TEST(HintText, EveryHintHasWordsOfTheCommandLine) {
  for (const auto& [name, kind] : enum_names(HintKind{})) {
    const std::string words = cli::hint_text({ErrorKind::invalid_argument, "m", "batch_rows", {kind, {"step", "b"}}});
    EXPECT_EQ(words.empty(), kind == HintKind::none) << name;
    const bool speaks = words.find("--") != words.npos || words.find("'sotto ") != words.npos;
    EXPECT_EQ(speaks, kind != HintKind::none) << name << ": " << words;
  }
}

TEST(HintText, AFieldIsAFlag) {
  const Error error(ErrorKind::invalid_argument, "m", "batch_rows", {HintKind::other_choice, {"method", "a", "b"}});
  EXPECT_EQ(cli::hint_text(error), "leave --batch-rows out, or choose a --method that has it: a or b");
}

}  // namespace
}  // namespace sotto
