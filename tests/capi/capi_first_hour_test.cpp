// What a host offers for the first hour: declarations by types and from rows, budgets that are set anew or lowered, help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "capi/memory_host.h"

namespace sotto {
namespace {

using nlohmann::json;
using test::MemoryHost;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTypes =
    R"({"age": "number", "job": "text", "born": "days", "home": ["city", "farm"], "rich": ["false", "true"]})";

std::string taken(sotto_text text) {
  std::string copy(text.data != nullptr ? text.data : "", text.size);
  sotto_text_free(&text);
  return copy;
}

/// The schema, or why there is none.
std::string schema(const char* label, const char* features, const char* options) {
  sotto_text text{};
  sotto_error error{};
  const sotto_status status = sotto_schema(label, features, options, kTypes, &text, &error);
  return status == SOTTO_OK ? taken(text) : error.message;
}

TEST(CapiTypes, DeclareWhatTheyKnow) {
  const json made =
      json::parse(schema("rich", R"({"age": {"min": 0, "max": 9, "missing": true}, "home": null})", "{}"));
  EXPECT_EQ(made["label"]["negative"], json{"false"});
  EXPECT_EQ(made["label"]["positive"], json{"true"});
  EXPECT_EQ(made["columns"][0]["missing"], json{""});
  EXPECT_EQ(made["columns"][1]["values"], (json{"city", "farm"}));
}

TEST(CapiTypes, FillInTheOtherClass) {
  const json made = json::parse(schema("rich", R"({"age": [0, 9]})", R"({"positive": ["false"]})"));
  EXPECT_EQ(made["label"]["negative"], json{"true"});
}

TEST(CapiTypes, RefuseWhatNoValueMeets) {
  EXPECT_THAT(schema("rich", R"({"home": [0, 1]})", "{}"), HasSubstr("home: is no number"));
  EXPECT_THAT(schema("rich", R"({"home": ["moon"]})", "{}"), HasSubstr("\"moon\" is no value of its type"));
  EXPECT_THAT(schema("rich", R"({"job": null})", R"({"data_norm": 1})"), HasSubstr("job: holds texts"));
  EXPECT_THAT(schema("rich", R"({"born": ["2020-01-02"]})", "{}"), HasSubstr("number of days since 1970"));
  EXPECT_THAT(schema("rich", R"({"age": [0, 9]})", R"({"positive": ["t"]})"), HasSubstr("\"t\" is no value"));
  EXPECT_THAT(schema("job", R"({"age": [0, 9]})", "{}"), HasSubstr("job: holds texts, and nothing says"));
  EXPECT_THAT(schema("job", R"({"age": [0, 9]})", R"({"positive": ["cook"], "negative": ["*"]})"),
              HasSubstr("columns"));
}

TEST(CapiDraft, MarksWhatItSawAndIsRefusedUntilConfirmed) {
  const char* columns[] = {"age", "job", "home", "rich"};
  sotto_draft* draft = nullptr;
  sotto_error error{};
  ASSERT_EQ(sotto_draft_new("rich", kTypes, columns, 4, &draft, &error), SOTTO_OK) << error.message;
  const char* jobs[] = {"cook", "nurse"};
  for (int i = 0; i < 100; ++i) {
    const std::string age = std::to_string(20 + i * 7 % 50);
    const char* cells[] = {i % 5 == 0 ? nullptr : age.c_str(), jobs[i % 2], "farm", i % 3 == 0 ? "true" : "false"};
    sotto_cell row[4];
    for (int k = 0; k < 4; ++k) row[k] = {cells[k], cells[k] == nullptr ? 0 : std::strlen(cells[k])};
    ASSERT_EQ(sotto_draft_row(draft, row), SOTTO_OK);
  }
  sotto_text text{};
  ASSERT_EQ(sotto_draft_finish(draft, &text, &error), SOTTO_OK) << error.message;
  sotto_draft_free(draft);
  const json made = json::parse(taken(text));
  const json& features = made["features"];
  EXPECT_EQ(features["age"]["public"], false);
  EXPECT_EQ(features["age"]["missing"], true);
  EXPECT_EQ(features["job"]["values"], (json{"cook", "nurse"}));
  EXPECT_EQ(features["home"]["values"], (json{"city", "farm"}));  // of its type, though only one was seen
  EXPECT_FALSE(features["home"].contains("public"));
  json options = made["options"];
  EXPECT_THAT(schema("rich", features.dump().c_str(), options.dump().c_str()), HasSubstr("age, job were suggested"));
  options["confirm"] = true;
  EXPECT_THAT(schema("rich", features.dump().c_str(), options.dump().c_str()), testing::Not(HasSubstr("suggested")));
}

class CapiBudget : public testing::Test {
 protected:
  CapiBudget() {
    sotto_initialise();
    const sotto_rows rows = host_.source();
    const sotto_store store = host_.store();
    EXPECT_EQ(sotto_ledger_create(&store, host_.anchor.c_str(), &rows, R"({"budget_epsilon": 2})", &error_), SOTTO_OK);
  }
  sotto_status resume(const char* options) {
    const sotto_rows rows = host_.source();
    const sotto_store store = host_.store();
    return sotto_ledger_resume(&store, &rows, options, &error_);
  }
  sotto_status lower(double epsilon) {
    const sotto_store store = host_.store();
    return sotto_ledger_lower(&store, epsilon, nullptr, &error_);
  }
  sotto_status train(const char* request) {
    sotto_text model{};
    std::uint64_t entry = 0;
    int stored = 0;
    const sotto_rows rows = host_.source();
    const sotto_store store = host_.store();
    const sotto_status status = sotto_train(
        &rows, &store, R"({"format": "idx", "features": 3, "data_norm": 1.0, "storage": "dense", "complete": true})",
        request, &model, &entry, &stored, &error_);
    taken(model);
    return status;
  }

  MemoryHost host_;
  sotto_error error_{};
};

TEST_F(CapiBudget, HasRoomForTheFirstRequest) {
  EXPECT_EQ(host_.head.filter, "sum");
  EXPECT_GT(host_.head.delta, 0);
  EXPECT_EQ(train(R"({"epsilon": 1})"), SOTTO_OK) << error_.message;
}

TEST_F(CapiBudget, IsSetAnewUntilItIsCharged) {
  ASSERT_EQ(resume(R"({"budget_epsilon": 3, "budget_delta": 1e-6, "filter": "zcdp"})"), SOTTO_OK) << error_.message;
  EXPECT_EQ(host_.head.epsilon, 3);
  EXPECT_EQ(host_.head.filter, "zcdp");
  ASSERT_EQ(train(R"({"epsilon": 0.5, "delta": 1e-7})"), SOTTO_OK) << error_.message;
  EXPECT_EQ(resume(R"({"budget_epsilon": 4})"), SOTTO_INVALID_ARGUMENT);
  EXPECT_THAT(error_.message, HasSubstr("epsilon 3"));
  EXPECT_EQ(resume(R"({"budget_epsilon": 3, "filter": "sum"})"), SOTTO_INVALID_ARGUMENT);
  const std::size_t records = host_.records.size();
  EXPECT_EQ(resume(R"({"budget_epsilon": 3})"), SOTTO_OK) << error_.message;  // what is left out stays
  EXPECT_EQ(host_.records.size(), records);
  EXPECT_EQ(host_.head.filter, "zcdp");
}

TEST_F(CapiBudget, IsLoweredButNotBelowWhatIsSpent) {
  ASSERT_EQ(train(R"({"epsilon": 1})"), SOTTO_OK) << error_.message;
  EXPECT_EQ(lower(3), SOTTO_INVALID_ARGUMENT);
  EXPECT_EQ(lower(0.5), SOTTO_BUDGET_EXCEEDED);
  ASSERT_EQ(lower(1.5), SOTTO_OK) << error_.message;
  EXPECT_EQ(host_.head.epsilon, 1.5);
  EXPECT_EQ(train(R"({"epsilon": 0.75})"), SOTTO_BUDGET_EXCEEDED);
  sotto_text words{};
  ASSERT_EQ(sotto_budget_words(host_.records.back().detail.c_str(), host_.head.spent_loss, host_.head.spent_delta,
                               &words, &error_),
            SOTTO_OK);
  const json use = json::parse(taken(words));
  EXPECT_EQ(use["percent_used"], 66.67);
  EXPECT_EQ(use["still_fits"]["epsilon"], 0.5);
  EXPECT_NE(sotto_budget_words("{}", 0, 0, &words, &error_), SOTTO_OK);
}

TEST(CapiHelp, KnowsMethodsAndWhatATrainingTakes) {
  const auto help = [](const char* topic) {
    sotto_text text{};
    sotto_error error{};
    EXPECT_EQ(sotto_help(topic, &text, &error), SOTTO_OK);
    return taken(text);
  };
  EXPECT_THAT(help("dpgd"), HasSubstr("passes: "));
  EXPECT_THAT(help("train"), HasSubstr("lambda: "));
  EXPECT_THAT(help("nothing"), IsEmpty());
}

}  // namespace
}  // namespace sotto
