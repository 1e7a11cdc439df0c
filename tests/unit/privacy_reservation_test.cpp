// One reservation, one release: in the process that reserved, in another one, and through the curator.
#include <sys/wait.h>

#include <type_traits>

#include "ledger_testing.h"
#include "sotto/privacy/curator.h"

namespace sotto::test {
namespace {

static_assert(!std::is_copy_constructible_v<Reservation> && !std::is_copy_assignable_v<Reservation>);
static_assert(!std::is_move_assignable_v<Reservation>, "would drop a reservation that is still good");
static_assert(!std::is_copy_constructible_v<Curator> && !std::is_copy_assignable_v<Curator>);

class OneRelease : public LedgerTest {
 protected:
  OneRelease() { create(); }

  static int in_child(const std::function<bool()>& holds) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool held = false;
      try {
        held = holds();
      } catch (...) {
        held = false;
      }
      ::_exit(held ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  static bool is_refused(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.kind() == ErrorKind::internal;
    }
    return false;
  }
  std::size_t released() const {
    SqliteLedger ledger(path_);
    return static_cast<std::size_t>(ledger.verify().models);
  }
};

TEST_F(OneRelease, ASecondReleaseUnderOneReservationIsRefused) {
  SqliteLedger ledger(path_), other(path_);
  Reservation reservation = ledger.reserve(tenth("asked"));
  ledger.release(std::move(reservation), "one");
  EXPECT_TRUE(is_refused([&] { ledger.release(std::move(reservation), "two"); }));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(is_refused([&] { other.release(std::move(reservation), "two"); }));   // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(is_refused([&] { ledger.cancel(std::move(reservation)); }));          // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(released(), 1U);
  EXPECT_EQ(ledger.stored("asked"), "one");
}

TEST_F(OneRelease, WhatWasMovedFromIsWorthNothing) {
  SqliteLedger ledger(path_);
  Reservation first = ledger.reserve(tenth());
  Reservation holder = std::move(first);
  EXPECT_TRUE(is_refused([&] { ledger.release(std::move(first), "old name"); }));  // NOLINT(bugprone-use-after-move)
  ledger.release(std::move(holder), "one");
  EXPECT_EQ(released(), 1U);
}

TEST_F(OneRelease, AnotherProcessCannotReleaseUnderAReservationItInherited) {
  SqliteLedger ledger(path_);
  Reservation reservation = ledger.reserve(tenth("asked"));
  EXPECT_EQ(in_child([&] {
              SqliteLedger own(path_);
              return is_refused([&] { own.release(std::move(reservation), "the child's"); });
            }),
            0);
  EXPECT_EQ(released(), 0U);
  EXPECT_EQ(in_child([&] {
              SqliteLedger own(path_);
              return is_refused([&] { own.cancel(std::move(reservation)); });
            }),
            0);
  EXPECT_EQ(ledger.filter().spent(), (Filter::Cost{Filter::kLossUnits / 10, 0})) << "nor give it back";
  ledger.release(std::move(reservation), "the holder's");
  EXPECT_EQ(in_child([&] {
              SqliteLedger own(path_);
              return is_refused([&] { own.release(std::move(reservation), "late"); });
            }),
            0);
  EXPECT_EQ(released(), 1U);
  EXPECT_EQ(ledger.stored("asked"), "the holder's");
}

TEST_F(OneRelease, AReservationOfAnotherLedgerIsRefusedThoughItsEntryHasTheSameNumber) {
  SqliteLedger::create(folder_ + "/M", terms_of(FilterKind::sum, 1, 1e-9), kSomeData);
  SqliteLedger ledger(path_), other(folder_ + "/M");
  Reservation mine = ledger.reserve(tenth()), theirs = other.reserve(tenth());
  ASSERT_EQ(mine.entry(), theirs.entry());
  EXPECT_TRUE(is_refused([&] { ledger.release(std::move(theirs), "paid elsewhere"); }));
  EXPECT_EQ(released(), 0U);
  ledger.release(std::move(mine), "one");
  EXPECT_EQ(released(), 1U);
}

/// A curator that works under a reservation of two exact draws.
class CuratedRelease : public OneRelease {
 protected:
  CuratedRelease() : ledger_(path_), curator_(bits_) {
    noise_.sensitivity = 1;
    noise_.dimension = 1;
    noise_.grid = make_grid(1, 1);
    noise_.epsilon = 0.1;
    charges_ = {{event_of(Mechanism(noise_)), 2, 1}};
  }
  Reservation charged() { return curator_.charge({charges_, 0.2, 0, 0}, ledger_, "asked"); }
  Vector draw() { return curator_.release(Sensitive<Vector>(Vector{0.5}), noise_); }

  SqliteLedger ledger_;
  BitSource bits_;
  Curator curator_;
  DiscreteLaplaceNoise noise_;
  std::vector<Charge> charges_;
};

TEST_F(CuratedRelease, NothingIsDrawnOnceTheReservationIsUsedOrGivenBack) {
  Reservation reservation = charged();
  draw();
  ledger_.release(std::move(reservation), "m");
  EXPECT_EQ(refused([&] { draw(); }), ErrorKind::budget_exceeded) << "a charged draw is left, its release is over";
  Curator other(bits_);
  ledger_.cancel(other.charge({charges_, 0.2, 0, 0}, ledger_, "again"));
  EXPECT_EQ(refused([&] { other.release(Sensitive<Vector>(Vector{0.5}), noise_); }), ErrorKind::budget_exceeded);
}

TEST_F(CuratedRelease, AfterADrawTheReservationCannotBeGivenBack) {
  Reservation reservation = charged();
  draw();
  EXPECT_TRUE(is_refused([&] { ledger_.cancel(std::move(reservation)); }));
  EXPECT_EQ(ledger_.filter().spent().loss, Filter::kLossUnits / 5);
}

TEST_F(CuratedRelease, ACuratorUnderAReservationTakesNoOtherCharge) {
  const Reservation reservation = charged();
  EXPECT_TRUE(is_refused([&] { curator_.charge(charges_[0]); }));
  EXPECT_TRUE(is_refused([&] { charged(); }));
  EXPECT_EQ(ledger_.entries().size(), 1U);
}

TEST_F(CuratedRelease, AChildDrawsNothingUnderAnInheritedReservation) {
  const Reservation reservation = charged();
  EXPECT_EQ(in_child([&] {
              try {
                draw();
              } catch (const Error&) {
                return true;
              }
              return false;
            }),
            0);
}

}  // namespace
}  // namespace sotto::test
