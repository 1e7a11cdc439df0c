#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "capi/block_engine.h"
#include "capi/memory_host.h"
#include "capi/request.h"
#include "sotto/engines/in_memory.h"
#include "sotto/train.h"

namespace sotto {
namespace {

using nlohmann::json;
using test::MemoryHost;
using testing::HasSubstr;

constexpr const char* kSchema =
    R"({"format": "idx", "features": 3, "data_norm": 1.0, "storage": "dense", "complete": true})";
constexpr const char* kRequest = R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 2})";

struct Answer {
  sotto_status status = SOTTO_OK;
  std::string text;
  std::string message;
  std::uint64_t entry = 0;
  bool stored = false;
};

std::string take(sotto_text& text) {
  std::string copy(text.data != nullptr ? text.data : "", text.size);
  sotto_text_free(&text);
  return copy;
}

Answer train(MemoryHost& host, const std::string& request = kRequest) {
  Answer answer;
  sotto_text model{};
  sotto_error error{};
  int stored = 0;
  const sotto_rows rows = host.source();
  const sotto_store store = host.store();
  answer.status = sotto_train(&rows, &store, kSchema, request.c_str(), &model, &answer.entry, &stored, &error);
  answer.stored = stored != 0;
  answer.text = take(model);
  answer.message = error.message;
  return answer;
}

void open_ledger(MemoryHost& host,
                 const char* options = R"({"budget_epsilon": 3, "budget_delta": 1e-6, "filter": "sum"})") {
  sotto_error error{};
  const sotto_rows rows = host.source();
  const sotto_store store = host.store();
  ASSERT_EQ(sotto_ledger_create(&store, host.anchor.c_str(), &rows, options, &error), SOTTO_OK) << error.message;
}

std::uint64_t spent(const MemoryHost& host) { return host.records.back().fields.spent_loss / 1'000'000'000'000; }

class CapiTraining : public testing::Test {
 protected:
  CapiTraining() { sotto_initialise(); }
  MemoryHost host_;
};

TEST_F(CapiTraining, NoRowIsReadBeforeTheChargeIsCommittedAndNoModelLeavesBeforeItIsStored) {
  open_ledger(host_);
  host_.asked.clear();
  const Answer answer = train(host_);
  ASSERT_EQ(answer.status, SOTTO_OK) << answer.message;
  ASSERT_GE(host_.asked.size(), 3U);
  EXPECT_EQ(host_.asked.front(), "append reserved");
  EXPECT_EQ(host_.asked.back(), "append released");
  EXPECT_EQ(std::ranges::count(host_.asked, "read"), 2 * 28);
  EXPECT_EQ(host_.released.at(answer.entry), answer.text);
  const json model = json::parse(answer.text);
  EXPECT_TRUE(model["card"]["private"].get<bool>());
  EXPECT_EQ(model["card"]["budget"]["entry"].get<std::uint64_t>(), answer.entry);
}

TEST_F(CapiTraining, AHostThatCannotCommitTheChargeIsNotAskedForRows) {
  open_ledger(host_);
  host_.asked.clear();
  host_.stop_at = "append reserved";
  EXPECT_EQ(train(host_).status, SOTTO_STOPPED);
  EXPECT_EQ(std::ranges::count(host_.asked, "read"), 0);
  EXPECT_EQ(spent(host_), 0U);
}

TEST_F(CapiTraining, WhatIsStoppedWhileRowsAreReadStaysSpent) {
  open_ledger(host_);
  host_.stop_at = "read";
  EXPECT_EQ(train(host_).status, SOTTO_STOPPED);
  EXPECT_EQ(spent(host_), 1U);
  host_.stop_at = "append released";
  EXPECT_EQ(train(host_).status, SOTTO_STOPPED);
  EXPECT_EQ(spent(host_), 2U);
  EXPECT_TRUE(host_.released.empty());
  host_.stop_at.clear();
  host_.polls_left = 0;
  EXPECT_EQ(train(host_).status, SOTTO_STOPPED);
  EXPECT_EQ(spent(host_), 3U);
  host_.polls_left = UINT64_MAX;
  EXPECT_EQ(train(host_).status, SOTTO_BUDGET_EXCEEDED);
}

/// A training whose rows are pushed, and what its end said.
class Pushed {
 public:
  explicit Pushed(MemoryHost& host, const std::string& request = kRequest) : store_(host.store()) {
    const sotto_rows all = host.source();
    sotto_rows expected{};
    expected.facts = all.facts;
    expected.fingerprint = all.fingerprint;
    expected.block_rows = 1;
    status = sotto_training_begin(&expected, &store_, kSchema, request.c_str(), &training_, &error);
  }
  Pushed(const Pushed&) = delete;
  Pushed& operator=(const Pushed&) = delete;
  ~Pushed() { sotto_training_free(training_); }
  bool answered() const { return sotto_training_answered(training_) != 0; }
  sotto_status end(const sotto_rows* rows) { return sotto_training_end(training_, rows, &entry, &stored, &error); }

  sotto_status status = SOTTO_OK;
  sotto_error error{};
  std::uint64_t entry = 0;
  int stored = 0;

 private:
  sotto_store store_;
  sotto_training* training_ = nullptr;
};

constexpr const char* kOther = R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.02, "passes": 2})";

/// Another session is stopped while its host still commits what it reserved.
void abandon_a_charge(MemoryHost& host) {
  host.abandon = true;
  EXPECT_EQ(train(host, kOther).status, SOTTO_STOPPED);
}

TEST_F(CapiTraining, AChargeThatIsCommittedLateMakesNoOtherSessionFail) {
  open_ledger(host_);
  abandon_a_charge(host_);
  host_.asked.clear();
  const Answer answer = train(host_);
  ASSERT_EQ(answer.status, SOTTO_OK) << answer.message;
  EXPECT_EQ(std::ranges::count(host_.asked, "append reserved"), 2);
  EXPECT_EQ(spent(host_), 2U);
  EXPECT_EQ(json::parse(answer.text)["card"]["budget"]["entry"].get<std::uint64_t>(), answer.entry);
  EXPECT_EQ(train(host_).entry, answer.entry);  // the ledger and its anchor agree
}

TEST_F(CapiTraining, AReleaseIsNotLostToAChargeThatIsCommittedLate) {
  open_ledger(host_);
  Pushed pushed(host_);
  ASSERT_EQ(pushed.status, SOTTO_OK) << pushed.error.message;
  abandon_a_charge(host_);
  const sotto_rows rows = host_.source();
  ASSERT_EQ(pushed.end(&rows), SOTTO_OK) << pushed.error.message;
  EXPECT_TRUE(host_.released.contains(pushed.entry));
  EXPECT_EQ(spent(host_), 2U);
}

TEST_F(CapiTraining, AReleaseIsNotLostToARefreshThatIsCommittedLate) {
  open_ledger(host_);
  Pushed pushed(host_);
  ASSERT_EQ(pushed.status, SOTTO_OK) << pushed.error.message;
  const sotto_rows rows = host_.source();
  sotto_rows others = rows;
  const std::string fingerprint(64, 'b');
  others.fingerprint = fingerprint.c_str();
  const std::string anchor = host_.anchor + ".next";
  const sotto_store store = host_.store();
  sotto_error error{};
  host_.abandon = true;
  EXPECT_EQ(sotto_ledger_rebind(&store, anchor.c_str(), &others, &error), SOTTO_STOPPED);
  ASSERT_EQ(pushed.end(&rows), SOTTO_OK) << pushed.error.message;
  EXPECT_TRUE(host_.released.contains(pushed.entry));
  // Both anchors know of the move: a copy of the ledger from before it is behind the former one.
  const auto lines = [](const std::string& path) { return std::filesystem::file_size(path) / 86; };
  EXPECT_EQ(lines(host_.anchor), 1U + 1U + 1U + 1U);  // its head, made, reserved, moved
  EXPECT_EQ(lines(anchor), 1U + 1U + 1U + 1U);        // its head, what it began with, moved, released
  EXPECT_EQ(sotto_ledger_rebind(&store, host_.anchor.c_str(), &rows, &error), SOTTO_OK) << error.message;
  EXPECT_EQ(train(host_).entry, pushed.entry);
  std::filesystem::remove(anchor);
}

TEST_F(CapiTraining, ABudgetThatALateChargeUsedUpIsNotSpentTwice) {
  open_ledger(host_);  // for three
  ASSERT_EQ(train(host_).status, SOTTO_OK);
  ASSERT_EQ(train(host_, kOther).status, SOTTO_OK);
  host_.abandon = true;
  EXPECT_EQ(train(host_, R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.03})").status, SOTTO_STOPPED);
  EXPECT_EQ(train(host_, R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.04})").status, SOTTO_BUDGET_EXCEEDED);
  EXPECT_EQ(spent(host_), 3U);
}

TEST_F(CapiTraining, RowsThatArePushedArePaidForBeforeTheyAreLookedAt) {
  open_ledger(host_);
  host_.asked.clear();
  Pushed pushed(host_);
  ASSERT_EQ(pushed.status, SOTTO_OK) << pushed.error.message;
  EXPECT_THAT(host_.asked, testing::ElementsAre("append reserved"));
  EXPECT_EQ(spent(host_), 1U);
  EXPECT_FALSE(pushed.answered());
  const sotto_rows rows = host_.source();
  ASSERT_EQ(pushed.end(&rows), SOTTO_OK) << pushed.error.message;
  EXPECT_EQ(host_.asked.back(), "append released");
  EXPECT_EQ(json::parse(host_.released.at(pushed.entry))["card"]["budget"]["entry"].get<std::uint64_t>(), pushed.entry);
  EXPECT_EQ(pushed.end(&rows), SOTTO_INTERNAL);

  Pushed again(host_);
  EXPECT_TRUE(again.answered());
  EXPECT_EQ(again.end(nullptr), SOTTO_OK);
  EXPECT_EQ(again.entry, pushed.entry);
  EXPECT_TRUE(again.stored);
  EXPECT_EQ(train(host_).entry, pushed.entry);
  EXPECT_EQ(spent(host_), 1U);
}

TEST_F(CapiTraining, WhatIsPushedAndNotReleasedStaysSpent) {
  open_ledger(host_);
  { const Pushed dropped(host_); }
  EXPECT_EQ(spent(host_), 1U);
  Pushed other(host_);
  const std::string guess(64, 'b');
  sotto_rows rows = host_.source();
  rows.fingerprint = guess.c_str();
  EXPECT_EQ(other.end(&rows), SOTTO_INVALID_DATA);
  EXPECT_THAT(other.error.message, HasSubstr("not the rows"));
  rows = host_.source();
  EXPECT_EQ(other.end(&rows), SOTTO_INTERNAL);  // one charge, one reading
  EXPECT_EQ(spent(host_), 2U);
  EXPECT_TRUE(host_.released.empty());
  const Pushed unfitting(host_, R"({"epsilon": 1.5, "lambda": 0.01})");
  EXPECT_EQ(unfitting.status, SOTTO_BUDGET_EXCEEDED);
  EXPECT_EQ(spent(host_), 2U);
}

TEST_F(CapiTraining, APlanStopsWhenItsHostSaysSo) {
  open_ledger(host_);
  sotto_store store = host_.store();
  store.poll = [](void* self) { return static_cast<MemoryHost*>(self)->polls_left-- == 0 ? 1 : 0; };
  const sotto_rows rows = host_.source();
  for (
      const char* request :
      {R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 1000})",
       R"({"method": "bolt_on", "epsilon": 1, "lambda": 0, "passes": 100000, "step": "square_root", "calibration": "published"})",
       R"({"method": "correlated", "epsilon": 1, "delta": 1e-7, "passes": 50})",
       R"({"method": "dpsgd", "epsilon": 1, "delta": 1e-7, "lambda": 0.01})"}) {
    host_.polls_left = 0;
    sotto_text card{};
    sotto_error error{};
    EXPECT_EQ(sotto_plan(&rows, &store, kSchema, request, &card, &error), SOTTO_STOPPED) << request << error.message;
    host_.polls_left = 0;
    sotto_text model{};
    std::uint64_t entry = 0;
    int stored = 0;
    EXPECT_EQ(sotto_train(&rows, &store, kSchema, request, &model, &entry, &stored, &error), SOTTO_STOPPED) << request;
  }
  EXPECT_EQ(spent(host_), 0U);
}

TEST_F(CapiTraining, TheSameRequestGetsTheSameBytesFreeOfCharge) {
  open_ledger(host_);
  const Answer first = train(host_);
  const Answer second = train(host_);
  EXPECT_TRUE(second.stored);
  EXPECT_EQ(second.text, first.text);
  EXPECT_EQ(spent(host_), 1U);
  EXPECT_FALSE(
      train(host_, R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 2, "again": true})").stored);
  EXPECT_EQ(spent(host_), 2U);
}

TEST_F(CapiTraining, ALedgerIsNotSpentElsewhereOrAfterItWasCut) {
  open_ledger(host_);
  ASSERT_EQ(train(host_).status, SOTTO_OK);
  host_.place = "elsewhere";
  EXPECT_THAT(train(host_).message, HasSubstr("copy"));
  host_.place = "here";
  const auto all = host_.records;
  host_.records.resize(2);
  EXPECT_THAT(train(host_).message, HasSubstr("behind its anchor"));
  host_.records = all;
  host_.records[2].fields.cost_loss -= 1;
  EXPECT_EQ(train(host_).status, SOTTO_INVALID_DATA);
}

TEST_F(CapiTraining, AMovedLedgerSpendsInItsNewPlaceOnly) {
  open_ledger(host_);
  MemoryHost other;
  other.records = host_.records;
  other.head = host_.head;
  other.place = "there";
  sotto_error error{};
  const sotto_store store = other.store();
  EXPECT_EQ(train(other).status, SOTTO_INVALID_DATA);
  ASSERT_EQ(sotto_ledger_move(&store, host_.anchor.c_str(), &error), SOTTO_OK) << error.message;
  EXPECT_EQ(train(other).status, SOTTO_OK);
  EXPECT_THAT(train(host_).message, HasSubstr("behind its anchor"));
}

TEST_F(CapiTraining, OtherRowsKeepWhatWasSpent) {
  open_ledger(host_);
  ASSERT_EQ(train(host_).status, SOTTO_OK);
  host_.fingerprint = std::string(64, 'b');
  EXPECT_EQ(train(host_).status, SOTTO_INVALID_DATA);
  sotto_error error{};
  const sotto_rows rows = host_.source();
  const sotto_store store = host_.store();
  const std::string renamed = host_.anchor + ".b";
  ASSERT_EQ(sotto_ledger_rebind(&store, renamed.c_str(), &rows, &error), SOTTO_OK) << error.message;
  const Answer answer = train(host_);
  EXPECT_EQ(answer.status, SOTTO_OK) << answer.message;
  EXPECT_FALSE(answer.stored);
  EXPECT_EQ(spent(host_), 2U);
  // Neither name is free for another ledger, and without the one that counts nothing is spent.
  EXPECT_TRUE(std::filesystem::exists(host_.anchor));
  std::filesystem::remove(renamed);
  EXPECT_NE(train(host_, R"({"epsilon": 0.1, "lambda": 0.1})").status, SOTTO_OK);
}

TEST_F(CapiTraining, AFormerAnchorDoesNotStandForTheLastOne) {
  open_ledger(host_);
  sotto_error error{};
  const sotto_rows rows = host_.source();
  const sotto_store store = host_.store();
  const std::string renamed = host_.anchor + ".b";
  ASSERT_EQ(sotto_ledger_rebind(&store, renamed.c_str(), &rows, &error), SOTTO_OK) << error.message;
  ASSERT_EQ(train(host_).status, SOTTO_OK);
  std::filesystem::remove(renamed);
  // It knows nothing of what was spent after it was left: a restored copy would pass.
  EXPECT_EQ(sotto_ledger_move(&store, host_.anchor.c_str(), &error), SOTTO_IO);
  EXPECT_THAT(error.message, HasSubstr("cannot be told from a restored copy"));
  EXPECT_THAT(error.message, testing::Not(HasSubstr(renamed))) << "a name that may say which rows it stands for";
  EXPECT_THAT(error.log, HasSubstr(renamed));
  EXPECT_EQ(sotto_ledger_rebind(&store, host_.anchor.c_str(), &rows, &error), SOTTO_IO);
}

TEST_F(CapiTraining, ARefreshThatDidNotFinishIsTakenUpAgain) {
  open_ledger(host_);
  sotto_error error{};
  const sotto_rows rows = host_.source();
  const sotto_store store = host_.store();
  const std::string renamed = host_.anchor + ".c";
  std::filesystem::copy_file(host_.anchor, host_.anchor + ".before");
  ASSERT_EQ(sotto_ledger_rebind(&store, renamed.c_str(), &rows, &error), SOTTO_OK) << error.message;
  // As if the process had died after the record was committed and before any anchor knew of it.
  std::filesystem::copy_file(host_.anchor + ".before", renamed, std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(train(host_).message, HasSubstr("did not finish"));
  ASSERT_EQ(sotto_ledger_rebind(&store, renamed.c_str(), &rows, &error), SOTTO_OK) << error.message;
  EXPECT_EQ(train(host_).status, SOTTO_OK);
  std::filesystem::remove(renamed);
  std::filesystem::remove(host_.anchor + ".before");
}

TEST_F(CapiTraining, RowsThatHadALedgerGetNoSecondOne) {
  open_ledger(host_);
  host_.records.clear();
  sotto_error error{};
  const sotto_rows rows = host_.source();
  const sotto_store store = host_.store();
  EXPECT_EQ(sotto_ledger_create(&store, host_.anchor.c_str(), &rows, R"({"budget_epsilon": 3})", &error),
            SOTTO_INVALID_DATA);
  EXPECT_TRUE(host_.records.empty());
}

TEST_F(CapiTraining, WhatIsNotPrivateOrNotDeclaredIsRefused) {
  open_ledger(host_);
  host_.asked.clear();
  EXPECT_NE(train(host_, R"({"method": "noiseless", "epsilon": 1})").status, SOTTO_OK);
  EXPECT_EQ(train(host_, R"({"epsilon": 1, "noise_seed": 3})").status, SOTTO_INVALID_ARGUMENT);
  EXPECT_EQ(train(host_, R"({"epsilon": 1, "lambda": [1]})").status, SOTTO_INVALID_ARGUMENT);
  EXPECT_EQ(train(host_, "no json").status, SOTTO_INVALID_ARGUMENT);
  EXPECT_TRUE(host_.asked.empty());
}

/// The reference engine with the host's blocks, so that both draw the same order.
class ReferenceEngine final : public InMemoryEngine {
 public:
  using InMemoryEngine::InMemoryEngine;
  std::uint32_t block_rows() const override { return MemoryHost::kBlockRows; }
};

Vector seeded(Engine& engine, const std::string& request) {
  TrainRequest asked = capi::asked_from(request).train;
  asked.order_seed = 5;
  BitSource bits(ReproducibleSeed{6});
  return sotto::train(engine, asked, bits).weights;
}

TEST_F(CapiTraining, ARowThatCannotBeUsedIsNeitherJudgedNorPredicted) {
  open_ledger(host_);
  const Answer answer = train(host_);
  sotto_error error{};
  sotto_model* model = nullptr;
  ASSERT_EQ(sotto_model_open(answer.text.data(), answer.text.size(), &model, &error), SOTTO_OK) << error.message;
  std::uint32_t place = 0;
  ASSERT_EQ(sotto_predict(model, "[0.1, null, 0.2]", 16, &place, nullptr, &error), SOTTO_OK);
  EXPECT_EQ(place, sotto_model_classes(model));
  ASSERT_EQ(sotto_predict(model, "[0.1, 0.3, 0.2]", 15, &place, nullptr, &error), SOTTO_OK);
  EXPECT_LT(place, sotto_model_classes(model));
  const double numbers[] = {0.1, 0.3, 0.2};
  std::uint32_t same = 9;
  ASSERT_EQ(sotto_predict_values(model, numbers, 3, &same, nullptr, &error), SOTTO_OK);
  EXPECT_EQ(same, place);
  ASSERT_EQ(sotto_predict_values(model, numbers, 2, &same, nullptr, &error), SOTTO_OK);
  EXPECT_EQ(same, sotto_model_classes(model));
  EXPECT_EQ(sotto_predict_cells(model, nullptr, &same, nullptr, &error), SOTTO_INVALID_ARGUMENT);
  sotto_score score{};
  for (const auto& [label, usable] : {std::pair{"1", 1}, std::pair{"-1", 1}, std::pair{"7", 0}, std::pair{"", 0}}) {
    ASSERT_EQ(sotto_score_values(model, numbers, 3, {label, std::strlen(label)}, &score), SOTTO_OK);
    EXPECT_EQ(score.usable, usable) << label;
  }
  const float labels[] = {1, -1};
  const float rows[] = {0.1F, 0.3F, 0.2F, 0, 0, 0};
  sotto_text figures{};
  const sotto_judged judged{labels, rows, 2, 3};
  ASSERT_EQ(sotto_evaluate(model, &judged, &figures, &error), SOTTO_OK) << error.message;
  const json shown = json::parse(take(figures));
  EXPECT_EQ(shown["rows"], 2);
  EXPECT_EQ(shown["unusable"], 3);
  const sotto_judged none{labels, rows, 0, 5};
  EXPECT_EQ(sotto_evaluate(model, &none, &figures, &error), SOTTO_INVALID_DATA);
  sotto_model_free(model);
}

TEST_F(CapiTraining, ProbabilitiesFollowTheLinkOfTheModel) {
  open_ledger(host_);
  json text = json::parse(train(host_).text);
  text.erase("signature");  // of the text before it is changed
  text["card"]["budget"]["signed_by"] = nullptr;
  const auto log_odds = [&] {
    const std::string model_text = text.dump();
    sotto_error error{};
    sotto_model* model = nullptr;
    EXPECT_EQ(sotto_model_open(model_text.data(), model_text.size(), &model, &error), SOTTO_OK) << error.message;
    std::uint32_t place = 0;
    double chances[2] = {0, 0};
    EXPECT_EQ(sotto_predict(model, "[0.1, 0.3, 0.2]", 15, &place, chances, &error), SOTTO_OK) << error.message;
    EXPECT_EQ(place, chances[1] > chances[0] ? 1U : 0U);
    sotto_model_free(model);
    return std::log(chances[1] / chances[0]);
  };
  const double plain = log_odds();
  text["link"] = {{"scale", 0.25}};
  EXPECT_NEAR(log_odds(), 0.25 * plain, 1e-12);
}

TEST(CapiEngine, WeightsHaveTheBitsOfTheReferenceEngine) {
  sotto_initialise();
  MemoryHost host(10007);
  const sotto_rows source = host.source();
  std::vector<float> labels;
  std::vector<float> values;
  for (std::uint64_t i = 0; i < host.rows; ++i) {
    const float* block = host.blocks.data() + i / MemoryHost::kBlockRows * MemoryHost::kBlockRows * 4;
    labels.push_back(block[i % MemoryHost::kBlockRows]);
    const float* row = block + MemoryHost::kBlockRows + i % MemoryHost::kBlockRows * 3;
    values.insert(values.end(), row, row + 3);
  }
  RowBlock all;
  all.rows = host.rows;
  all.features = 3;
  all.labels = labels.data();
  all.dense = values.data();
  for (const char* request :
       {R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 3, "batch_rows": 10})",
        R"({"method": "scs13", "epsilon": 1, "delta": 1e-6, "batch_rows": 50})",
        R"({"method": "objective", "epsilon": 1, "lambda": 0.1})", R"({"method": "dpgd", "epsilon": 1, "delta": 1e-6})",
        R"({"method": "dpsgd", "epsilon": 1, "delta": 1e-6})"}) {
    ReferenceEngine reference(capi::facts_of(source.facts), all);
    const Vector expected = seeded(reference, request);
    for (const unsigned threads : {1U, 2U, 5U}) {
      for (const bool holds_all : {false, true}) {
        sotto_use_threads(threads);
        host.holds_all = holds_all;
        capi::BlockEngine engine(source);
        EXPECT_EQ(seeded(engine, request), expected) << request << threads << holds_all;
      }
    }
  }
  EXPECT_FALSE(host.asked_by_another);
  sotto_initialise();
}

TEST_F(CapiTraining, RowsThatAreHeldAreReadOnceWhateverIsAsked) {
  open_ledger(host_);
  host_.holds_all = true;
  for (const char* request : {R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 7})",
                              R"({"method": "objective", "epsilon": 1, "lambda": 0.1})"}) {
    host_.asked.clear();
    ASSERT_EQ(train(host_, request).status, SOTTO_OK);
    EXPECT_EQ(std::ranges::count(host_.asked, "read"), 28) << request;
  }
}

TEST(CapiEngine, ASumByThreadsStopsWhenItsHostSaysSoAndOnlyTheCallerAsks) {
  sotto_initialise();
  sotto_use_threads(3);
  MemoryHost host(200000);
  open_ledger(host);
  host.holds_all = true;
  host.polls_left = 5;
  EXPECT_EQ(train(host, R"({"method": "objective", "epsilon": 1, "lambda": 0.1})").status, SOTTO_STOPPED);
  EXPECT_EQ(spent(host), 1U);
  EXPECT_FALSE(host.asked_by_another);
  sotto_leave();  // nothing to leave: comes back
  sotto_initialise();
}

/// Adds up what it is fed.
class Sum final : public RowConsumer {
 public:
  void consume(const RowBlock& block) noexcept override {
    for (std::size_t i = 0; i < block.rows * block.features; ++i) largest = std::max(largest, std::abs(block.dense[i]));
    rows += block.rows;
  }
  float largest = 0;
  std::size_t rows = 0;
};

TEST(CapiEngine, ARowLongerThanDeclaredIsNeverFed) {
  sotto_initialise();
  MemoryHost host;
  host.blocks[MemoryHost::kBlockRows] = 1e6F;
  host.blocks[MemoryHost::kBlockRows + 3] = std::numeric_limits<float>::infinity();
  for (const bool holds_all : {false, true}) {
    host.holds_all = holds_all;
    capi::BlockEngine engine(host.source());
    Sum sum;
    for (int pass = 0; pass < 2; ++pass) engine.scan_rows(0, host.rows, sum);
    EXPECT_LE(sum.largest, 1.0F);
    EXPECT_EQ(sum.rows, 2 * host.rows);
  }
}

}  // namespace
}  // namespace sotto
