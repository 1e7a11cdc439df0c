// Rows that come one by one, and rows on several servers: the order they came in has no effect, what a shard sends is
// sealed, and everything is charged before a shard is asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "capi/memory_host.h"

namespace sotto {
namespace {

using nlohmann::json;
using test::MemoryHost;
using testing::HasSubstr;

constexpr const char* kSchema =
    R"({"format": "idx", "features": 2, "data_norm": 1.0, "storage": "dense", "complete": true,
        "label": {"column": "y", "positive": ["yes"], "negative": ["no"]}})";
const std::string kKey(64, '7');
constexpr const char* kBudget = R"({"budget_epsilon": 9, "budget_delta": 1e-6, "filter": "sum"})";
constexpr const char* kRequest = R"({"epsilon": 1, "lambda": 0.1, "passes": 2})";

int never(void*) { return 0; }

struct Collected {
  explicit Collected(const std::vector<std::vector<double>>& rows, const char* task = nullptr) {
    sotto_error error{};
    const char* columns[] = {"x", "y"};
    const sotto_status status = task == nullptr ? sotto_collected_new(kSchema, columns, 2, &held, &error)
                                                : sotto_collected_for(task, &held, &error);
    EXPECT_EQ(status, SOTTO_OK) << error.message;
    for (const std::vector<double>& row : rows) {
      const std::string label = row[0] > 0 ? "yes" : "no";
      EXPECT_EQ(sotto_collect_values(held, row.data(), row.size(), {label.data(), label.size()}), SOTTO_OK);
    }
  }
  Collected(const Collected&) = delete;
  Collected& operator=(const Collected&) = delete;
  ~Collected() { sotto_collected_free(held); }
  sotto_rows rows() const {
    sotto_rows rows{};
    sotto_error error{};
    EXPECT_EQ(sotto_collected_rows(held, never, nullptr, &rows, &error), SOTTO_OK) << error.message;
    return rows;
  }
  sotto_collected* held = nullptr;
};

std::vector<std::vector<double>> some_rows(std::size_t count, double turn = 1) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({(i % 2 == 0 ? 0.5 : -0.5), turn * static_cast<double>(i) / static_cast<double>(count)});
  }
  return rows;
}

/// The first feature of every row, in the order they are read.
std::vector<float> second_values(const sotto_rows& rows) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < rows.facts.rows; ++i) {
    const float* block = nullptr;
    EXPECT_EQ(rows.read(rows.context, i / rows.block_rows, &block), 0);
    values.push_back(block[rows.block_rows + i % rows.block_rows * 2 + 1]);
  }
  return values;
}

TEST(CapiCollected, RowsAreTheSameInWhateverOrderTheyCameAndAreReadInAnother) {
  std::vector<std::vector<double>> given = some_rows(3000);
  const Collected one(given);
  std::reverse(given.begin(), given.end());
  const Collected other(given);
  const sotto_rows first = one.rows(), second = other.rows();
  EXPECT_STREQ(first.fingerprint, second.fingerprint);
  std::vector<float> a = second_values(first), b = second_values(second);
  EXPECT_EQ(a.size(), 3000U);
  EXPECT_NE(a, b);
  EXPECT_FALSE(std::is_sorted(a.begin(), a.end()));
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
}

TEST(CapiCollected, EveryPlaceIsEquallyLikely) {
  // Of 4 rows, where the first one given ends up: 4000 shuffles, each place 1000 times but for 5 standard deviations.
  const Collected four({{0.5, 0.1}, {0.5, 0.2}, {0.5, 0.3}, {0.5, 0.4}});
  std::map<float, std::array<int, 4>> seen;
  for (int i = 0; i < 4000; ++i) {
    const std::vector<float> order = second_values(four.rows());
    for (std::size_t place = 0; place < 4; ++place) ++seen[order[place]][place];
  }
  ASSERT_EQ(seen.size(), 4U);
  for (const auto& [value, places] : seen) {
    for (const int count : places) EXPECT_NEAR(count, 1000, 140) << value;
  }
}

/// Three shards in this process. Writes down what was asked for.
struct ShardedHost {
  MemoryHost ledger;
  std::vector<std::vector<std::vector<double>>> rows{some_rows(300), some_rows(200, 2), some_rows(100, 3)};
  std::string key = kKey;
  std::vector<std::uint64_t> sizes = std::vector<std::uint64_t>(3);
  char fingerprints[3][65] = {};
  char whole[65] = {};
  std::vector<const char*> each;
  std::size_t silent = 99;  ///< a shard that does not answer
  std::set<std::string> sent;
  std::string other_task;
  std::string logged;

  sotto_shards shards() {
    each = {fingerprints[0], fingerprints[1], fingerprints[2]};
    sotto_shards all{};
    all.context = this;
    all.facts = {600, 2, 2, 1.0};
    all.fingerprint = whole;
    all.count = 3;
    all.sizes = sizes.data();
    all.fingerprints = each.data();
    all.key = kKey.c_str();
    all.run = [](void* self, const char* task, void (*take)(void*, size_t, const char*, size_t), void* taker) {
      auto& host = *static_cast<ShardedHost*>(self);
      host.ledger.note("shards");
      for (std::size_t p = 0; p < 3; ++p) {
        if (p == host.silent) continue;
        const std::string asked = host.other_task.empty() ? task : host.other_task;
        const Collected collected(host.rows[p], asked.c_str());
        const sotto_rows held = collected.rows();
        sotto_text sealed{};
        sotto_error error{};
        EXPECT_EQ(sotto_shard_answer(&held, asked.c_str(), host.key.c_str(), &sealed, &error), SOTTO_OK)
            << error.message;
        host.sent.insert(std::string(sealed.data, sealed.size));
        take(taker, p, sealed.data, sealed.size);
        sotto_text_free(&sealed);
      }
      return 0;
    };
    all.log = [](void* self, const char* text) { static_cast<ShardedHost*>(self)->logged = text; };
    return all;
  }
  void describe() {
    const sotto_shards all = shards();
    sotto_error error{};
    ASSERT_EQ(sotto_shards_describe(&all, kSchema, sizes.data(), fingerprints, whole, &error), SOTTO_OK)
        << error.message;
  }
  void open() {
    describe();
    sotto_error error{};
    EXPECT_EQ(sizes, (std::vector<std::uint64_t>{300, 200, 100}));
    sotto_rows facts{};
    facts.facts = {600, 2, 2, 1.0};
    facts.fingerprint = whole;
    const sotto_store store = ledger.store();
    ASSERT_EQ(sotto_ledger_create(&store, ledger.anchor.c_str(), &facts, kBudget, &error), SOTTO_OK) << error.message;
    ledger.asked.clear();
  }
  std::string message;
  json model;
  sotto_status train(const char* request = kRequest) {
    const sotto_shards all = shards();
    const sotto_store store = ledger.store();
    sotto_text text{};
    sotto_error error{};
    std::uint64_t entry = 0;
    int stored = 0;
    const sotto_status status = sotto_train_shards(&all, &store, kSchema, request, &text, &entry, &stored, &error);
    if (status == SOTTO_OK) model = json::parse(text.data);
    sotto_text_free(&text);
    message = error.message;
    return status;
  }
};

class CapiShards : public testing::Test {
 protected:
  CapiShards() {
    sotto_initialise();
    host_.open();
  }
  ShardedHost host_;
};

TEST_F(CapiShards, AreAskedOnceTheChargeIsCommittedAndAveragedIntoOneModel) {
  ASSERT_EQ(host_.train(), SOTTO_OK) << host_.message;
  EXPECT_EQ(host_.ledger.asked, (std::vector<std::string>{"append reserved", "shards", "append released"}));
  EXPECT_EQ(host_.model["card"]["method"], "shard_average");
  EXPECT_TRUE(host_.model["card"]["private"].get<bool>());
  EXPECT_GT(host_.model["weights"][0].get<double>(), 0);
  EXPECT_EQ(host_.model["card"]["facts"]["rows"], 600);
}

TEST_F(CapiShards, TheNoiseIsThatOfTheSizesTheyHave) {
  const auto planned = [&](const char* request) {
    const sotto_shards all = host_.shards();
    const sotto_store store = host_.ledger.store();
    sotto_text card{};
    sotto_error error{};
    EXPECT_EQ(sotto_plan_shards(&all, &store, kSchema, request, &card, &error), SOTTO_OK) << error.message;
    json read = json::parse(card.data);
    sotto_text_free(&card);
    return read;
  };
  const std::string asked =
      R"({"epsilon": 1, "lambda": 0, "passes": 2, "batch_rows": 10, "step": "constant", "step_size": 0.1)";
  const json card = planned((asked + "}").c_str());
  // Convex, constant steps, a row is in one batch a pass: Delta_p = passes 2 L step / b = 0.04 for every shard, and the
  // dearest is the one whose share of the average is largest: 300 of 600.
  EXPECT_NEAR(card["l2_sensitivity"].get<double>(), 0.5 * 0.04, 1e-6);
  EXPECT_EQ(card["noise"]["mechanism"], "l2_laplace");
  EXPECT_NEAR(card["noise"]["scale"].get<double>(), 0.5 * 0.04, 1e-4);
  EXPECT_EQ(planned((asked + R"(, "shards": 4})").c_str())["noise"], card["noise"])
      << "the number of shards is the host's, not the caller's";
  EXPECT_THAT(card["remarks"].dump(), HasSubstr("3 shards"));
}

TEST_F(CapiShards, AnAnswerThatIsMissingSealedOtherwiseOrForAnotherRunReleasesNothingAndStaysSpent) {
  host_.silent = 1;
  EXPECT_EQ(host_.train(), SOTTO_INVALID_DATA);
  EXPECT_EQ(host_.message, SOTTO_SHARDS_FAILED);
  EXPECT_THAT(host_.logged, HasSubstr("not every shard"));
  host_.silent = 99;
  host_.key = std::string(64, '8');
  EXPECT_EQ(host_.train(), SOTTO_INVALID_DATA);
  EXPECT_EQ(host_.message, SOTTO_SHARDS_FAILED);
  EXPECT_THAT(host_.logged, HasSubstr("sealed"));
  host_.key = kKey;
  host_.other_task = json{
      {"version", sotto_version()},
      {"run", "x"},
      {"schema", kSchema},
      {"request", kRequest},
      {"precision",
       "plain"}}.dump();
  EXPECT_EQ(host_.train(), SOTTO_INVALID_DATA) << "an answer to another task";
  EXPECT_EQ(host_.message, SOTTO_SHARDS_FAILED);
  EXPECT_EQ(std::count(host_.ledger.asked.begin(), host_.ledger.asked.end(), "append reserved"), 3);
  EXPECT_TRUE(host_.ledger.released.empty());
}

TEST_F(CapiShards, OtherRowsThanThoseOfTheLedgerReleaseNothing) {
  host_.rows[2][7][1] += 0.01;
  EXPECT_EQ(host_.train(), SOTTO_INVALID_DATA);
  EXPECT_EQ(host_.message, SOTTO_SHARDS_FAILED) << "a changed row looks like a shard that is away";
  EXPECT_THAT(host_.logged, HasSubstr("other rows"));
  EXPECT_TRUE(host_.ledger.released.empty());
}

TEST_F(CapiShards, TheSameRowsHaveOneFingerprintHoweverTheyAreParted) {
  std::vector<std::vector<double>> all;
  for (const auto& shard : host_.rows) all.insert(all.end(), shard.begin(), shard.end());
  EXPECT_STREQ(Collected(all).rows().fingerprint, host_.whole) << "on one server";
  ShardedHost turned;
  std::swap(turned.rows[0], turned.rows[2]);
  std::swap(turned.rows[1][3], turned.rows[2][5]);
  turned.describe();
  EXPECT_STREQ(turned.whole, host_.whole) << "on other shards";
  turned.rows[1][3][1] += 0.01;
  turned.describe();
  EXPECT_STRNE(turned.whole, host_.whole);
}

TEST_F(CapiShards, WhatHasNoProofForShardsIsRefusedBeforeAnythingIsCharged) {
  EXPECT_EQ(host_.train(R"({"method": "bolt_on", "epsilon": 1})"), SOTTO_UNSUPPORTED);
  EXPECT_EQ(host_.train(R"({"epsilon": 1, "order": "fresh"})"), SOTTO_UNSUPPORTED);
  EXPECT_EQ(host_.train(R"({"epsilon": 100})"), SOTTO_BUDGET_EXCEEDED);
  EXPECT_TRUE(host_.ledger.asked.empty());
}

TEST_F(CapiShards, NoAnswerIsSentTwiceTheSame) {
  ASSERT_EQ(host_.train(), SOTTO_OK) << host_.message;
  ASSERT_EQ(host_.train(R"({"epsilon": 1, "lambda": 0.1, "passes": 2, "again": true})"), SOTTO_OK) << host_.message;
  EXPECT_EQ(host_.sent.size(), 9U);
}

}  // namespace
}  // namespace sotto
