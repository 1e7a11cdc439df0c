// What the first lines of a page say: true of every method of the catalogue, rounded to the safe side, in people's words.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "ledger_testing.h"
#include "sotto/model/signature.h"
#include "sotto/privacy/accountant/best_guess.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/report/answers.h"
#include "sotto/report/html.h"
#include "sotto/report/training.h"
#include "sotto/train.h"

namespace sotto::report {
namespace {

constexpr const char* kSchema =
    R"({"columns":[{"name":"age","min":17,"max":90},{"name":"gain","min":0,"max":100000,"scale":"log1p","missing":["?"]},
        {"name":"job","kind":"category","values":["clerk","<b>"]},{"name":"id","kind":"ignore"}],
        "label":{"column":"income","positive":[">50K"],"negative":["<=50K"]},"data_norm":1,"format":"csv","complete":true})";

PlanInput input_of(double epsilon, double delta, Relation relation = Relation::replace_one) {
  return {{2000, 5, 1.0, false, 2}, {Logistic{}, 0.01}, {epsilon, delta, relation}};
}

Model model_of(const PrivacyCard& card, const char* schema = kSchema) {
  Model model;
  model.weights = {1, -0.5, 0.25, 0, 0.125};
  model.card = card;
  model.encoding = schema;
  return model;
}

std::string text_of(const std::string& html) {
  const std::string body = html.substr(html.find("<body>"), html.find("<script>") - html.find("<body>"));
  return std::regex_replace(body, std::regex("<[^>]*>"), " ");
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What no page may have, whatever it is about.
void expect_whole(const std::string& html, const std::string& what) {
  const std::string text = text_of(html);
  EXPECT_FALSE(std::regex_search(text, std::regex("\\b(nan|inf|infinite|none promised)\\b"))) << what;
  EXPECT_FALSE(has(text, "(s)")) << what;
  EXPECT_FALSE(std::regex_search(text, std::regex("[0-9]e[-+]0[0-9]"))) << what;
  EXPECT_FALSE(has(text, "1 rows")) << what << " " << text.substr(text.find("1 rows") - 20, 40);
  EXPECT_FALSE(std::regex_search(html, std::regex("<dl></dl>|<ul></ul>|<p></p>|<dd></dd>|</h2></section>"))) << what;
  EXPECT_FALSE(std::regex_search(html, std::regex("</h2><div class=\"box\"></div>"))) << what;
}

std::optional<Plan> plan_or_nothing(const Method& method, const PlanInput& input) {
  try {
    return make_plan(method, input);
  } catch (const Error&) {
    return {};  // takes no such budget
  }
}

template <class See>
void for_every_card(const See& see) {
  for_each_member<Method>([&](auto tag) {
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      for (const double delta : {0.0, 1e-6}) {
        const auto plan = plan_or_nothing(typename decltype(tag)::type{}, input_of(0.7, delta, relation));
        if (plan) see(*plan, make_card(*plan));
      }
    }
  });
}

TEST(Answers, EveryMethodHasAPageThatIsWhole) {
  int pages = 0;
  for_every_card([&](const Plan&, const PrivacyCard& card) {
    for (const char* schema : {kSchema, "{}"}) {
      const TrainingReport report = training_report("m.json", model_of(card, schema));
      const std::string html = html_of(report);
      expect_whole(html, card.method);
      for (const char* question : {"What was promised", "How much is left", "What the risk is"}) {
        EXPECT_TRUE(has(html, question)) << card.method;
      }
      EXPECT_EQ(has(html, "guesses right at most"), card.is_private) << card.method;
      EXPECT_EQ(has(html, "There is no limit."), !card.is_private) << card.method;
      // Noise is drawn where a chart says noise.
      EXPECT_TRUE(!has(html, "Noise against signal") || has(html, "class=\"bar\"")) << card.method;
      ++pages;
    }
  });
  EXPECT_GT(pages, 40);
}

TEST(Answers, TheRiskOfEveryMethodLiesBetweenWhatItsNoiseReachesAndWhatItPromises) {
  int tight = 0;
  for_every_card([&](const Plan& plan, const PrivacyCard& card) {
    const TrainingReport report = training_report("m.json", model_of(card));
    if (!card.is_private) {
      EXPECT_EQ(report.best_guess, 1) << card.method;
      return;
    }
    EXPECT_LE(report.best_guess, best_guess(card.epsilon, card.delta)) << card.method;
    EXPECT_GT(report.best_guess, 0.5) << card.method;
    try {
      const double reached = account_delta(event_of(plan.charges), plan.guarantee.relation, 0).value.lower;
      EXPECT_GE(report.best_guess, (1 + reached) / 2) << card.method;
      ++tight;
    } catch (const Error&) {
      return;  // no accountant
    }
  });
  EXPECT_GT(tight, 10);
}

TEST(Answers, TheRiskOfGaussianNoiseIsThatOfItsMu) {
  const Plan plan = make_plan(BoltOn{}, input_of(1, 1e-6));
  const double mu = std::get<GaussianNoise>(plan.noise->mechanism).mu;
  const TrainingReport report = training_report("m.json", model_of(make_card(plan)));
  EXPECT_GE(report.best_guess, best_guess_gaussian(mu));
  EXPECT_NEAR(report.best_guess, best_guess_gaussian(mu), 1e-6);
  const std::string html = html_of(report);
  EXPECT_TRUE(has(html, "The noise that was added does better than its promise, which alone allows 74 times in 100."));
}

TEST(Answers, TheNumbersOnThePageAreThoseOfTheCard) {
  const TrainingReport report = training_report("m.json", model_of(make_card(make_plan(Output{}, input_of(0.5, 0)))));
  const std::string html = html_of(report);
  EXPECT_TRUE(has(html, "Someone who knows every other row guesses right at most 63 times in 100; a coin has 50."));
  EXPECT_TRUE(has(html,
                  "replaced by any other, the probability of whatever is concluded from these weights would change "
                  "by at most a factor of 1.649"));
  EXPECT_TRUE(has(html, "One row is not one person"));
}

TEST(Answers, UnderAddRemoveTheQuestionIsWhetherTheRowIsThere) {
  const Method method = Dpgd{.declared_rows = 3000};
  const PrivacyCard card = make_card(make_plan(method, input_of(1, 1e-6, Relation::add_remove)));
  const std::string html = html_of(training_report("m.json", model_of(card)));
  EXPECT_TRUE(has(html, "If any one row were added or removed"));
  EXPECT_TRUE(has(html, "The guess is whether the row was there"));
  EXPECT_FALSE(has(html, "and the number of rows are taken as public"));
}

TEST(Answers, ColumnsStandOnThePageAsTheyWereDeclared) {
  const std::string html = html_of(training_report("m.json", model_of(make_card(make_plan(BoltOn{}, input_of(1, 0))))));
  for (const char* cell :
       {"<td>age</td><td>number</td><td>17 to 90</td>",
        "<td>gain</td><td>number</td><td>0 to 100,000, on a logarithmic scale; missing where it says ?</td>",
        "<td>job</td><td>2 categories</td><td>clerk, &lt;b&gt;</td>", "<td>id</td><td>not used</td>",
        "income: &lt;=50K, &gt;50K"}) {
    EXPECT_TRUE(has(html, cell)) << cell;
  }
  const char* unconfirmed =
      R"({"columns":[{"name":"age","min":1,"max":9,"public":false}],"data_norm":1,"format":"csv","complete":true})";
  EXPECT_TRUE(
      has(html_of(training_report("m", model_of(make_card(make_plan(Objective{}, input_of(1, 0))), unconfirmed))),
          "1 to 9 (suggested from the rows, not confirmed)"));
}

TEST(Answers, WarningsOfThePlanStandAmongTheLimits) {
  const std::string large = html_of(training_report("m", model_of(make_card(make_plan(Output{}, input_of(12, 1e-9))))));
  EXPECT_TRUE(has(large, "Epsilon 12 is above 10 and promises next to nothing"));
  EXPECT_FALSE(has(html_of(training_report("m", model_of(make_card(make_plan(Output{}, input_of(1, 1e-9)))))),
                   "promises next to nothing"));
}

TEST(Spelling, NumbersAreThoseOfPeople) {
  EXPECT_EQ(tidied("delta 1e-07, 3.5e-10, 2e+06 and e-05"), "delta 1e-7, 3.5e-10, 2e6 and e-05");
  EXPECT_EQ(tidied("1e-00"), "1e-0");
  EXPECT_EQ(counted(1, "row", "rows"), "1 row");
  EXPECT_EQ(counted(1234567, "row", "rows"), "1,234,567 rows");
  EXPECT_EQ(sentence("some words"), "Some words.");
  EXPECT_EQ(sentence(""), "");
  EXPECT_EQ(short_number(1e-7), "1e-7");
}

class LedgerPages : public test::LedgerTest {
 protected:
  LedgerPages() { create(); }
  /// A model that the ledger released, as the text of its file.
  std::string release(double epsilon) {
    SqliteLedger ledger(path_);
    Model model = model_of(make_card(make_plan(BoltOn{}, input_of(epsilon, 0))));
    Reservation reserved = ledger.reserve({PureEvent{epsilon}, 0, "r" + std::to_string(++requests_)});
    model.card.budget.enforced = true;
    model.card.budget.ledger = ledger.terms().id;
    sign_model(model, ledger);
    const std::string text = model_text(model);
    reserved.begin_reading();
    ledger.release(std::move(reserved), text);
    return text;
  }
  std::string page(const std::string& text) {
    SqliteLedger ledger(path_);
    return model_page({"m.json", text, &ledger});
  }
  int requests_ = 0;
};

TEST_F(LedgerPages, AModelPageSaysWhatIsLeftAndWhenItWasMade) {
  const std::string html = page(release(0.25));
  expect_whole(html, "with a ledger");
  SqliteLedger ledger(path_);
  EXPECT_TRUE(has(html, escaped(sentence(tidied(budget_words(ledger.filter()))))));
  EXPECT_TRUE(has(html, "25 percent used; a model of epsilon 0.7"));
  EXPECT_TRUE(has(html, "From all releases of the ledger together: at most 74 times in 100."));
  EXPECT_TRUE(has(html, "signature verified"));
  EXPECT_TRUE(has(html, "UTC, entry 2 of ledger " + ledger.terms().id.substr(0, 12)));
  EXPECT_TRUE(has(html, "verified with the public key of this ledger"));
}

TEST_F(LedgerPages, AModelOfAnotherLedgerIsRefused) {
  std::string text = release(0.25);
  const Model free = model_of(make_card(make_plan(BoltOn{}, input_of(1, 0))));
  EXPECT_EQ(refused([&] { page(model_text(free)); }), ErrorKind::invalid_data);
  EXPECT_TRUE(has(message_, "m.json is not byte for byte what this ledger released"));
}

TEST_F(LedgerPages, AnEvaluationIsAMeasurementAndTheModelStaysPrivate) {
  const std::string text = release(0.25);
  Evaluation found{10, 1, 2, 0.75, 0.5, 0.8, {3, 1, 2, 4}};
  const std::string html = model_page({"m.json", text, nullptr, &found});
  expect_whole(html, "measured");
  EXPECT_TRUE(has(html, "0.7500"));
  EXPECT_TRUE(has(html, "this measurement is not private"));
  EXPECT_FALSE(has(html, "class=\"tag\"")) << "the model is private";
  EXPECT_FALSE(has(html, "id=\"accuracy\"")) << "a chart of one dot";
  EXPECT_TRUE(has(html, "After this model"));
}

TEST_F(LedgerPages, TheDashboardOfAnEmptyLedgerIsWhole) {
  SqliteLedger ledger(path_);
  const std::string html = html_of(view_of(ledger));
  expect_whole(html, "empty");
  EXPECT_TRUE(has(html, "Nothing was charged yet."));
  EXPECT_TRUE(has(html, "0 percent used"));
  EXPECT_FALSE(has(html, "<svg class=\"chart\""));
}

TEST_F(LedgerPages, TheDashboardTellsEveryEntryAndAddsThemUp) {
  release(0.25);
  SqliteLedger ledger(path_);
  EXPECT_FALSE(has(html_of(view_of(ledger)), "<svg class=\"chart\"")) << "no chart of one entry";
  { const Reservation crashed = ledger.reserve({PureEvent{0.125}, 0, "crashed"}); }
  ledger.cancel(ledger.reserve({PureEvent{0.5}, 0, "cancelled"}));
  release(0.1);
  const LedgerView view = view_of(ledger);
  ASSERT_EQ(view.entries.size(), 4u);
  EXPECT_EQ(view.entries[0].asked, "bolt_on");
  EXPECT_EQ(view.entries[0].epsilon, 0.25);
  EXPECT_EQ(view.entries[0].percent_after, 25);
  EXPECT_EQ(view.entries[1].percent_after, 37.5);
  EXPECT_EQ(view.entries[2].percent_after, 37.5) << "given back";
  EXPECT_EQ(view.entries[3].percent_after, budget_use(ledger.filter()).percent_used);
  const std::string html = html_of(view);
  expect_whole(html, "four entries");
  for (const char* words : {"spent, nothing released", "given back unread", "<svg class=\"chart\"", "Verified",
                            "not known", "47.5 percent used", "epsilon 1 and delta 1e-9 for all releases together"}) {
    EXPECT_TRUE(has(html, words)) << words;
  }
  const Json json = to_json(view);
  EXPECT_EQ(json["entries"].size(), 4u);
  EXPECT_TRUE(json["verified"].get<bool>());
  EXPECT_EQ(json["entries"][3]["state"], "released");
}

TEST_F(LedgerPages, AnAnalystIsNamedWhereTheLedgerKnowsThem) {
  release(0.25);
  SqliteLedger ledger(path_);
  LedgerView view = view_of(ledger);
  EXPECT_FALSE(has(html_of(view), "Analyst"));
  view.entries[0].analyst = "ada <b>";
  EXPECT_TRUE(has(html_of(view), "<td>ada &lt;b&gt;</td><td>1</td><td>25 %</td>"));
}

TEST_F(LedgerPages, ALedgerThatDoesNotAgreeIsNotCalledVerified) {
  release(0.25);
  SqliteLedger ledger(path_);
  LedgerView view = view_of(ledger);
  view.problem = "a record was cut";
  const std::string html = html_of(view);
  EXPECT_TRUE(has(html, "Not verified"));
  EXPECT_TRUE(has(html, "NO: a record was cut"));
  EXPECT_FALSE(has(html, "class=\"verdict private\""));
}

TEST_F(LedgerPages, OtherModelsOfTheLedgerAreFound) {
  const std::string first = release(0.25);
  release(0.1);
  SqliteLedger ledger(path_);
  ASSERT_EQ(other_models(ledger, first).size(), 1u);
  EXPECT_EQ(other_models(ledger, first)[0].card.epsilon, 0.1);
}

}  // namespace
}  // namespace sotto::report
