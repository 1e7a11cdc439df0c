// Models of several classes: prediction, probabilities, evaluation, files; and training that is the same by every
// engine.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "data_testing.h"
#include "sotto/base/error.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/schema_json.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "sotto/files/complete.h"
#include "sotto/files/load.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/json.h"
#include "sotto/model/prediction.h"
#include "sotto/train.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

/// Two features, weights as given; the encoding declares the classes.
Model model_of(const std::string& loss, const std::vector<std::string>& classes, const Vector& weights) {
  Schema schema;
  schema.intercept = 0;
  schema.label.column = "y";
  schema.label.classes = classes;
  Model model;
  model.loss = loss;
  model.weights = weights;
  model.encoding = to_json(schema);
  model.card.features = 2;
  model.card.classes = static_cast<std::uint32_t>(classes.size());
  return model;
}

Model three_colours(const std::string& loss = "softmax") {
  return model_of(loss, {"red", "green", "blue"}, {1, 0, 0, 1, -1, -1});
}

Dataset rows_of(const std::vector<std::vector<float>>& rows, const std::vector<float>& labels, std::uint32_t classes,
                bool sparse = false) {
  DatasetBuilder builder({.rows = 0, .features = 2, .data_norm = 10, .sparse = sparse, .classes = classes});
  for (std::size_t i = 0; i < rows.size(); ++i) builder.add_dense(rows[i], labels[i]);
  return builder.finish();
}

TEST(Prediction, IsTheClassOfTheHighestScoreByItsText) {
  for (const bool sparse : {false, true}) {
    const Dataset rows = rows_of({{2, 1}, {0, 3}, {-1, -2}, {0, 0}}, {0, 1, 2, 1}, 3, sparse);
    std::vector<double> all;
    scores(three_colours(), rows.view(), all);
    EXPECT_EQ(all, (std::vector<double>{2, 1, -3, 0, 3, -3, -1, -2, 3, 0, 0, 0}));
    const std::vector<std::string> texts = class_texts(three_colours());
    std::vector<std::string> predicted;
    for (std::size_t i = 0; i < 4; ++i) predicted.push_back(texts[predicted_class({all.data() + 3 * i, 3})]);
    EXPECT_EQ(predicted, (std::vector<std::string>{"red", "green", "blue", "red"}));
  }
}

TEST(Prediction, OfOneOutputIsPositiveAboveZero) {
  const Model model = model_of("logistic", {"no", "yes"}, {1, -1});
  EXPECT_EQ(outputs_of(model), 1U);
  EXPECT_EQ(class_texts(model), (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(predicted_class(std::vector<double>{0.1}), 1U);
  EXPECT_EQ(predicted_class(std::vector<double>{0.0}), 0U);
  EXPECT_EQ(predicted_class(std::vector<double>{-0.1}), 0U);
}

TEST(Prediction, RowsOfOtherFeaturesAreRefused) {
  const Dataset rows = rows_of({{1, 1}}, {1}, 2);
  std::vector<double> all;
  EXPECT_THROW(scores(model_of("softmax", {"a", "b", "c"}, {1, 2, 3}), rows.view(), all), Error);
}

TEST(Prediction, ClassesWithoutADeclarationAreTheirLabels) {
  Model model = three_colours();
  model.encoding = "{}";
  EXPECT_EQ(class_texts(model), (std::vector<std::string>{"0", "1", "2"}));
  model.card.classes = 2;
  EXPECT_EQ(class_texts(model), (std::vector<std::string>{"-1", "1"}));
  Model other = three_colours();
  other.card.classes = 4;
  EXPECT_EQ(testing::error_of([&] { class_texts(other); }).first, ErrorKind::invalid_data);
}

TEST(Probabilities, AreTheSigmoidTheSharesOrTheNormalisedSigmoids) {
  const auto sigmoid = [](double s) { return 1 / (1 + std::exp(-s)); };
  const std::vector<double> margin = {0.7}, three = {1, -2, 0.5};
  const std::vector<double> two = class_probabilities(Logistic{}, margin);
  EXPECT_NEAR(two[1], sigmoid(0.7), 1e-15);
  EXPECT_NEAR(two[0], sigmoid(-0.7), 1e-15);
  const std::vector<double> softmax = class_probabilities(Softmax{}, three);
  const double total = std::exp(1) + std::exp(-2) + std::exp(0.5);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(softmax[k], std::exp(three[k]) / total, 1e-15);
  const std::vector<double> rest = class_probabilities(Logistic{}, three);
  const double sum = sigmoid(1) + sigmoid(-2) + sigmoid(0.5);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(rest[k], sigmoid(three[k]) / sum, 1e-15);
  for (const Loss& loss : {Loss(Softmax{}), Loss(Logistic{})}) {
    for (const double big : {-1e300, 1e300}) {
      double all = 0;
      for (const double p : class_probabilities(loss, std::vector<double>{big, big, big})) all += p;
      EXPECT_NEAR(all, 1, 1e-15);
    }
  }
  EXPECT_FALSE(gives_probabilities(HuberSvm{}));
  EXPECT_THROW(class_probabilities(Hinge{}, three), Error);
}

TEST(Probabilities, OfTwoClassesFollowTheLinkAndKeepTheOrderOfMargins) {
  const Link link{0.25};
  double before = 0;
  for (const double margin : {-30.0, -4.0, -0.5, 0.0, 0.5, 4.0, 30.0}) {
    const std::vector<double> row = {margin}, opposite = {-margin};
    const std::vector<double> chances = class_probabilities(Logistic{}, row, link);
    EXPECT_NEAR(chances[1], 1 / (1 + std::exp(-0.25 * margin)), 1e-15);
    EXPECT_EQ(chances[0], class_probabilities(Logistic{}, opposite, link)[1]);
    EXPECT_GT(chances[1], before);
    before = chances[1];
  }
  const std::vector<double> three = {1, -2, 0.5};  // several outputs have no link
  EXPECT_EQ(class_probabilities(Softmax{}, three, link), class_probabilities(Softmax{}, three));
}

TEST(Evaluation, CountsEveryPairOfActualAndPredictedClass) {
  const Dataset rows = rows_of({{2, 1}, {3, 0}, {0, 3}, {-1, -2}, {1, 4}}, {0, 1, 1, 2, 2}, 3);
  const Evaluation result = evaluate(three_colours(), rows.view());
  EXPECT_EQ(result.confusion, (std::vector<std::uint64_t>{1, 0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(result.count(2, 1), 1U);
  EXPECT_DOUBLE_EQ(result.accuracy, 0.6);
  double loss = 0;
  std::vector<double> all;
  scores(three_colours(), rows.view(), all);
  for (std::size_t i = 0; i < 5; ++i) {
    loss += Softmax{}.value(all.data() + 3 * i, 3, static_cast<std::size_t>(rows.view().labels[i])) / 5;
  }
  EXPECT_NEAR(result.loss, loss, 1e-14);
  // Ranks of the own score: class 0 wins 3 of 4 pairs, class 1 3 of 6, class 2 3 of 6.
  EXPECT_NEAR(result.auc, (3.0 / 4 + 3.0 / 6 + 3.0 / 6) / 3, 1e-12);
}

TEST(Evaluation, TheLossOfOneAgainstTheRestIsTheSumOfItsModels) {
  const Dataset rows = rows_of({{2, 1}, {0, 3}}, {0, 2}, 3);
  const Evaluation result = evaluate(three_colours("logistic"), rows.view());
  const Logistic l;
  const double expected = l.value(2) + l.value(-1) + l.value(3) + l.value(-0.0) + l.value(-3) + l.value(-3);
  EXPECT_NEAR(result.loss, expected / 2, 1e-14);
}

TEST(Evaluation, OfTwoClassesHasItsFourCounts) {
  const Model model = model_of("logistic", {"no", "yes"}, {1, 0});
  const Dataset rows = rows_of({{1, 0}, {1, 0}, {-1, 0}, {-1, 0}, {-2, 0}}, {1, -1, -1, 1, -1}, 2);
  const Evaluation result = evaluate(model, rows.view());
  EXPECT_EQ(result.confusion, (std::vector<std::uint64_t>{2, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(result.accuracy, 0.6);
  EXPECT_NEAR(result.auc, (2 + 0.5 + 0.5 + 1) / 6, 1e-12);
  const Model softmax = model_of("softmax", {"no", "yes"}, {0, 0, 1, 0});
  EXPECT_EQ(evaluate(softmax, rows.view()).confusion, result.confusion);
  EXPECT_NEAR(evaluate(softmax, rows.view()).loss, result.loss, 1e-14) << "softmax of two classes is logistic";
  EXPECT_NEAR(evaluate(softmax, rows.view()).auc, result.auc, 1e-12);
}

TEST(Evaluation, RowsOfOtherClassesAreRefused) {
  const Dataset four = rows_of({{1, 1}}, {3}, 4), two = rows_of({{1, 1}}, {-1}, 2);
  EXPECT_THROW(evaluate(three_colours(), four.view()), Error);
  EXPECT_THROW(evaluate(three_colours(), two.view()), Error);
}

TEST(ModelOfSeveralClasses, ReadsBackAndMustFitTogether) {
  const PlanInput input{{100, 2, 1.0, false, 3}, {Softmax{}, 0.1}, {.epsilon = 1}};
  Model model = three_colours();
  model.card = make_card(make_plan(BoltOn{}, input));
  EXPECT_EQ(to_json(model.card).at("facts").at("classes"), 3);
  const Model read = model_from_json(to_json(model));
  EXPECT_EQ(read.weights, model.weights);
  EXPECT_EQ(read.card.classes, 3U);
  EXPECT_EQ(class_texts(read), class_texts(model));
  for (const auto& [key, value] : {std::pair{"classes", 4}, {"classes", 1}, {"classes", 1000000}, {"features", 3}}) {
    Json lie = to_json(model);
    lie["card"]["facts"][key] = value;
    EXPECT_THROW(model_from_json(lie), Error) << key;
  }
  Json old = to_json(model);
  old["loss"] = "logistic";
  old["weights"] = Vector{1, 2};
  old["card"]["facts"].erase("classes");
  EXPECT_EQ(model_from_json(old).card.classes, 2U) << "files of before there were more than two";
  old["loss"] = "unheard_of";
  EXPECT_EQ(testing::error_of([&] { model_from_json(old); }).first, ErrorKind::unsupported);
}

TEST(Train, EveryEngineGivesTheSameBitsWithSeveralOutputs) {
  using namespace testing_support;
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  for (const bool sparse : {false, true}) {
    std::vector<Row> rows = make_rows(700, 6, sparse);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].label = static_cast<float>(i % 4);
    pack_rows(path, rows, {.features = 6, .sparse = sparse, .metadata = "{}", .classes = 4});
    for (const Loss& loss : {Loss(Softmax{}), Loss(Logistic{})}) {
      for (const Method& method : {Method(BoltOn{}), Method(Scs13{})}) {
        TrainRequest request;
        request.problem = {loss, 0.05};
        request.method = method;
        request.budget = {.epsilon = 1};
        request.order_seed = 4;
        const auto weights_by = [&](Engine&& engine) {
          BitSource bits(ReproducibleSeed{9});
          return train(engine, request, bits).weights;
        };
        const Vector first = weights_by(InMemoryEngine(load_rows(BlockFile(path))));
        EXPECT_EQ(first.size(), 24U);
        EXPECT_EQ(weights_by(OutOfCoreEngine(path)), first);
        EXPECT_EQ(weights_by(OutOfCoreEngine(path, {.memory_mb = 8, .map_file = false})), first);
      }
    }
  }
}

TEST(Train, SoftmaxAndOneAgainstTheRestLearnTenDigits) {
  const std::string path = testing::real_data("mnist/t10k-images-idx3-ubyte.gz");
  if (path.empty()) GTEST_SKIP() << "mnist is not at hand";
  Schema schema;
  schema.intercept = 0;
  schema.label.classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  const Encoder encoder(complete_for(path, schema));
  const Dataset rows = read_dataset(path, encoder);
  for (const Loss& loss : {Loss(Softmax{}), Loss(Logistic{})}) {
    InMemoryEngine engine(rows.facts(), rows.view());
    TrainRequest request;
    request.problem = {loss, 1e-3};
    request.method = BoltOn{.sgd = {.passes = 2, .batch_rows = 10}};
    request.budget = {.epsilon = 1e4};
    request.order_seed = 1;
    request.encoding = to_json(encoder.schema());
    BitSource bits(ReproducibleSeed{1});
    const Model model = train(engine, request, bits);
    EXPECT_EQ(model.weights.size(), 7840U);
    EXPECT_GT(evaluate(model, rows.view()).accuracy, 0.8) << model.loss;
  }
}

}  // namespace
}  // namespace sotto
