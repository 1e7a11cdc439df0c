// Private tuning under a budget: everything that is tried is one entry, reserved before a row is read.
#include "ledger_testing.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/selection.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/tune.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

class Source final : public RowSource {
 public:
  Source() : rows_(600, 2) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double side = i < 300 ? 1 : -1;
      rows_.set(i, {{0.8 * side, 0.1}, static_cast<float>(side)});
    }
  }
  Facts facts(std::uint64_t rows) const override { return {rows, 2, 1.0, false}; }
  Digest fingerprint() const override { return fingerprint_; }
  std::unique_ptr<Engine> open() override {
    ++opened_;
    return std::make_unique<TableEngine>(rows_);
  }
  Opened open_fingerprinted() override { return {open(), fingerprint()}; }
  int opened_ = 0;
  Digest fingerprint_ = kSomeData;

 private:
  Rows rows_;
};

class TuneWithLedger : public LedgerTest {
 protected:
  void open(FilterKind kind, double epsilon, double delta) {
    LedgerTerms terms = terms_of(kind, epsilon, delta);
    terms.rows = 600;
    path_ = folder_ + "/" + std::string(enum_name(kind));
    SqliteLedger::create(path_, terms, kSomeData);
    ledger_.emplace(path_);
  }
  static TuneRequest asking(TuneBy by, const Budget& budget) {
    TuneRequest request;
    request.train.problem = {Logistic{}, 0.1};
    request.train.method = BoltOn{.sgd = {.passes = 2}};
    request.train.budget = budget;
    request.grid = parse_grid("passes=1,3");
    request.by = by;
    request.mean_runs = 3;
    return request;
  }
  Released run(const TuneRequest& request, bool again = false) {
    return tune(rows_, nullptr, request, {{*ledger_, again}, bits_});
  }
  double spent() { return static_cast<double>(ledger_->filter().spent().loss) * 1e-12; }

  Source rows_;
  BitSource bits_;
  std::optional<SqliteLedger> ledger_;
};

TEST_F(TuneWithLedger, PartsCostTheDearestPartAndOneEntry) {
  open(FilterKind::sum, 1, 1e-5);
  const TuneRequest request = asking(TuneBy::parts, {0.5, 1e-6});
  const Released released = run(request);
  EXPECT_NEAR(spent(), 0.5, 1e-12) << "a row is in one part";
  ASSERT_EQ(ledger_->entries().size(), 1U);
  EXPECT_EQ(ledger_->entries()[0].state, EntryState::released);
  const Model back = model_from_text(released.text, "m");
  EXPECT_TRUE(back.card.budget.enforced);
  EXPECT_EQ(back.card.epsilon, 0.5);
  ASSERT_GE(back.card.remarks.size(), 2U);
  EXPECT_NE(back.card.remarks.end()[-2].find("passes=3"), std::string::npos);
}

TEST_F(TuneWithLedger, PartsEnterOtherFiltersAsParallelEvents) {
  open(FilterKind::zcdp, 2, 1e-5);
  const TuneRequest request = asking(TuneBy::parts, {0.5, 1e-6});
  const TunePlan plan = plan_tuning(request, rows_.facts(600));
  const auto& parts = std::get<ParallelEvent>(plan.charge.event).parts;
  ASSERT_EQ(parts.size(), request.grid.size() + 1);
  EXPECT_EQ(parts.back(), Event(ExponentialEvent{0.5}));
  double dearest = 0;
  for (const Event& part : parts) dearest = std::max(dearest, zcdp_rho_of(part, Relation::replace_one));
  run(request);
  EXPECT_NEAR(spent(), dearest, 2e-12);
  EXPECT_GT(dearest, 0.5 * 0.5 / 8 * 0.999);
  EXPECT_GT(ledger_->filter().spent().delta, 0U) << "the distance of the Gaussian noise";
}

TEST_F(TuneWithLedger, RandomStoppingCostsTheSelectionOfAllRuns) {
  const TuneRequest request = asking(TuneBy::random_stopping, {1, 1e-6});
  open(FilterKind::sum, 2, 1e-5);
  run(request);
  EXPECT_NEAR(spent(), 1, 1e-12);
  const TunePlan plan = plan_tuning(request, rows_.facts(600));
  const Filter rdp = Filter::open(FilterKind::rdp, {4, 1e-5});
  const double cost = static_cast<double>(cost_in(rdp, plan.cost()).loss) * 1e-12;
  EXPECT_NEAR(cost, rdp_of(plan.charge.event, Relation::replace_one, rdp.rdp_order()), 2e-12);
  EXPECT_GT(cost, rdp.rdp_order() * plan.stopping.run_rho) << "more than a single run";
  EXPECT_EQ(refused([&] { cost_in(Filter::open(FilterKind::zcdp, {4, 1e-5}), plan.cost()); }), ErrorKind::unsupported);
  EXPECT_NE(message_.find("with filter sum or rdp"), std::string::npos) << message_;
  EXPECT_EQ(message_.find("--"), std::string::npos) << "a front end words it: " << message_;
}

TEST_F(TuneWithLedger, SampledRunsOfASelectionAreChargedToASumAndToOneOrder) {
  TuneRequest request = asking(TuneBy::random_stopping, {1, 1e-6});
  request.train.method = Dpsgd{.batch_rows = 100};
  const TunePlan plan = plan_tuning(request, rows_.facts(600));
  open(FilterKind::sum, 2, 1e-5);
  run(request);
  EXPECT_NEAR(spent(), 1, 1e-12);
  open(FilterKind::rdp, 4, 1e-5);
  const Released released = run(request);
  const double order = ledger_->filter().rdp_order();
  EXPECT_NEAR(spent(), selection_rdp(std::get<SelectionEvent>(plan.charge.event), Relation::replace_one, order), 2e-12);
  EXPECT_GT(ledger_->filter().spent().delta, 0U) << "the distance of the Gaussian noise";
  const LedgerEntry entry = ledger_->entries().front();
  EXPECT_EQ(entry.event, event_text(plan.charge.event));
  EXPECT_TRUE(released.model.card.budget.enforced);
  EXPECT_EQ(refused([&] { cost_in(Filter::open(FilterKind::zcdp, {4, 1e-5}), plan.cost()); }), ErrorKind::unsupported);
  EXPECT_EQ(refused([&] { cost_in(Filter::open(FilterKind::gdp, {4, 1e-5}), plan.cost()); }), ErrorKind::unsupported);
}

TEST_F(TuneWithLedger, TheSameTuningIsAnsweredOnceAndForNothingAfterwards) {
  open(FilterKind::sum, 1, 1e-5);
  for (const TuneBy by : {TuneBy::parts, TuneBy::random_stopping}) {
    const Released first = run(asking(by, {0.25, 1e-6})), second = run(asking(by, {0.25, 1e-6}));
    EXPECT_TRUE(second.stored);
    EXPECT_EQ(first.text, second.text);
  }
  EXPECT_EQ(rows_.opened_, 2);
  EXPECT_NEAR(spent(), 0.5, 1e-12);
  TuneRequest other = asking(TuneBy::parts, {0.25, 1e-6});
  other.grid = parse_grid("passes=1,4");
  EXPECT_FALSE(run(other).stored) << "what is tried is part of the request";
  other.train.budget.epsilon = 0.2;
  EXPECT_FALSE(run(other).stored);
  EXPECT_EQ(refused([&] { run(other, true); }), ErrorKind::budget_exceeded) << "again is a new charge";
}

TEST_F(TuneWithLedger, WhatDoesNotFitOrIsNotPrivateIsRefusedUnread) {
  open(FilterKind::sum, 1, 1e-5);
  for (const TuneBy by : {TuneBy::parts, TuneBy::random_stopping}) {
    EXPECT_EQ(refused([&] { run(asking(by, {1.5, 1e-6})); }), ErrorKind::budget_exceeded);
    TuneRequest request = asking(by, {0.5, 1e-6});
    request.train.not_private = {"bounds from the rows"};
    EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_argument);
    request = asking(by, {0.5, 1e-6});
    request.train.budget.relation = Relation::add_remove;
    EXPECT_EQ(refused([&] { run(request); }), ErrorKind::invalid_argument);
    BitSource seeded(ReproducibleSeed{1});
    EXPECT_EQ(refused([&] {
                tune(rows_, nullptr, asking(by, {0.5, 1e-6}), {{*ledger_}, seeded});
              }),
              ErrorKind::invalid_argument);
  }
  EXPECT_EQ(rows_.opened_, 0);
  EXPECT_TRUE(ledger_->entries().empty());
}

TEST_F(TuneWithLedger, TuningOnPublicRowsIsFreeAndTheTrainingIsCharged) {
  open(FilterKind::zcdp, 1, 1e-5);
  Source open_rows;
  open_rows.fingerprint_ = sha256("public rows");
  TuneRequest request = asking(TuneBy::public_data, {0.3, 1e-6});
  request.grid = parse_grid("passes=3");
  const Released released = tune(rows_, &open_rows, request, {{*ledger_}, bits_});
  const Quote alone = quote(with_setting(request.train, request.grid[0]), rows_.facts(600), *ledger_);
  EXPECT_EQ(ledger_->filter().spent(), alone.cost);
  EXPECT_NE(released.model.card.remarks.end()[-2].find("public rows"), std::string::npos);
  EXPECT_EQ(rows_.opened_, 1);
  EXPECT_TRUE(tune(rows_, &open_rows, request, {{*ledger_}, bits_}).stored);
  request.train.budget.epsilon = 2;
  EXPECT_EQ(refused([&] { tune(rows_, &open_rows, request, {{*ledger_}, bits_}); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(rows_.opened_, 1);
}

TEST_F(TuneWithLedger, TheLedgersOwnDataAreNoPublicRows) {
  open(FilterKind::zcdp, 1, 1e-5);
  Source own;
  EXPECT_EQ(refused([&] {
              tune(rows_, &own, asking(TuneBy::public_data, {0.3, 1e-6}), {{*ledger_}, bits_});
            }),
            ErrorKind::invalid_argument);
  EXPECT_EQ(own.opened_, 0);
  EXPECT_TRUE(ledger_->entries().empty());
}

}  // namespace
}  // namespace sotto::test
