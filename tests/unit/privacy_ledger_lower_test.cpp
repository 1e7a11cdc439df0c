// A budget that is lowered: chained and anchored as any spending is, honoured by every reader, and never raised.
#include <sqlite3.h>

#include <array>
#include <cmath>

#include "ledger_testing.h"
#include "sotto/privacy/ledger/chain.h"

namespace sotto::test {
namespace {

constexpr std::uint64_t kTenth = Filter::kLossUnits / 10;

class LoweredLedger : public LedgerTest {
 protected:
  /// An edit by someone who takes a rule of the file away and puts it back.
  void edit(const std::string& rule, const std::string& statement) const {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &file), SQLITE_OK);
    const auto run = [&](const std::string& sql, std::string* found) {
      const auto keep = [](void* text, int, char** values, char**) {
        *static_cast<std::string*>(text) = values[0];
        return 0;
      };
      EXPECT_EQ(sqlite3_exec(file, sql.c_str(), found != nullptr ? +keep : nullptr, found, nullptr), SQLITE_OK)
          << sqlite3_errmsg(file);
    };
    std::string restored;
    run("SELECT sql FROM sqlite_schema WHERE name = '" + rule + "'", &restored);
    run("DROP TRIGGER " + rule + "; " + statement + "; " + restored, nullptr);
    sqlite3_close(file);
  }
};

TEST_F(LoweredLedger, HoldsEveryoneToTheLowerBudgetFromThenOn) {
  create();
  SqliteLedger open_before(path_);
  SqliteLedger(path_).lower(0.3);
  SqliteLedger ledger(path_);
  EXPECT_EQ(ledger.filter().budget().epsilon, 0.3);
  EXPECT_EQ(ledger.filter().budget().delta, 1e-9) << "the delta stays";
  EXPECT_EQ(ledger.terms().filter.budget.epsilon, 0.3);
  EXPECT_EQ(ledger.filter().limit().loss, 3 * kTenth);
  for (int i = 0; i < 3; ++i) ledger.reserve(tenth());
  EXPECT_EQ(refused([&] { ledger.reserve(tenth()); }), ErrorKind::budget_exceeded);
  EXPECT_NE(message_.find("the budget of epsilon 0.3"), std::string::npos) << message_;
  // One that was open before it was lowered reads the record before it spends.
  EXPECT_EQ(refused([&] { open_before.reserve(tenth()); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(open_before.terms().filter.budget.epsilon, 0.3);
  EXPECT_EQ(ledger.verify().records, 6U);
  EXPECT_EQ(ledger.records()[2].kind, RecordKind::lowered);
}

TEST_F(LoweredLedger, CanBeLoweredToWhatIsSpentAndNotBelow) {
  create();
  SqliteLedger ledger(path_);
  for (int i = 0; i < 4; ++i) ledger.reserve(tenth());
  EXPECT_EQ(refused([&] { ledger.lower(0.3); }), ErrorKind::budget_exceeded);
  EXPECT_NE(message_.find("can be lowered to epsilon 0.4 "), std::string::npos) << message_;
  EXPECT_EQ(ledger.filter().budget().epsilon, 1) << "a refusal changes nothing";
  ledger.lower(0.4);
  EXPECT_EQ(ledger.filter().remaining().loss, 0U);
  EXPECT_EQ(SqliteLedger(path_).verify().records, 7U);
}

TEST_F(LoweredLedger, IsNeverRaised) {
  create();
  SqliteLedger ledger(path_);
  for (const double epsilon : {1.0, 1.0000001, 2.0}) {
    EXPECT_EQ(refused([&] { ledger.lower(epsilon); }), ErrorKind::invalid_argument);
  }
  EXPECT_EQ(refused([&] { ledger.lower(0.5, 1e-8); }), ErrorKind::invalid_argument);
  EXPECT_EQ(refused([&] { ledger.lower(0); }), ErrorKind::invalid_argument);
  ledger.lower(0.5, 1e-10);
  EXPECT_EQ(refused([&] { ledger.lower(1); }), ErrorKind::invalid_argument);
  EXPECT_EQ(refused([&] { ledger.lower(0.5, 1e-9); }), ErrorKind::invalid_argument);
  ledger.lower(0.5, 1e-11);
  EXPECT_EQ(ledger.filter().budget().delta, 1e-11);
}

TEST_F(LoweredLedger, ARecordThatRaisesIsRefusedByWhoeverReplaysIt) {
  Chain chain;
  LedgerTerms terms = terms_of(FilterKind::sum, 1, 1e-9);
  terms.filter = Filter::open(FilterKind::sum, terms.filter.budget).state();
  const auto add = [&](RecordKind kind, const std::string& detail) {
    LedgerRecord record;
    record.kind = kind;
    record.detail = detail;
    chain.add(chain.next(std::move(record)));
  };
  const auto changed = [](FilterKind kind, double epsilon, double delta) {
    return text_of(ChangedTerms{Filter::open(kind, {epsilon, delta}).state(), kWholeBudget});
  };
  add(RecordKind::opened, text_of(terms));
  add(RecordKind::placed, text_of(LedgerPlace{"L", "A", 0}));
  chain.add(chain.next(chain.lowering(0.8, 1e-9)));
  for (const auto& [kind, epsilon, delta] :
       {std::tuple{FilterKind::sum, 0.9, 1e-9}, std::tuple{FilterKind::sum, 0.5, 1e-8},
        std::tuple{FilterKind::zcdp, 0.5, 1e-9}}) {
    EXPECT_EQ(refused([&] { add(RecordKind::lowered, changed(kind, epsilon, delta)); }), ErrorKind::invalid_data);
  }
  // A limit that is not that of the budget it names.
  ChangedTerms edited{Filter::open(FilterKind::sum, {0.5, 1e-9}).state(), kWholeBudget};
  edited.filter.limit.loss *= 2;
  EXPECT_EQ(refused([&] { add(RecordKind::lowered, text_of(edited)); }), ErrorKind::invalid_data);
  // One below what is spent.
  chain.add(chain.next(chain.reservation({PureEvent{0.6}, 0, "r"}, hex_of(sha256("n")))));
  EXPECT_EQ(refused([&] { add(RecordKind::lowered, changed(FilterKind::sum, 0.5, 1e-9)); }), ErrorKind::invalid_data);
  EXPECT_EQ(chain.filter().budget().epsilon, 0.8);
}

TEST_F(LoweredLedger, EveryKindOfFilterCountsOnInItsCurrency) {
  for (const auto& [name, kind] : enum_names(FilterKind{})) {
    const std::string path = folder_ + "/" + std::string(name);
    SqliteLedger::create(path, terms_of(kind, 2, 1e-6), kSomeData);
    SqliteLedger ledger(path);
    const Event event = kind == FilterKind::sum ? Event(PureEvent{0.1}) : Event(GaussianEvent{0.05});
    ledger.reserve({event, 0, "r"});
    const Filter before = ledger.filter();
    ledger.lower(1.5, 1e-7);  // rdp: at the order the ledger was opened with, a smaller one has no limit
    const Filter after = SqliteLedger(path).filter();
    EXPECT_EQ(after.spent().loss, before.spent().loss) << name;
    EXPECT_EQ(after.rdp_order(), before.rdp_order()) << name;
    EXPECT_LT(after.limit().loss, before.limit().loss) << name;
    EXPECT_EQ(after.limit().loss, Filter::open(kind, {1.5, 1e-7}, before.rdp_order()).limit().loss) << name;
  }
}

// The limit of this budget is above that of the next larger number: no reader takes such a record.
TEST_F(LoweredLedger, IsNotLoweredToALimitThatIsHigher) {
  constexpr double kEpsilon = 492.48797901550506, kBelow = 492.487979015505, kDelta = 5.4704062711573283e-11;
  ASSERT_EQ(std::nextafter(kEpsilon, 0), kBelow);
  ASSERT_GT(Filter::open(FilterKind::zcdp, {kBelow, kDelta}).limit().loss,
            Filter::open(FilterKind::zcdp, {kEpsilon, kDelta}).limit().loss);
  SqliteLedger::create(path_, terms_of(FilterKind::zcdp, kEpsilon, kDelta), kSomeData);
  SqliteLedger ledger(path_);
  EXPECT_EQ(refused([&] { ledger.lower(kBelow); }), ErrorKind::invalid_argument);
  ledger.lower(400);
  EXPECT_EQ(SqliteLedger(path_).filter().budget().epsilon, 400);
  EXPECT_EQ(SqliteLedger(path_).verify().records, 3U);
}

TEST_F(LoweredLedger, ACopyFromBeforeItIsRefused) {
  create();
  const std::string before = bytes_of_file(path_);
  SqliteLedger(path_).lower(0.3);
  overwrite(path_, before);
  EXPECT_EQ(refused([&] { SqliteLedger(path_).reserve(tenth()); }), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("behind its anchor"), std::string::npos) << message_;
}

TEST_F(LoweredLedger, AnEditedRecordOrTotalIsRefused) {
  create();
  SqliteLedger(path_).lower(0.3);
  const std::string lowered = bytes_of_file(path_);
  const std::array edits = {
      std::pair{"record_stays", "UPDATE record SET detail = replace(detail, '0.3', '0.9') WHERE kind = 'lowered'"},
      std::pair{"record_stays", "UPDATE record SET kind = 'voided' WHERE kind = 'lowered'"},
      std::pair{"record_kept", "DELETE FROM record WHERE kind = 'lowered'"},
      std::pair{"head_follows", "UPDATE head SET limit_loss = limit_loss - 1"},
      std::pair{"head_follows", "UPDATE head SET limit_loss = limit_loss * 3 / 10"},
  };
  for (const auto& [rule, statement] : edits) {
    edit(rule, statement);
    EXPECT_EQ(refused([&] { SqliteLedger(path_).reserve(tenth()); }), ErrorKind::invalid_data) << statement;
    std::filesystem::remove(path_ + "-wal");
    std::filesystem::remove(path_ + "-shm");
    overwrite(path_, lowered);
  }
  EXPECT_EQ(SqliteLedger(path_).filter().budget().epsilon, 0.3);
}

TEST_F(LoweredLedger, AReservationFromBeforeStillReleasesAndCanBeGivenBack) {
  create();
  SqliteLedger ledger(path_);
  Reservation kept = ledger.reserve(tenth("kept")), returned = ledger.reserve(tenth("returned"));
  SqliteLedger(path_).lower(0.2);
  ledger.release(std::move(kept), "model");
  ledger.cancel(std::move(returned));
  EXPECT_EQ(ledger.filter().spent().loss, kTenth);
  ledger.reserve(tenth("third"));
  EXPECT_EQ(refused([&] { ledger.reserve(tenth("fourth")); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(SqliteLedger(path_).verify().models, 1U);
}

TEST_F(LoweredLedger, SharesAreOfTheBudgetAsItIs) {
  Chain chain;
  LedgerTerms terms = terms_of(FilterKind::sum, 1, 0);
  terms.filter = Filter::open(FilterKind::sum, terms.filter.budget).state();
  terms.analyst_share = kWholeBudget / 2;
  const auto add = [&](LedgerRecord record) { chain.add(chain.next(std::move(record))); };
  LedgerRecord opened, placed;
  opened.detail = text_of(terms);
  placed.kind = RecordKind::placed;
  placed.detail = text_of(LedgerPlace{"L", "A", 0});
  add(opened);
  add(placed);
  add(chain.lowering(0.4, 0));
  EXPECT_EQ(chain.share_of("alice").limit.loss, 2 * kTenth);
  EXPECT_EQ(chain.terms().analyst_share, kWholeBudget / 2);
}

TEST_F(LoweredLedger, OtherTermsOnlyWhereNothingWasEverCharged) {
  Chain chain;
  LedgerTerms terms = terms_of(FilterKind::zcdp, 1, 1e-6);
  terms.filter = Filter::open(FilterKind::zcdp, terms.filter.budget).state();
  const auto add = [&](LedgerRecord record) { chain.add(chain.next(std::move(record))); };
  LedgerRecord opened, placed;
  opened.detail = text_of(terms);
  placed.kind = RecordKind::placed;
  placed.detail = text_of(LedgerPlace{"L", "A", 0});
  add(opened);
  add(placed);
  add(chain.reservation({GaussianEvent{0.05}, 0, "r"}, hex_of(sha256("n"))));
  ChangedTerms changed{Filter::open(FilterKind::sum, {2, 1e-7}).state(), kWholeBudget / 4};
  EXPECT_EQ(refused([&] { add(chain.correction(changed)); }), ErrorKind::unsupported);
  LedgerRecord forced;
  forced.kind = RecordKind::corrected;
  forced.detail = text_of(changed);
  EXPECT_EQ(refused([&] { add(forced); }), ErrorKind::invalid_data) << "also of whoever wrote it by hand";
  add(chain.cancellation(2, "n"));  // no row was read under it
  add(chain.correction(changed));
  EXPECT_EQ(chain.filter().kind(), FilterKind::sum);
  EXPECT_EQ(chain.filter().budget().epsilon, 2);
  EXPECT_EQ(chain.share_of("alice").limit.loss, Filter::kLossUnits / 2);
}

TEST_F(LoweredLedger, AFileIsMadeAnewInsteadOfCorrected) {
  create();
  SqliteLedger ledger(path_);
  const ChangedTerms changed{Filter::open(FilterKind::sum, {2, 1e-7}).state(), kWholeBudget};
  EXPECT_EQ(refused([&] { ledger.correct(changed); }), ErrorKind::unsupported);
  EXPECT_EQ(ledger.filter().budget().epsilon, 1);
  ledger.reserve(tenth());
}

}  // namespace
}  // namespace sotto::test
