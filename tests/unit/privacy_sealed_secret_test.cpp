// Sealed secrets: what comes out is what went in; nothing comes out with another key, for another run, or after a
// change.
#include <gtest/gtest.h>

#include "sensitive_access.h"
#include "sotto/base/error.h"
#include "sotto/privacy/sealed_secret.h"

namespace sotto {
namespace {

const Digest kKey = sha256("a key");
const Vector kValues = {1.5, -2.25, 1e-300};

std::string sealed(const std::string& context = "run") {
  return SealedSecret::seal(Sensitive<Vector>(kValues), "note", kKey, context);
}

TEST(SealedSecret, OpensToWhatWasSealed) {
  SealedSecret::Opened opened = SealedSecret::open(sealed(), kKey, "run");
  EXPECT_EQ(SensitiveTestAccess::open(std::move(opened.secret)), kValues);
  EXPECT_EQ(opened.note, "note");
  SealedSecret::Opened none =
      SealedSecret::open(SealedSecret::seal(Sensitive<Vector>(Vector()), "", kKey, ""), kKey, "");
  EXPECT_TRUE(SensitiveTestAccess::open(std::move(none.secret)).empty());
}

TEST(SealedSecret, TheSameSecretIsNeverSealedToTheSameBytes) {
  const std::string one = sealed(), other = sealed();
  EXPECT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i + 8 <= one.size(); i += 8) EXPECT_NE(one.substr(i, 8), other.substr(i, 8)) << i;
}

TEST(SealedSecret, AnotherKeyAnotherRunOrAnyChangedByteIsRefused) {
  const std::string good = sealed();
  EXPECT_THROW(SealedSecret::open(good, sha256("another key"), "run"), Error);
  EXPECT_THROW(SealedSecret::open(good, kKey, "another run"), Error);
  EXPECT_THROW(SealedSecret::open("", kKey, "run"), Error);
  EXPECT_THROW(SealedSecret::open(good.substr(0, good.size() - 1), kKey, "run"), Error);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_THROW(SealedSecret::open(bad, kKey, "run"), Error) << i;
  }
}

}  // namespace
}  // namespace sotto
