#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capi/boundary.h"
#include "capi/hint_text.h"
#include "capi/request.h"
#include "sotto/privacy/ledger/files.h"

namespace sotto {
namespace {

using testing::HasSubstr;

TEST(CapiHint, EveryHintHasWordsOfSqlAndNoneOfTheCommandLine) {
  for (const auto& [name, kind] : enum_names(HintKind{})) {
    const std::string words = capi::hint_text({ErrorKind::invalid_argument, "m", "batch_rows", {kind, {"step", "b"}}});
    EXPECT_EQ(words.empty(), kind == HintKind::none) << name;
    EXPECT_EQ(words.find("--"), words.npos) << words;
    EXPECT_EQ(words.find("'sotto "), words.npos) << words;
    EXPECT_TRUE(words.empty() || words.back() == '.') << words;
  }
}

TEST(CapiHint, LeavesInAPlaceOfItsOwn) {
  sotto_error error{};
  const Error refused(ErrorKind::unsupported, "ledger: no price", "ledger", {HintKind::other_filter, {"sum"}});
  capi::report(refused, &error);
  EXPECT_STREQ(error.message, "ledger: no price");
  EXPECT_THAT(error.hint, HasSubstr(R"(options => '{"filter": "sum"}')"));
  capi::report(Error(ErrorKind::io, "no"), &error);
  EXPECT_STREQ(error.hint, "");
  capi::report(refused, &error);
  capi::report(SOTTO_STOPPED, "stopped", &error);
  EXPECT_STREQ(error.hint, "");
}

TEST(CapiHint, StaysWithAMessageThatLosesItsPath) {
  const FileError refused(ErrorKind::invalid_data, "/a/b", "a copy", "ledger", {HintKind::move_ledger});
  sotto_error error{};
  capi::report(refused, &error);
  EXPECT_STREQ(error.message, "a copy");
  EXPECT_STREQ(error.log, "/a/b: a copy");
  EXPECT_THAT(error.hint, HasSubstr("sotto.move_ledger"));
}

TEST(CapiRequest, AKeyThatIsGivenTwiceIsRefused) {
  try {
    capi::asked_from(R"({"epsilon": 0.1, "lambda": 1, "epsilon": 10})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_EQ(error.field(), "request");
    EXPECT_STREQ(error.what(), "request: has a key twice in one object");
  }
}

}  // namespace
}  // namespace sotto
