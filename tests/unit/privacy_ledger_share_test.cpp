// The smallest price of a release, and shares of a budget: kept by the chain itself.
#include <cmath>

#include "ledger_testing.h"
#include "sotto/privacy/ledger/chain.h"
#include "sotto/privacy/ledger/price.h"
#include "sotto/privacy/ledger/share.h"

namespace sotto::test {
namespace {

class Shares : public LedgerTest {
 protected:
  /// Records as a store that knows its analysts would keep them; a limit of 1.
  explicit Shares(std::uint32_t share = kWholeBudget) {
    LedgerTerms terms = terms_of(FilterKind::sum, 1, 0);
    terms.id = std::string(64, 'a');
    terms.filter = Filter::open(FilterKind::sum, terms.filter.budget).state();
    terms.analyst_share = share;
    add(RecordKind::opened, text_of(terms));
    add(RecordKind::placed, text_of(LedgerPlace{"L", "A", 0}));
  }
  void add(LedgerRecord record) { chain_.add(chain_.next(std::move(record))); }
  void add(RecordKind kind, const std::string& detail) {
    LedgerRecord record;
    record.kind = kind;
    record.detail = detail;
    add(std::move(record));
  }
  void grant(const std::string& analyst, double share) {
    add(RecordKind::granted, text_of(ShareGrant{analyst, millionths_of(share, "share")}));
  }
  void spend(const std::string& analyst, double epsilon) {
    add(chain_.reservation({PureEvent{epsilon}, 0, "r"}, hex_of(sha256("nonce")), analyst));
  }
  bool is_refused(const std::string& analyst, double epsilon) {
    return refused([&] { spend(analyst, epsilon); }) == ErrorKind::budget_exceeded;
  }
  Chain chain_;
};

class DefaultShare : public Shares {
 protected:
  DefaultShare() : Shares(250'000) {}
};

TEST_F(LedgerTest, EveryReleaseCostsATenThousandthOfTheLimitAtLeast) {
  create();
  SqliteLedger ledger(path_);
  const Filter::Cost smallest = smallest_price(ledger.filter());
  EXPECT_EQ(smallest.loss, Filter::kLossUnits / 10'000);
  const Reservation reserved = ledger.reserve({PureEvent{1e-9}, 0, "r"});
  EXPECT_EQ(reserved.cost().loss, smallest.loss);
  EXPECT_EQ(ledger.filter().spent().loss, smallest.loss);
  EXPECT_EQ(ledger.reserve({PureEvent{0.25}, 0, "q"}).cost().loss, Filter::kLossUnits / 4)
      << "others cost what they did";
  EXPECT_EQ(ledger.verify().records, 4U);
}

TEST_F(LedgerTest, WhatIsLeftBelowTheSmallestPriceFitsNothingAndTheRefusalSaysSo) {
  create();
  SqliteLedger ledger(path_);
  ledger.reserve({PureEvent{1 - 0.00005}, 0, "r"});
  EXPECT_EQ(refused([&] { ledger.reserve({PureEvent{1e-9}, 0, "q"}); }), ErrorKind::budget_exceeded);
  EXPECT_NE(message_.find("smallest price"), std::string::npos) << message_;
  for (const Filter::Fit& fit : what_fits(ledger.filter())) EXPECT_EQ(fit.largest, 0);
  EXPECT_EQ(largest_epsilon(ledger.filter(), 0), 0);
}

TEST_F(Shares, HoldAnAnalystToWhatWasGrantedAndNobodyElse) {
  grant("ann", 0.25);
  spend("ann", 0.2);
  EXPECT_TRUE(is_refused("ann", 0.1));
  for (const char* word : {"ann may spend 25 percent", "spent 20 percent", "epsilon 0.8 ", "share"}) {
    EXPECT_NE(message_.find(word), std::string::npos) << message_;
  }
  spend("ann", 0.05);
  EXPECT_TRUE(is_refused("ann", 0.0001));
  spend("bob", 0.5);
  spend("", 0.1);
  EXPECT_EQ(chain_.share_of("ann").remaining(), (Filter::Cost{}));
  EXPECT_EQ(chain_.share_of("bob").spent.loss, Filter::kLossUnits / 2);
}

TEST_F(Shares, NeverAllowMoreThanTheBudget) {
  grant("ann", 0.9);
  grant("bob", 0.9);
  spend("ann", 0.9);
  EXPECT_TRUE(is_refused("bob", 0.2));
  EXPECT_EQ(message_.find("analyst"), std::string::npos) << "it is the ledger's limit that was hit: " << message_;
}

TEST_F(Shares, CanBeGrantedAnewAndWhatIsSpentStaysSpent) {
  grant("ann", 0.25);
  spend("ann", 0.25);
  grant("ann", 0.5);
  spend("ann", 0.2);
  grant("ann", 0.1);
  EXPECT_TRUE(is_refused("ann", 0.0001));
  EXPECT_EQ(chain_.share_of("ann").remaining(), (Filter::Cost{}));
}

TEST_F(DefaultShare, HoldsForEveryoneWhoWasGrantedNoOther) {
  EXPECT_TRUE(is_refused("ann", 0.3));
  EXPECT_TRUE(is_refused("bob", 0.3));
  spend("ann", 0.25);
  spend("bob", 0.25);
  grant("cy", 0.5);
  spend("cy", 0.5);
}

TEST_F(Shares, AnExchangedOrDroppedAnalystAndAnOverspentShareAreFoundOut) {
  grant("ann", 0.25);
  LedgerRecord record = chain_.next(chain_.reservation({PureEvent{0.2}, 0, "r"}, "t", "ann"));
  for (const char* other : {"bob", ""}) {
    LedgerRecord edited = record;
    edited.analyst = other;
    Chain chain = chain_;
    EXPECT_EQ(refused([&] { chain.add(edited); }), ErrorKind::invalid_data);
  }
  LedgerRecord over = chain_.reservation({PureEvent{0.2}, 0, "r"}, "t", "ann");
  over.cost.loss = Filter::kLossUnits / 2;
  EXPECT_EQ(refused([&] { add(over); }), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("share"), std::string::npos) << message_;
}

TEST(ShareNumbers, AreExactAndChecked) {
  EXPECT_EQ(share_of({1'000'000'000'001, 7}, 250'000).loss, 250'000'000'000U);
  EXPECT_EQ(share_of({9'223'372'036'854'775'807U, 0}, kWholeBudget).loss, 9'223'372'036'854'775'807U);
  EXPECT_EQ(millionths_of(0.25, "share"), 250'000U);
  EXPECT_EQ(millionths_of(0.1 + 0.2, "share"), 300'000U);
  for (const double bad : {-0.1, 1.1, std::nan("")}) EXPECT_THROW(millionths_of(bad, "share"), Error);
  for (const char* bad : {"", "{}", R"({"analyst":"a","millionths":1000001})", R"({"analyst":"","millionths":1})"}) {
    EXPECT_THROW(grant_from(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace sotto::test
