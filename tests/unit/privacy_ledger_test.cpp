// The ledger by itself: what is spent stays spent, exactly, in one order, across objects and processes.
#include <sys/wait.h>

#include "ledger_testing.h"
#include "sotto/privacy/ledger/chain.h"
#include "sotto/privacy/ledger/default_delta.h"

namespace sotto::test {
namespace {

constexpr std::uint64_t kTenth = Filter::kLossUnits / 10;

TEST_F(LedgerTest, AReservationCountsAsSpentAndSurvivesItsObject) {
  create();
  { SqliteLedger(path_).reserve(tenth()); }
  SqliteLedger ledger(path_);
  EXPECT_EQ(ledger.filter().spent().loss, kTenth);
  ASSERT_EQ(ledger.entries().size(), 1U);
  EXPECT_EQ(ledger.entries()[0].state, EntryState::reserved);
  EXPECT_EQ(ledger.verify().records, 3U);
}

TEST_F(LedgerTest, ExactlyTenTenthsFitInOneAndTheEleventhIsRefusedWithWhatIsLeft) {
  create();
  SqliteLedger ledger(path_);
  for (int i = 0; i < 10; ++i) ledger.reserve(tenth());
  EXPECT_EQ(ledger.filter().remaining().loss, 0U);
  EXPECT_EQ(refused([&] { ledger.reserve(tenth()); }), ErrorKind::budget_exceeded);
  EXPECT_NE(message_.find("costs 10 percent of the budget of epsilon 1"), std::string::npos) << message_;
  EXPECT_NE(message_.find("; 100 percent used; no model fits any more"), std::string::npos) << message_;
  EXPECT_NE(message_.find("(epsilon and delta: it costs 0.1 and 0, of 1 and 1e-09 there is 0 and 1e-09 left)"),
            std::string::npos)
      << message_;
  EXPECT_EQ(ledger.entries().size(), 10U) << "a refusal leaves no entry";
  EXPECT_EQ(ledger.filter().spent().loss, Filter::kLossUnits);
}

TEST(LedgerRefusal, NothingIsSuggestedWhereTheDistanceOfNoiseAloneIsTooMuch) {
  const auto said = [](double epsilon) {
    const Filter filter = Filter::open(FilterKind::zcdp, {epsilon, 1e-2, Relation::replace_one});
    try {
      refuse_spending(filter, filter.cost_of(GaussianEvent{0.1}, 1e-15), {}, "; a hint");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(said(1).find("; 0 percent used; a model of epsilon "), std::string::npos) << said(1);
  EXPECT_NE(said(1).find(" still fits; a hint (rho"), std::string::npos) << said(1);
  for (const double epsilon : {30.0, 100.0, 1e4}) {
    const std::string text = said(epsilon);
    EXPECT_NE(text.find("no request with this noise fits"), std::string::npos) << text;
    EXPECT_EQ(text.find("hint"), std::string::npos) << text;
    EXPECT_EQ(text.find("up to"), std::string::npos) << text;
  }
  EXPECT_NE(said(1e4).find("costs delta 1 or more"), std::string::npos) << said(1e4);
}

TEST_F(LedgerTest, ReleasedBytesComeBackForTheSameRequestAndForNoOther) {
  create();
  SqliteLedger ledger(path_);
  Reservation reservation = ledger.reserve(tenth("asked"));
  EXPECT_FALSE(ledger.stored("asked")) << "reserved is not released";
  ledger.release(std::move(reservation), std::string("model\0bytes", 11));
  SqliteLedger other(path_);
  EXPECT_EQ(other.stored("asked"), std::string("model\0bytes", 11));
  EXPECT_FALSE(other.stored("another"));
  EXPECT_EQ(other.filter().spent().loss, kTenth) << "a release costs nothing beyond its reservation";
  EXPECT_EQ(other.verify().models, 1U);
}

TEST_F(LedgerTest, OnlyAReservationUnderWhichNothingWasReadCanBeCancelled) {
  create();
  SqliteLedger ledger(path_);
  Reservation unread = ledger.reserve(tenth()), read = ledger.reserve(tenth());
  read.begin_reading();
  EXPECT_THROW(ledger.cancel(std::move(read)), Error);
  ledger.cancel(std::move(unread));
  EXPECT_THROW(ledger.cancel(std::move(unread)), Error);           // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(ledger.release(std::move(unread), "late"), Error);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(ledger.filter().spent().loss, kTenth);
  EXPECT_EQ(ledger.entries()[0].state, EntryState::voided);
  EXPECT_EQ(SqliteLedger(path_).verify().records, 5U);
}

TEST_F(LedgerTest, ProcessesSeeEachOthersSpending) {
  create();
  SqliteLedger one(path_), other(path_);
  for (int i = 0; i < 5; ++i) {
    one.reserve(tenth());
    other.reserve(tenth());
  }
  EXPECT_EQ(refused([&] { one.reserve(tenth()); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(refused([&] { other.reserve(tenth()); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(one.filter().spent().loss, Filter::kLossUnits);
}

TEST_F(LedgerTest, AChildProcessMustOpenItsOwn) {
  create();
  SqliteLedger ledger(path_);
  ledger.reserve(tenth());
  const pid_t child = ::fork();
  if (child == 0) {
    bool inherited = false;
    try {
      ledger.reserve(tenth());
      inherited = true;
    } catch (const Error& error) {
      inherited = error.kind() != ErrorKind::unsupported;
    }
    SqliteLedger(path_).reserve(tenth());
    ::_exit(inherited ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ledger.reserve(tenth());
  EXPECT_EQ(ledger.filter().spent().loss, 3 * kTenth);
}

TEST_F(LedgerTest, AClockThatJumpsChangesNothingButTheTimesShown) {
  create();
  std::int64_t now = 4'000'000'000;
  SqliteLedger jumping(path_, [&] { return now -= 1'000'000'000; });
  SqliteLedger slow(path_, [] { return std::int64_t{-5}; });
  for (int i = 0; i < 3; ++i) {
    Reservation reservation = jumping.reserve(tenth(std::to_string(i)));
    slow.reserve(tenth());
    jumping.release(std::move(reservation), "m" + std::to_string(i));
  }
  SqliteLedger ledger(path_);
  EXPECT_EQ(ledger.filter().spent().loss, 6 * kTenth);
  EXPECT_EQ(ledger.stored("2"), "m2");
  EXPECT_NO_THROW(ledger.verify());
  const auto entries = ledger.entries();
  for (std::size_t i = 1; i < entries.size(); ++i) EXPECT_LT(entries[i - 1].number, entries[i].number);
}

TEST_F(LedgerTest, NoRecordTellsHowLongARunTook) {
  create();
  std::int64_t now = 1000;
  SqliteLedger ledger(path_, [&] { return now += 60; });
  Reservation reservation = ledger.reserve(tenth());
  ledger.release(std::move(reservation), "m");
  const auto records = ledger.records();
  ASSERT_GE(records.size(), 2U);
  EXPECT_EQ(records.back().kind, RecordKind::released);
  EXPECT_EQ(records.back().time, records[records.size() - 2].time);
}

TEST_F(LedgerTest, NeitherALedgerNorAnAnchorIsReplaced) {
  create();
  EXPECT_EQ(refused([&] { create(); }), ErrorKind::io);
  std::filesystem::remove(path_);
  EXPECT_EQ(refused([&] { create(); }), ErrorKind::io) << "what a removed ledger leaves behind stands in the way";
  EXPECT_NE(message_.find("not replaced"), std::string::npos) << message_;
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1U) << "nothing half made is left";
}

TEST_F(LedgerTest, AFailedWriteEndsTheUseOfTheObject) {
  create();
  SqliteLedger ledger(path_);
  std::filesystem::rename(path_ + ".anchor", path_ + ".away");
  EXPECT_EQ(refused([&] { ledger.reserve(tenth()); }), ErrorKind::io);
  std::filesystem::rename(path_ + ".away", path_ + ".anchor");
  EXPECT_EQ(refused([&] { ledger.reserve(tenth()); }), ErrorKind::io) << "no second try";
  EXPECT_EQ(SqliteLedger(path_).filter().spent().loss, 0U);
}

TEST(LedgerChain, EveryFieldOfARecordIsUnderItsHash) {
  LedgerRecord record;
  record.sequence = 7;
  record.kind = RecordKind::reserved;
  record.request = "ab";
  record.detail = "c";
  const Digest hash = hash_of(record);
  const auto changed = [&](auto change) {
    LedgerRecord other = record;
    change(other);
    return hash_of(other) != hash;
  };
  EXPECT_TRUE(changed([](LedgerRecord& r) { ++r.sequence; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { r.kind = RecordKind::voided; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { ++r.entry; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { ++r.time; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { ++r.cost.loss; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { ++r.cost.delta; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { ++r.spent.loss; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { ++r.spent.delta; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { r.request = "a", r.detail = "bc"; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { r.detail = "", r.token = "c"; }));
  EXPECT_TRUE(changed([](LedgerRecord& r) { r.previous[31] = 1; }));
}

/// A forger who knows how hashes are made can still not spend over the limit, refund, or end an entry twice.
TEST(LedgerChain, RecordsWithRightHashesAndWrongStoriesAreRefused) {
  Chain chain;
  std::string token = "nonce";
  const auto add = [&](RecordKind kind, std::uint64_t entry, std::uint64_t loss, const std::string& detail) {
    LedgerRecord record;
    record.kind = kind;
    record.entry = entry;
    record.cost.loss = loss;
    record.detail = detail;
    record.token = kind == RecordKind::reserved ? hex_of(sha256("nonce")) : token;
    chain.add(chain.next(record));
  };
  LedgerTerms terms = terms_of(FilterKind::sum, 1, 0);
  terms.filter = Filter::open(FilterKind::sum, terms.filter.budget).state();
  EXPECT_THROW(add(RecordKind::placed, 0, 0, text_of(LedgerPlace{})), Error);
  add(RecordKind::opened, 0, 0, text_of(terms));
  EXPECT_THROW(add(RecordKind::reserved, 0, kTenth, ""), Error) << "before its place is known";
  add(RecordKind::placed, 0, 0, text_of(LedgerPlace{}));
  EXPECT_THROW(add(RecordKind::opened, 0, 0, text_of(terms)), Error);
  add(RecordKind::reserved, 0, 6 * kTenth, "");
  EXPECT_THROW(add(RecordKind::reserved, 0, 6 * kTenth, ""), Error) << "over the limit";
  EXPECT_THROW(add(RecordKind::voided, 2, kTenth, ""), Error) << "another amount than was reserved";
  EXPECT_THROW(add(RecordKind::voided, 1, 0, ""), Error) << "not an entry";
  token = hex_of(sha256("nonce"));
  EXPECT_THROW(add(RecordKind::released, 2, 6 * kTenth, ""), Error) << "by someone who only read the ledger";
  EXPECT_THROW(add(RecordKind::voided, 2, 6 * kTenth, ""), Error) << "by someone who only read the ledger";
  token = "nonce";
  add(RecordKind::released, 2, 6 * kTenth, "");
  EXPECT_THROW(add(RecordKind::voided, 2, 6 * kTenth, ""), Error) << "a refund after the release";
  LedgerRecord wrong_total = chain.next({});
  wrong_total.kind = RecordKind::placed;
  wrong_total.detail = text_of(LedgerPlace{});
  wrong_total.spent.loss -= 1;
  wrong_total.hash = hash_of(wrong_total);
  EXPECT_THROW(chain.add(wrong_total), Error);
  EXPECT_EQ(chain.filter().spent().loss, 6 * kTenth);
}

TEST(DefaultDelta, IsAPowerOfTenFarBelowOneOverTheRows) {
  EXPECT_EQ(default_delta(1), 0.1);
  EXPECT_EQ(default_delta(1000), 1e-5);
  EXPECT_EQ(default_delta(32'561), 1e-6);
  EXPECT_EQ(default_delta(1'000'000'000), 1e-11);
  for (std::uint64_t rows = 1; rows < 100'000'000; rows = rows * 3 / 2 + 1) {
    EXPECT_LE(default_delta(rows) * static_cast<double>(rows), 0.1) << rows;
  }
}

TEST(LedgerChain, TermsAndPlaceReadBackAsTheyWere) {
  LedgerTerms terms = terms_of(FilterKind::rdp, 0.3, 1e-7);
  terms.filter = Filter::open(FilterKind::rdp, terms.filter.budget).state();
  terms.reading = "csv, separator ,, a header, 0 lines skipped";
  terms.columns = {"x", "y \"quoted\""};
  const LedgerTerms back = terms_from(text_of(terms));
  EXPECT_EQ(text_of(back), text_of(terms));
  EXPECT_EQ(back.reading, terms.reading);
  EXPECT_EQ(back.columns, terms.columns);
  EXPECT_EQ(back.filter.limit, terms.filter.limit);
  EXPECT_EQ(back.delta_policy(), DeltaPolicy::converted);
  EXPECT_THROW(terms_from("{}"), Error);
  // No other number is taken for a whole one.
  for (const char* rows : {"2.2e26", "-1", "0.5", "1e3", "18446744073709551616"}) {
    std::string text = text_of(terms);
    const std::string key = "\"rows\":";
    const std::size_t at = text.find(key) + key.size();
    text.replace(at, text.find(',', at) - at, rows);
    EXPECT_THROW(terms_from(text), Error) << rows;
  }
  EXPECT_THROW(place_from("no"), Error);
}

}  // namespace
}  // namespace sotto::test
