// Text and answers that were made to break the boundary. Every refusal has words; none is "an internal error".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "capi/memory_host.h"
#include "sotto/privacy/sealed_secret.h"

namespace sotto {
namespace {

using test::MemoryHost;
using testing::HasSubstr;

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }
constexpr std::size_t kDeep = 200'000;  // copying or writing it would exhaust the stack
constexpr const char* kArray =
    R"({"format": "idx", "features": 2, "data_norm": 1.0, "storage": "dense", "complete": true,
        "label": {"column": "y", "positive": ["yes"], "negative": ["no"]}})";

sotto_status schema_status(const std::string& label, const std::string& features, const std::string& options,
                           sotto_error& error) {
  sotto_text schema{};
  const sotto_status status = sotto_schema(label.c_str(), features.c_str(), options.c_str(), "{}", &schema, &error);
  sotto_text_free(&schema);
  return status;
}

TEST(CapiHostile, DeepNestingIsRefusedWhereverTextIsTaken) {
  sotto_error error{};
  EXPECT_EQ(schema_status("y", R"({"age": )" + nested(kDeep) + "}", "{}", error), SOTTO_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, HasSubstr("nested too deeply"));
  EXPECT_EQ(schema_status("y", R"({"age": [0, 1]})", R"({"projection": )" + nested(kDeep) + "}", error),
            SOTTO_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, HasSubstr("nested too deeply"));

  MemoryHost host(10);
  const sotto_rows rows = host.source();
  const sotto_store store = host.store();
  sotto_text text{};
  const std::string request = R"({"epsilon": )" + nested(kDeep) + "}";
  EXPECT_EQ(sotto_plan(&rows, &store, "{}", request.c_str(), &text, &error), SOTTO_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, HasSubstr("nested too deeply"));
  const std::string options = R"({"budget_epsilon": )" + nested(kDeep) + "}";
  EXPECT_EQ(sotto_ledger_create(&store, host.anchor.c_str(), &rows, options.c_str(), &error), SOTTO_INVALID_ARGUMENT);
  sotto_collected* collected = nullptr;
  EXPECT_EQ(sotto_collected_for(nested(kDeep).c_str(), &collected, &error), SOTTO_INVALID_ARGUMENT);
}

TEST(CapiHostile, ALabelThatIsNoTextIsAnErrorOfTheCaller) {
  sotto_error error{};
  EXPECT_EQ(schema_status("\xff", R"({"age": [0, 1]})", "{}", error), SOTTO_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, HasSubstr("UTF-8"));
}

/// One shard of 40 rows that has the key and answers with a note and so many numbers.
struct LyingShard {
  MemoryHost ledger{40};
  std::string key = std::string(64, '7');
  std::string note = R"({"rows": 40, "sum": ")" + std::string(64, '0') + R"("})";
  std::size_t numbers = 2;
  std::uint64_t size = 40;
  char fingerprint[1][65] = {};
  char whole[65] = {};
  const char* each = fingerprint[0];
  std::string logged;

  sotto_shards shards() {
    sotto_shards all{};
    all.context = this;
    all.facts = {40, 2, 2, 1.0};
    all.fingerprint = whole;
    all.count = 1;
    all.sizes = &size;
    all.fingerprints = &each;
    all.key = key.c_str();
    all.run = [](void* self, const char* task, void (*take)(void*, size_t, const char*, size_t), void* taker) {
      const auto& host = *static_cast<LyingShard*>(self);
      Digest secret{};
      EXPECT_TRUE(digest_from_hex(host.key, secret));
      const std::string sealed =
          SealedSecret::seal(Sensitive<Vector>(Vector(host.numbers, 0.5)), host.note, secret, task);
      take(taker, 0, sealed.data(), sealed.size());
      return 0;
    };
    all.log = [](void* self, const char* text) { static_cast<LyingShard*>(self)->logged = text; };
    return all;
  }
  void open() {
    sotto_initialise();
    sotto_error error{};
    const sotto_shards all = shards();
    std::uint64_t sizes[1] = {};
    ASSERT_EQ(sotto_shards_describe(&all, kArray, sizes, fingerprint, whole, &error), SOTTO_OK) << error.message;
    sotto_rows facts{};
    facts.facts = {40, 2, 2, 1.0};
    facts.fingerprint = whole;
    const sotto_store store = ledger.store();
    ASSERT_EQ(sotto_ledger_create(&store, ledger.anchor.c_str(), &facts,
                                  R"({"budget_epsilon": 9, "budget_delta": 1e-6, "filter": "sum"})", &error),
              SOTTO_OK)
        << error.message;
  }
  sotto_status train(sotto_error& error) {
    const sotto_shards all = shards();
    const sotto_store store = ledger.store();
    sotto_text model{};
    std::uint64_t entry = 0;
    int stored = 0;
    const sotto_status status = sotto_train_shards(
        &all, &store, kArray, R"({"epsilon": 1, "lambda": 0.1, "again": true})", &model, &entry, &stored, &error);
    sotto_text_free(&model);
    return status;
  }
};

TEST(CapiHostile, AShardThatAnswersInAnotherShapeIsToldLikeOneThatIsAway) {
  LyingShard host;
  host.open();
  sotto_error error{};
  for (const char* note : {"", "[]", "{}", R"({"rows": "40", "sum": "00"})", R"({"rows": 40})", "\xff",
                           R"({"rows": -1, "sum": 5})", R"({"rows": 41, "sum": ""})"}) {
    host.note = note;
    EXPECT_EQ(host.train(error), SOTTO_INVALID_DATA) << note;
    EXPECT_STREQ(error.message, SOTTO_SHARDS_FAILED) << note;
  }
  EXPECT_TRUE(host.ledger.released.empty());
  EXPECT_EQ(std::ranges::count(host.ledger.asked, "append reserved"), 8) << "what was reserved stays spent";
}

TEST(CapiHostile, AShardThatAnswersWithOtherNumbersOfWeightsReleasesNothing) {
  LyingShard host;
  host.open();
  sotto_error error{};
  for (const std::size_t numbers : {0, 1, 3, 4096}) {
    host.numbers = numbers;
    EXPECT_EQ(host.train(error), SOTTO_INVALID_DATA) << numbers;
    EXPECT_STREQ(error.message, SOTTO_SHARDS_FAILED) << numbers;
    EXPECT_THAT(host.logged, HasSubstr("another number of weights"));
  }
  EXPECT_TRUE(host.ledger.released.empty());
  host.numbers = 2;
  EXPECT_EQ(host.train(error), SOTTO_OK) << error.message;
}

}  // namespace
}  // namespace sotto
