// A ledger in a host's store: what the host keeps beside the records, signatures, and shares of analysts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "capi/memory_host.h"

namespace sotto {
namespace {

using test::MemoryHost;
using testing::HasSubstr;

constexpr const char* kSchema =
    R"({"format": "idx", "features": 3, "data_norm": 1.0, "storage": "dense", "complete": true})";

class CapiLedger : public testing::Test {
 protected:
  CapiLedger() { sotto_initialise(); }
  sotto_status open(const std::string& more = "") {
    const std::string options = R"({"budget_epsilon": 4, "budget_delta": 1e-6, "filter": "sum")" + more + "}";
    const sotto_rows rows = host_.source();
    const sotto_store store = host_.store();
    return sotto_ledger_create(&store, host_.anchor.c_str(), &rows, options.c_str(), &error_);
  }
  sotto_status train(const std::string& analyst, double epsilon) {
    host_.analyst = analyst;
    const std::string request = R"({"method": "bolt_on", "lambda": 0.01, "passes": 1, "again": true, "epsilon": )" +
                                std::to_string(epsilon) + "}";
    sotto_text model{};
    std::uint64_t entry = 0;
    int stored = 0;
    const sotto_rows rows = host_.source();
    const sotto_store store = host_.store();
    const sotto_status status = sotto_train(&rows, &store, kSchema, request.c_str(), &model, &entry, &stored, &error_);
    text_ = taken(model);
    return status;
  }
  sotto_status plan(const std::string& analyst, const char* request) {
    host_.analyst = analyst;
    sotto_text card{};
    const sotto_rows rows = host_.source();
    const sotto_store store = host_.store();
    const sotto_status status = sotto_plan(&rows, &store, kSchema, request, &card, &error_);
    text_ = taken(card);
    return status;
  }
  sotto_status grant(const char* analyst, double share) {
    const sotto_store store = host_.store();
    return sotto_ledger_grant(&store, analyst, share, &error_);
  }
  sotto_status verify() {
    sotto_text report{};
    const sotto_store store = host_.store();
    const sotto_status status = sotto_ledger_verify(&store, &report, &error_);
    text_ = taken(report);
    return status;
  }
  static std::string taken(sotto_text& text) {
    std::string copy(text.data != nullptr ? text.data : "", text.size);
    sotto_text_free(&text);
    return copy;
  }

  MemoryHost host_;
  sotto_error error_{};
  std::string text_;
};

TEST_F(CapiLedger, EditedTotalsAndLimitsAreRefused) {
  ASSERT_EQ(open(), SOTTO_OK) << error_.message;
  ASSERT_EQ(train("", 1), SOTTO_OK) << error_.message;
  using Head = MemoryHost::Head;
  const std::function<void(Head&)> edits[] = {[](Head& h) { h.spent_loss = 0; },
                                              [](Head& h) { h.spent_delta += 1; },
                                              [](Head& h) { h.limit_loss *= 10; },
                                              [](Head& h) { h.limit_delta += 1; },
                                              [](Head& h) { h.epsilon = 1e6; },
                                              [](Head& h) { h.delta = 0.5; },
                                              [](Head& h) { h.filter = "zcdp"; },
                                              [](Head& h) { h.relation = "add_remove"; },
                                              [](Head& h) { h.sequence -= 1; },
                                              [](Head& h) { h.sequence += 1; },
                                              [](Head& h) { h.hash = std::string(64, '0'); },
                                              [](Head& h) { h.fingerprint = std::string(64, 'b'); }};
  const Head whole = host_.head;
  for (const auto& edit : edits) {
    edit(host_.head);
    EXPECT_EQ(verify(), SOTTO_INVALID_DATA);
    EXPECT_THAT(error_.message, HasSubstr("totals and limits"));
    EXPECT_EQ(plan("", R"({"epsilon": 1, "lambda": 0.01})"), SOTTO_INVALID_DATA);
    EXPECT_EQ(train("", 0.5), SOTTO_INVALID_DATA);
    host_.head = whole;
  }
  EXPECT_EQ(verify(), SOTTO_OK) << error_.message;
}

TEST_F(CapiLedger, SignsWhatItReleasesAndTellsItsKey) {
  ASSERT_EQ(open(), SOTTO_OK) << error_.message;
  ASSERT_EQ(train("", 1), SOTTO_OK) << error_.message;
  const std::string model = text_;
  const sotto_store store = host_.store();
  sotto_text pem{};
  ASSERT_EQ(sotto_ledger_public_key(&store, &pem, &error_), SOTTO_OK) << error_.message;
  const std::string key = taken(pem);
  const auto problem_of = [&](const std::string& text) {
    sotto_text problem{};
    EXPECT_EQ(sotto_model_verify(text.data(), text.size(), key.c_str(), &problem, &error_), SOTTO_OK) << error_.message;
    return taken(problem);
  };
  EXPECT_EQ(problem_of(model), "");
  EXPECT_THAT(problem_of(model + " "), HasSubstr("no signature"));
  std::string changed = model;
  changed[10] = changed[10] == 'x' ? 'y' : 'x';
  EXPECT_THAT(problem_of(changed), HasSubstr("edited"));
  sotto_text problem{};
  EXPECT_EQ(sotto_model_verify(model.data(), model.size(), "no key", &problem, &error_), SOTTO_INVALID_DATA);
  EXPECT_EQ(sotto_has_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), 1);
  EXPECT_EQ(sotto_has_digest("abd", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), 0);
}

TEST_F(CapiLedger, HoldsEachAnalystToTheirShare) {
  ASSERT_EQ(open(R"(, "analyst_share": 0.5)"), SOTTO_OK) << error_.message;
  ASSERT_EQ(train("ann", 1.5), SOTTO_OK) << error_.message;
  EXPECT_EQ(train("ann", 1), SOTTO_BUDGET_EXCEEDED);
  EXPECT_THAT(error_.message, HasSubstr("analyst ann may spend 50 percent"));
  EXPECT_STREQ(error_.field, "share");
  ASSERT_EQ(plan("ann", R"({"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 1})"), SOTTO_OK)
      << error_.message;
  EXPECT_FALSE(nlohmann::json::parse(text_)["budget"]["fits"].get<bool>());
  EXPECT_EQ(nlohmann::json::parse(text_)["budget"]["own_share"]["share"], 0.5);
  ASSERT_EQ(train("bob", 1.5), SOTTO_OK) << error_.message;
  ASSERT_EQ(grant("ann", 0.6), SOTTO_OK) << error_.message;
  ASSERT_EQ(train("ann", 0.8), SOTTO_OK) << error_.message;
  EXPECT_EQ(train("bob", 0.4), SOTTO_BUDGET_EXCEEDED);
  EXPECT_THAT(error_.message, testing::Not(HasSubstr("may spend"))) << "it is the budget that was hit";
  EXPECT_EQ(verify(), SOTTO_OK) << error_.message;
  EXPECT_EQ(grant("ann", 1.5), SOTTO_INVALID_ARGUMENT);
  EXPECT_EQ(grant("", 0.5), SOTTO_INVALID_ARGUMENT);
}

TEST_F(CapiLedger, AnEditedAnalystOrShareIsRefused) {
  ASSERT_EQ(open(R"(, "analyst_share": 0.5)"), SOTTO_OK) << error_.message;
  ASSERT_EQ(train("ann", 1.5), SOTTO_OK) << error_.message;
  ASSERT_EQ(grant("ann", 0.6), SOTTO_OK) << error_.message;
  const auto whole = host_.records;
  for (auto& record : host_.records) {
    if (record.kind == "reserved") record.analyst = "bob";
  }
  EXPECT_EQ(verify(), SOTTO_INVALID_DATA);
  host_.records = whole;
  host_.records.back().detail = R"({"analyst":"ann","millionths":900000})";
  EXPECT_EQ(train("ann", 0.1), SOTTO_INVALID_DATA);
  host_.records = whole;
  EXPECT_EQ(verify(), SOTTO_OK) << error_.message;
}

TEST_F(CapiLedger, AShareIsANumberBetweenNoneAndAll) {
  EXPECT_EQ(open(R"(, "analyst_share": 1.1)"), SOTTO_INVALID_ARGUMENT);
  EXPECT_EQ(open(R"(, "analyst_share": "half")"), SOTTO_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace sotto
