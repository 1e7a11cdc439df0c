// Models and cards: the contract's keys, files that read back to the bit, and files that are not models.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/methods/method.h"
#include "sotto/model/json.h"
#include "sotto/model/model.h"

namespace sotto {
namespace {

PrivacyCard card_of(const Method& method, const Budget& budget = {.epsilon = 1}) {
  const PlanInput input{{10000, 5, 1.0, false}, {Logistic{}, 0.01}, budget};
  return make_card(make_plan(method, input));
}

Model model_of(const Method& method) {
  Model model;
  model.weights = {0.1, -1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0};
  model.encoding = R"({"columns":[{"name":"x1","range":[0,1]}]})";
  model.card = card_of(method);
  return model;
}

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() / (std::string("sotto_model_") + test->name() + ".json")).string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  /// Loading is an Error, whatever the file holds.
  void expect_refused(const std::string& text) const {
    write(text);
    try {
      load_model(path_);
      ADD_FAILURE() << "accepted: " << text.substr(0, 200);
    } catch (const Error& e) {
      EXPECT_TRUE(e.kind() == ErrorKind::invalid_data || e.kind() == ErrorKind::unsupported);
    }
  }
  std::string path_;
};

TEST(Card, HasTheKeysOfTheContract) {
  const Json json = Json::parse(card_json(card_of(BoltOn{})));
  EXPECT_EQ(json.at("method"), "bolt_on");
  EXPECT_EQ(json.at("private"), true);
  EXPECT_EQ(json.at("relation"), "replace_one");
  EXPECT_EQ(json.at("guarantee").at("epsilon"), 1.0);
  EXPECT_TRUE(json.at("guarantee").at("delta").is_number());
  EXPECT_NEAR(json.at("l2_sensitivity").get<double>(), 0.02, 1e-7);
  EXPECT_TRUE(json.at("noise").is_object());
  EXPECT_EQ(json.at("noise").at("mechanism"), "l2_laplace");
  EXPECT_GT(json.at("noise").at("delta_num").get<double>(), 0);
  EXPECT_EQ(json.at("parameters").at("batch_rows"), "50");
  EXPECT_EQ(json.at("parameters").at("lambda"), "0.01");
  EXPECT_EQ(json.at("events").at(0).at("event"), "l2_laplace");
}

TEST(Card, OfThePublishedCalibrationIsNotPrivateAndPromisesNothing) {
  const Json json = Json::parse(card_json(card_of(BoltOn{.calibration = Calibration::published})));
  EXPECT_EQ(json.at("private"), false);
  EXPECT_TRUE(json.at("guarantee").at("epsilon").is_null());
  EXPECT_FALSE(json.at("not_private_because").empty());
}

TEST(Card, AsTextSaysWhetherItIsPrivate) {
  EXPECT_NE(card_text(card_of(BoltOn{})).find("epsilon 1"), std::string::npos);
  EXPECT_EQ(card_text(card_of(BoltOn{})).find("NOT PRIVATE"), std::string::npos);
  const std::string text = card_text(card_of(Noiseless{}));
  EXPECT_NE(text.find("NOT PRIVATE"), std::string::npos);
  EXPECT_EQ(text.find("epsilon 1"), std::string::npos);
}

TEST_F(ModelFile, KeepsTheLinkAndIsWithoutOneTheSigmoid) {
  Model model = model_of(BoltOn{});
  EXPECT_FALSE(to_json(model).contains("link"));  // as files were before there were links
  save_model(model, path_);
  EXPECT_EQ(load_model(path_).link, Link{});
  model.link.scale = 0.1 + 0.2;
  save_model(model, path_);
  EXPECT_EQ(load_model(path_).link, model.link);
  for (const char* link : {"{}", "3", "{\"scale\": 0}", "{\"scale\": -1}", "{\"scale\": 1.5}", "{\"scale\": null}"}) {
    Json json = to_json(model);
    json["link"] = Json::parse(link);
    expect_refused(json.dump());
  }
}

TEST_F(ModelFile, ReadsBackToTheBit) {
  for (const Method& method : {Method(BoltOn{}), Method(Scs13{}), Method(Noiseless{})}) {
    const Model model = model_of(method);
    save_model(model, path_);
    const Model again = load_model(path_);
    ASSERT_EQ(again.weights.size(), model.weights.size());
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      EXPECT_EQ(std::signbit(again.weights[i]), std::signbit(model.weights[i]));
      EXPECT_EQ(again.weights[i], model.weights[i]);
    }
    EXPECT_EQ(again.encoding, model.encoding);
    EXPECT_EQ(again.loss, model.loss);
    EXPECT_EQ(card_json(again.card), card_json(model.card));
    EXPECT_EQ(again.card.is_private, model.card.is_private);
  }
  EXPECT_FALSE(std::filesystem::exists(path_ + ".part"));
}

TEST_F(ModelFile, OfAnOlderVersionWithFloatNoiseIsReadAsNotPrivate) {
  save_model(model_of(Scs13{}), path_);
  Json json = Json::parse(std::ifstream(path_));
  json["card"]["noise"].update(Json{{"path", "fast"}, {"grid", 0.0}, {"delta_num", nullptr}});
  ASSERT_EQ(json["card"]["private"], true);
  std::ofstream(path_) << json;
  const Model model = load_model(path_);
  EXPECT_FALSE(model.card.is_private);
  ASSERT_EQ(model.card.not_private_because.size(), 1U);
  EXPECT_NE(model.card.not_private_because[0].find("low bits"), std::string::npos);
  EXPECT_NE(card_text(model.card).find("NOT PRIVATE"), std::string::npos);
  EXPECT_NE(card_text(model.card).find("none, numerical delta not known"), std::string::npos);
  save_model(model, path_);
  EXPECT_FALSE(load_model(path_).card.is_private);
}

TEST_F(ModelFile, TheStampSurvivesAndCannotBeContradicted) {
  save_model(model_of(BoltOn{.calibration = Calibration::published}), path_);
  EXPECT_FALSE(load_model(path_).card.is_private);
  save_model(load_model(path_), path_);
  const Model again = load_model(path_);
  EXPECT_FALSE(again.card.is_private);
  EXPECT_EQ(again.card.not_private_because.size(), 1U);

  std::string text = read();
  text.replace(text.find("\"private\": false"), 16, "\"private\": true");
  expect_refused(text);  // the reasons are still there
}

TEST_F(ModelFile, EveryTruncationIsRefused) {
  save_model(model_of(BoltOn{}), path_);
  const std::string text = read();
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) expect_refused(text.substr(0, length));
}

TEST_F(ModelFile, EveryMissingOrMistypedKeyIsRefused) {
  const Json whole = to_json(model_of(BoltOn{}));
  for (const char* key : {"sotto_model", "loss", "weights", "encoding", "card"}) {
    Json part = whole;
    part.erase(key);
    expect_refused(part.dump());
  }
  for (const auto& [key, value] : whole.at("card").items()) {
    Json part = whole;
    part["card"].erase(key);
    if (key != "budget") expect_refused(part.dump());  // models from before there were ledgers have none
    part["card"][key] = Json::array({Json::object()});
    expect_refused(part.dump());
  }
}

TEST_F(ModelFile, FilesThatAreNotModelsAreRefused) {
  for (const char* text :
       {"", "{", "[]", "null", "7", "\"model\"", "{}", "{\"sotto_model\": 1}", "\xff\xfe\x01", "x1,x2,y\n1,2,1\n"}) {
    expect_refused(text);
  }
  Json json = to_json(model_of(BoltOn{}));
  json["sotto_model"] = Model::kFormat + 1;
  expect_refused(json.dump());
  json["sotto_model"] = 0;
  expect_refused(json.dump());
  json = to_json(model_of(BoltOn{}));
  json["weights"] = {1, 2};
  expect_refused(json.dump());
  json["weights"] = {1, 2, 3, 4, nullptr};
  expect_refused(json.dump());
  json["weights"] = {1, 2, 3, 4, "x"};
  expect_refused(json.dump());
}

TEST_F(ModelFile, FlippedBytesNeverCrash) {
  save_model(model_of(Scs13{}), path_);
  const std::string text = read();
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 7)));
    write(flipped);
    try {
      load_model(path_);
    } catch (const Error&) {
    }
  }
}

TEST_F(ModelFile, DeepNestingIsRefused) {
  const std::string deep = std::string(300000, '[') + std::string(300000, ']');
  std::string text = to_json(model_of(BoltOn{})).dump();
  const std::string encoding = to_json(model_of(BoltOn{})).at("encoding").dump();
  text.replace(text.find(encoding), encoding.size(), deep);
  expect_refused(text);
}

TEST_F(ModelFile, WhatCannotBeStoredIsRefusedAndTheOldFileStays) {
  save_model(model_of(BoltOn{}), path_);
  const std::string before = read();
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    Model model = model_of(BoltOn{});
    model.weights[2] = bad;
    EXPECT_THROW(save_model(model, path_), Error);
  }
  Model model = model_of(BoltOn{});
  model.encoding = "not json";
  EXPECT_THROW(save_model(model, path_), Error);
  EXPECT_EQ(read(), before);
}

TEST_F(ModelFile, PathsThatCannotBeUsedAreIoErrors) {
  const auto kind = [](const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& e) {
      return e.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind([&] { load_model(path_ + ".absent"); }), ErrorKind::io);
  EXPECT_EQ(kind([&] { save_model(model_of(BoltOn{}), "/nonexistent/folder/model.json"); }), ErrorKind::io);
}

}  // namespace
}  // namespace sotto
