// Training under a budget: what is charged when, what is refused before a row is read, what comes back for free.
#include "ledger_testing.h"
#include "sotto/base/fields.h"
#include "sotto/train.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

/// A table that counts how often it was opened, and can fail there.
class CountedRows final : public RowSource {
 public:
  CountedRows() : rows_(60, 2) {
    for (std::size_t i = 0; i < 60; ++i) {
      const double side = i % 2 == 0 ? 1 : -1;
      rows_.set(i, {{0.8 * side, 0.1}, static_cast<float>(side)});
    }
  }
  Facts facts(std::uint64_t rows) const override { return {rows, 2, 1.0, false}; }
  Digest fingerprint() const override {
    if (at_fingerprint_) at_fingerprint_();
    return sha256(content_);
  }
  std::unique_ptr<Engine> open() override {
    ++opened_;
    if (at_open_) at_open_();
    return std::make_unique<Table>(rows_);
  }
  Opened open_fingerprinted() override {
    auto engine = open();
    return {std::move(engine), fingerprint()};
  }
  std::optional<RowCheck> check(Opening) override {
    ++checked_;
    if (at_check_) at_check_();
    return found_;
  }
  int opened_ = 0;
  int checked_ = 0;
  std::optional<RowCheck> found_;
  std::function<void()> at_check_;
  std::string content_ = "some data";
  std::function<void()> at_open_, at_fingerprint_;

 private:
  class Table final : public Engine {
   public:
    explicit Table(const Rows& rows) : rows_(rows) {}
    Facts facts() const override { return rows_.facts(); }
    std::uint32_t block_rows() const override { return 1; }
    void scan_rows(std::uint64_t, std::uint64_t, RowConsumer&) const override {}
    void scan(const ScanOrder&, std::uint32_t, RowConsumer& consumer) override {
      Order order(rows_.size());
      std::iota(order.begin(), order.end(), 0);
      rows_.feed(consumer, order, 17, false);
    }

   private:
    const Rows& rows_;
  };
  Rows rows_;
};

class TrainWithLedger : public LedgerTest {
 protected:
  TrainWithLedger() { request_.problem = {Logistic{}, 0.1}; }
  void open(FilterKind kind, double epsilon, double delta) {
    SqliteLedger::create(path_, terms_of(kind, epsilon, delta), kSomeData);
    ledger_.emplace(path_);
  }
  TrainRequest asking(double epsilon, double delta = 0) const {
    TrainRequest request = request_;
    request.budget = {epsilon, delta, Relation::replace_one};
    return request;
  }
  Released run(const TrainRequest& request, bool again = false) {
    return train(rows_, request, bits_, {*ledger_, again});
  }
  std::uint64_t spent() { return ledger_->filter().spent().loss; }

  CountedRows rows_;
  BitSource bits_;
  std::optional<SqliteLedger> ledger_;
  TrainRequest request_;
};

constexpr std::uint64_t kUnit = Filter::kLossUnits;

TEST_F(TrainWithLedger, TheChargeIsInTheLedgerBeforeTheFirstRowIsRead) {
  open(FilterKind::sum, 1, 1e-9);
  rows_.at_open_ = [&] {
    SqliteLedger seen(path_);
    EXPECT_EQ(seen.filter().spent().loss, kUnit / 2);
    EXPECT_EQ(seen.verify().anchored, 2U);
  };
  const Released released = run(asking(0.5));
  EXPECT_EQ(rows_.opened_, 1);
  EXPECT_FALSE(released.stored);
  EXPECT_EQ(spent(), kUnit / 2);
  EXPECT_EQ(ledger_->entries().at(0).state, EntryState::released);
}

RowCheck found_in(std::uint64_t unusable) {
  RowCheck check{{}, {{"age", true}}, {"no", "yes"}, "y"};
  check.tally.start(2, 2);
  check.tally.rows = 60;
  check.tally.unusable = check.tally.columns[0].problems[0] = unusable;
  return check;
}

TEST_F(TrainWithLedger, RowsAreCheckedWhenItFitsAndBeforeTheCharge) {
  open(FilterKind::sum, 1, 1e-9);
  rows_.found_ = found_in(1);
  rows_.at_check_ = [&] { EXPECT_EQ(spent(), 0U); };
  int heard = 0;
  TrainRequest request = asking(2);
  request.check = [&](const RowCheck& check) { heard += check.tally.rows == 60 ? 1 : 0; };
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(rows_.checked_, 0) << "what does not fit looks at nothing";
  request.budget.epsilon = 0.5;
  EXPECT_FALSE(run(request).stored);
  EXPECT_EQ(heard, 1);
  EXPECT_TRUE(run(request).stored);
  EXPECT_EQ(rows_.checked_, 1) << "an answered request looks at nothing";
  EXPECT_FALSE(run(asking(0.25)).stored);
  EXPECT_EQ(rows_.checked_, 1) << "nobody asked for a check";
  rows_.content_ = "other data";
  request.budget.epsilon = 0.125;
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_data);
  EXPECT_EQ(rows_.checked_, 1) << "other rows are nobody's business";
}

TEST_F(TrainWithLedger, ACheckThatStopsChargesNothingAndReadsNoMore) {
  open(FilterKind::sum, 1, 1e-9);
  rows_.found_ = found_in(7);
  TrainRequest request = asking(0.5);
  request.check = [](const RowCheck&) {};
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("nothing was charged"), std::string::npos) << message_;
  EXPECT_EQ(spent(), 0U);
  EXPECT_TRUE(ledger_->entries().empty());
  EXPECT_EQ(rows_.opened_, 0);
  request.check = {};
  EXPECT_FALSE(run(request).stored);
}

TEST_F(TrainWithLedger, ACheckIsNoPartOfWhatIsAsked) {
  open(FilterKind::sum, 1, 1e-9);
  rows_.found_ = found_in(0);
  TrainRequest request = asking(0.5);
  EXPECT_FALSE(run(request).stored);
  request.check = [](const RowCheck&) {};
  EXPECT_TRUE(run(request).stored);
}

TEST_F(TrainWithLedger, ABlindLedgerIsRememberedAndNeverLooks) {
  LedgerTerms terms = terms_of(FilterKind::sum, 1, 1e-9);
  std::string text = text_of(terms);
  EXPECT_FALSE(terms_from(text).blind);
  text.replace(text.find(R"("blind":false)"), 13, R"("was":false)");  // as a ledger that is older than the check
  EXPECT_TRUE(terms_from(text).blind);
  terms.blind = true;
  SqliteLedger::create(path_, terms, kSomeData);
  ledger_.emplace(path_);
  EXPECT_TRUE(ledger_->terms().blind);
  rows_.found_ = found_in(60);
  TrainRequest request = asking(0.5);
  request.check = [](const RowCheck&) { ADD_FAILURE() << "nobody is told"; };
  EXPECT_FALSE(run(request).stored);
  EXPECT_EQ(rows_.checked_, 0);
}

TEST_F(TrainWithLedger, APartOfTheDataIsChargedEveryTimeAndNeverAnswersForTheWhole) {
  open(FilterKind::sum, 2, 1e-9);
  const LedgerUse part{*ledger_, false, true};
  rows_.content_ = "a part of the data";
  EXPECT_THROW(run(asking(0.5)), Error);
  EXPECT_EQ(spent(), 0U);
  const Released first = train(rows_, asking(0.5), bits_, part);
  const Released second = train(rows_, asking(0.5), bits_, part);
  EXPECT_FALSE(second.stored);
  EXPECT_EQ(spent(), kUnit);
  EXPECT_NE(first.text, second.text);
  EXPECT_NE(first.text.find("part of the ledger's data"), std::string::npos);
  EXPECT_NE(first.text.find("each row at most once"), std::string::npos);
  rows_.content_ = "some data";
  EXPECT_FALSE(run(asking(0.5)).stored);
}

TEST_F(TrainWithLedger, WhatDoesNotFitIsRefusedUnreadAndUnchargedAndSaysWhatFits) {
  open(FilterKind::sum, 1, 1e-9);
  run(asking(0.75));
  EXPECT_EQ(refused([&] { run(asking(0.5)); }), ErrorKind::budget_exceeded);
  EXPECT_NE(message_.find("0.25"), std::string::npos) << message_;
  EXPECT_EQ(rows_.opened_, 1);
  EXPECT_EQ(spent(), kUnit * 3 / 4);
  run(asking(0.25));
  EXPECT_EQ(spent(), kUnit) << "0.75 + 0.25 is exactly 1";
}

TEST_F(TrainWithLedger, TheSameRequestGetsTheSameBytesForNothing) {
  open(FilterKind::sum, 1, 1e-9);
  const Released first = run(asking(0.6)), second = run(asking(0.6));
  EXPECT_TRUE(second.stored);
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.model.weights, second.model.weights);
  EXPECT_EQ(rows_.opened_, 1);
  EXPECT_EQ(spent(), kUnit * 6 / 10);
  EXPECT_EQ(refused([&] { run(asking(0.6), true); }), ErrorKind::budget_exceeded) << "a fresh run is a new charge";
}

TEST_F(TrainWithLedger, EveryPartOfARequestMakesItAnother) {
  open(FilterKind::sum, 100, 1e-3);
  std::vector<TrainRequest> requests(8, asking(0.1));
  requests[1].budget.epsilon = 0.2;
  requests[2].budget.delta = 1e-6;
  requests[3].problem.lambda = 0.2;
  requests[4].problem.loss = HuberSvm{};
  requests[5].method = BoltOn{.sgd = {.passes = 3}};
  requests[6].order_seed = 4;
  requests[7].encoding = R"({"other":1})";
  for (const TrainRequest& request : requests) EXPECT_FALSE(run(request).stored);
  for (const TrainRequest& request : requests) EXPECT_TRUE(run(request).stored);
  EXPECT_FALSE(run(requests[0], true).stored);
  EXPECT_EQ(rows_.opened_, 9);
}

TEST_F(TrainWithLedger, ARunThatFailsAfterItsReservationStaysSpent) {
  open(FilterKind::sum, 1, 1e-9);
  rows_.at_open_ = [] { throw Error(ErrorKind::io, "the disk went away"); };
  EXPECT_EQ(refused([&] { run(asking(0.5)); }), ErrorKind::io);
  EXPECT_EQ(spent(), kUnit / 2);
  EXPECT_EQ(ledger_->entries().at(0).state, EntryState::reserved);
  rows_.at_open_ = nullptr;
  TrainRequest stopping = asking(0.25);
  stopping.progress = [](double) { throw Error(ErrorKind::io, "interrupted"); };
  EXPECT_EQ(refused([&] { run(stopping); }), ErrorKind::io);
  EXPECT_EQ(spent(), kUnit * 3 / 4);
}

TEST_F(TrainWithLedger, OtherDataAreRefusedAndNothingIsCharged) {
  open(FilterKind::sum, 1, 1e-9);
  run(asking(0.5));
  rows_.content_ = "other data";
  EXPECT_EQ(refused([&] { run(asking(0.25)); }), ErrorKind::invalid_data);
  EXPECT_EQ(refused([&] { run(asking(0.5)); }), ErrorKind::invalid_data) << "not even the stored model";
  EXPECT_EQ(rows_.opened_, 1);
  EXPECT_EQ(spent(), kUnit / 2);
}

TEST_F(TrainWithLedger, WhatIsNotPrivateHasNoPrice) {
  open(FilterKind::sum, 10, 1e-3);
  BitSource seeded(ReproducibleSeed{1});
  EXPECT_EQ(refused([&] { train(rows_, asking(0.5), seeded, {*ledger_}); }), ErrorKind::invalid_argument);
  TrainRequest request = asking(0.5);
  request.method = Noiseless{};
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_argument);
  request.method = BoltOn{.calibration = Calibration::published};
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_argument);
  request = asking(0.5);
  request.not_private = {"bounds from the rows"};
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_argument);
  request = asking(0.5);
  request.budget.relation = Relation::add_remove;
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_argument);
  EXPECT_EQ(rows_.opened_, 0);
  EXPECT_TRUE(ledger_->entries().empty());
  Curator curator(seeded);
  const Quote quoted = quote(asking(0.5), rows_.facts(60), *ledger_);
  EXPECT_EQ(refused([&] { curator.charge(planned_cost(quoted.plan), *ledger_, "x"); }), ErrorKind::invalid_argument);
}

TEST_F(TrainWithLedger, TheFiltersCurrencyIsWhatIsCharged) {
  open(FilterKind::zcdp, 1, 1e-6);
  const Quote quoted = quote(asking(0.3, 1e-7), rows_.facts(60), *ledger_);
  const double mu = std::get<GaussianNoise>(quoted.plan.noise->mechanism).mu;
  run(asking(0.3, 1e-7));
  EXPECT_NEAR(static_cast<double>(spent()) * 1e-12, mu * mu / 2, 2e-12);
  EXPECT_GE(static_cast<double>(spent()) * 1e-12, mu * mu / 2 * (1 - 1e-15));
  const Filter::Cost spent_once = ledger_->filter().spent();
  EXPECT_GT(spent_once.delta, 0U) << "the distance of the noise from its law is charged too";
  // Several passes of scs13 cost what their events cost together, not several times the whole.
  TrainRequest request = asking(0.3, 1e-7);
  request.method = Scs13{.sgd = {.passes = 3}};
  run(request);
  EXPECT_NEAR(static_cast<double>(spent()), 2.0 * static_cast<double>(spent_once.loss), 1e3);
}

TEST_F(TrainWithLedger, TheEpsilonThatIsSaidToFitDoesFit) {
  for (const FilterKind kind : {FilterKind::zcdp, FilterKind::rdp, FilterKind::gdp, FilterKind::sum}) {
    path_ = folder_ + "/" + std::string(enum_name(kind));
    open(kind, 1, 1e-6);
    ledger_->reserve({kind == FilterKind::sum ? Event(PureEvent{0.3}) : Event(GaussianEvent{0.1}), 0, "before"});
    ASSERT_EQ(refused([&] { run(asking(5, 1e-7)); }), ErrorKind::budget_exceeded);
    const std::string words = "a model of epsilon ";
    const std::size_t at = message_.find(words);
    ASSERT_NE(at, std::string::npos) << message_;
    // Rounded down to four digits.
    const double offered = std::stod(message_.substr(at + words.size()));
    EXPECT_GT(offered, 0.5) << message_;
    EXPECT_EQ(refused([&] { run(asking(offered * 1.002, 1e-7)); }), ErrorKind::budget_exceeded);
    EXPECT_NO_THROW(run(asking(offered, 1e-7))) << enum_name(kind) << offered;
  }
}

TEST_F(TrainWithLedger, ABudgetWithoutDeltaTakesExactNoiseOnly) {
  open(FilterKind::sum, 1, 0);
  EXPECT_EQ(refused([&] { run(asking(0.5)); }), ErrorKind::budget_exceeded);
  TrainRequest request = asking(1);
  request.method = BoltOn{.mechanism = MechanismChoice::discrete_laplace};
  run(request);
  EXPECT_EQ(ledger_->filter().remaining(), (Filter::Cost{0, 0}));
}

TEST_F(TrainWithLedger, TheCardNamesTheLedgerOrSaysThatThereWasNone) {
  open(FilterKind::sum, 1, 1e-9);
  const Released released = run(asking(0.25));
  const Model back = model_from_text(released.text, "m");
  EXPECT_TRUE(back.card.budget.enforced);
  EXPECT_EQ(back.card.budget.ledger, ledger_->terms().id);
  EXPECT_EQ(back.card.budget.entry, 2U);
  EXPECT_EQ(back.card.budget.epsilon, 1);
  EXPECT_EQ(back.card.budget.spent.substr(0, 4), "0.25");
  EXPECT_EQ(card_text(back.card).find("no budget was enforced"), std::string::npos);
  const Model free = train(*rows_.open(), asking(0.25), bits_);
  EXPECT_FALSE(free.card.budget.enforced);
  EXPECT_NE(card_text(free.card).find("no budget was enforced"), std::string::npos);
}

// Rows are identified after the first look at the budget and before the charge.
TEST_F(TrainWithLedger, TheCardStatesTheBudgetAsItWasCharged) {
  open(FilterKind::sum, 1, 1e-6);
  rows_.at_fingerprint_ = [this] {
    rows_.at_fingerprint_ = {};
    SqliteLedger(path_).lower(0.5);
  };
  const PrivacyCard::LedgerUse use = run(asking(0.25, 1e-7)).model.card.budget;
  EXPECT_EQ(use.epsilon, 0.5);
  EXPECT_EQ(use.limit, Filter::text_of(ledger_->filter().limit()));
}

TEST_F(TrainWithLedger, ARowCountThatIsNotTheLedgersIsFoundOut) {
  LedgerTerms terms = terms_of(FilterKind::sum, 1, 1e-9);
  terms.rows = 61;
  SqliteLedger::create(path_, terms, kSomeData);
  ledger_.emplace(path_);
  EXPECT_EQ(refused([&] { run(asking(0.5)); }), ErrorKind::invalid_data);
  EXPECT_EQ(spent(), kUnit / 2) << "rows were read to find out";
}

TEST_F(TrainWithLedger, ObjectivePerturbationIsPricedWhereItHasAPriceAndOtherwiseToldWhereItHas) {
  open(FilterKind::zcdp, 2, 1e-6);
  TrainRequest request = asking(1);
  request.problem.lambda = 0.5;
  request.method = Objective{};
  const Quote pure = quote(request, rows_.facts(60), *ledger_);
  EXPECT_NEAR(static_cast<double>(pure.cost.loss) * 1e-12, 0.5, 1e-6) << "pure epsilon costs epsilon^2/2";
  request.budget.delta = 1e-7;
  EXPECT_EQ(refused([&] { run(request); }), ErrorKind::unsupported);
  EXPECT_NE(message_.find("with filter sum or rdp"), std::string::npos) << message_;
  EXPECT_EQ(message_.find("gdp"), std::string::npos) << message_;
  EXPECT_TRUE(ledger_->entries().empty());
  for (const FilterKind kind : {FilterKind::sum, FilterKind::rdp}) {
    path_ = folder_ + "/" + std::string(enum_name(kind));
    open(kind, 2, 1e-6);
    EXPECT_TRUE(quote(request, rows_.facts(60), *ledger_).fits());
  }
}

}  // namespace
}  // namespace sotto::test
