// Runs inside a release that is charged as a whole draw under its reservation, within their share, in one process.
#include <sys/wait.h>

#include "ledger_testing.h"
#include "sotto/privacy/curator.h"

namespace sotto::test {
namespace {

constexpr Relation kReplace = Relation::replace_one;

/// A release of one number that costs rho.
Mechanism noise_of(double rho) {
  DiscreteGaussianNoise noise;
  noise.sensitivity = 1;
  noise.dimension = 1;
  noise.grid = make_grid(1, 1);
  noise.rho = rho;
  return noise;
}
void draw(Curator& curator, double rho) { curator.release(Sensitive<Vector>(Vector{1}), noise_of(rho)); }
void charge_and_draw(Curator& curator, double rho) {
  curator.charge({event_of(noise_of(rho))});
  draw(curator, rho);
}

class TrialRuns : public LedgerTest {
 protected:
  TrialRuns() { SqliteLedger::create(path_, terms_of(FilterKind::rdp, 1, 1e-6), kSomeData); }
  const Event selection_ = select_best(ZcdpEvent{0.001}, PoissonRuns{2});
  const Event parts_ = parallel({event_of(noise_of(0.01)), ExponentialEvent{0.1}}, PartBy::position);
  BitSource bits_;
};

TEST_F(TrialRuns, AreOpenedOnceForWhatWasCharged) {
  Curator curator(bits_);
  EXPECT_EQ(refused([&] { curator.open_trials(parts_, kReplace); }), ErrorKind::budget_exceeded);
  curator.charge({parts_});
  curator.open_trials(parts_, kReplace);
  EXPECT_EQ(refused([&] { curator.open_trials(parts_, kReplace); }), ErrorKind::budget_exceeded);
  curator.charge({ZcdpEvent{1}});
  EXPECT_EQ(refused([&] { curator.open_trials(ZcdpEvent{1}, kReplace); }), ErrorKind::unsupported);
}

TEST_F(TrialRuns, OfPartsCostExactlyTheirPartAndThereAreNoMore) {
  Curator whole(bits_);
  whole.charge({parts_});
  Trials trials = whole.open_trials(parts_, kReplace);
  Curator first = trials.next();
  EXPECT_EQ(refused([&] { charge_and_draw(first, 0.02); }), ErrorKind::budget_exceeded);
  Curator second = trials.next();
  second.charge({ExponentialEvent{0.1}});
  const Choice choice{1, 0.1, Aim::smallest, Vector(2, 0.0)};
  EXPECT_NO_THROW(second.choose(Sensitive<Vector>(Vector{0, 1}), choice));
  EXPECT_EQ(refused([&] { second.choose(Sensitive<Vector>(Vector{0, 1}), choice); }), ErrorKind::budget_exceeded);
  EXPECT_EQ(refused([&] { trials.next(); }), ErrorKind::budget_exceeded);
}

TEST_F(TrialRuns, OfASelectionStayBelowTheRhoOfOneRun) {
  Curator whole(bits_);
  whole.charge({selection_});
  Trials trials = whole.open_trials(selection_, kReplace);
  for (int run = 0; run < 5; ++run) {
    Curator trial = trials.next();
    charge_and_draw(trial, 0.0009);
    EXPECT_EQ(refused([&] { charge_and_draw(trial, 0.0002); }), ErrorKind::budget_exceeded);
  }
}

TEST_F(TrialRuns, OfASelectionAreOneOfItsKindsInItsOrder) {
  const Event training = event_of(noise_of(0.001)), score = event_of(noise_of(0.0002));
  const Event other = event_of(noise_of(0.002));
  const Event selection = select_best(one_of({sequence({training, score}), sequence({other, score})}), PoissonRuns{2});
  Curator whole(bits_);
  whole.charge({selection});
  Trials trials = whole.open_trials(selection, kReplace);
  for (const double rho : {0.001, 0.002}) {
    Curator trial = trials.next();
    charge_and_draw(trial, rho);
    charge_and_draw(trial, 0.0002);
    EXPECT_EQ(refused([&] { charge_and_draw(trial, 0.0001); }), ErrorKind::budget_exceeded) << "nothing is left";
  }
  const auto refuses = [&](const std::vector<double>& rhos) {
    Curator trial = trials.next();
    for (const double rho : rhos) trial.charge({event_of(noise_of(rho))});
    return refused([&] { draw(trial, rhos.front()); }) == ErrorKind::budget_exceeded;
  };
  EXPECT_TRUE(refuses({0.0002})) << "the score comes second";
  EXPECT_TRUE(refuses({0.0015})) << "no kind, though less than the dearest";
  EXPECT_TRUE(refuses({0.001, 0.001})) << "two trainings";
  EXPECT_TRUE(refuses({0.001, 0.002})) << "one of each kind";
  EXPECT_TRUE(refuses({0.001, 0.0002, 0.0002})) << "two scores";
}

TEST_F(TrialRuns, OfAKindWithARhoStayBelowItBesideOtherKinds) {
  const Event training = event_of(noise_of(0.002)), score = event_of(noise_of(0.0002));
  const Event selection = select_best(one_of({ZcdpEvent{0.001}, sequence({training, score})}), PoissonRuns{2});
  Curator whole(bits_);
  whole.charge({selection});
  Trials trials = whole.open_trials(selection, kReplace);
  Curator cheap = trials.next();
  charge_and_draw(cheap, 0.0007);
  EXPECT_EQ(refused([&] { charge_and_draw(cheap, 0.0004); }), ErrorKind::budget_exceeded);
  Curator dear = trials.next();
  charge_and_draw(dear, 0.002);
  charge_and_draw(dear, 0.0002);
  Curator without_rho = trials.next();
  without_rho.charge({ApproximateEvent{1e-3, 1e-9}});
  without_rho.charge({event_of(noise_of(0.0001))});
  EXPECT_EQ(refused([&] { draw(without_rho, 0.0001); }), ErrorKind::budget_exceeded);
}

TEST_F(TrialRuns, OfAGaussianSelectionAreGaussian) {
  // Its delta is that of Gaussian noise, which other runs of the same rho exceed.
  const Event selection = select_best(GaussianEvent{0.1}, PoissonRuns{2});
  Curator whole(bits_);
  whole.charge({selection});
  Curator trial = whole.open_trials(selection, kReplace).next();
  EXPECT_EQ(refused([&] { charge_and_draw(trial, 0.004); }), ErrorKind::budget_exceeded);
}

TEST_F(TrialRuns, OfAlternativesAreNotSeveral) {
  const Event either = one_of({event_of(noise_of(0.01)), ExponentialEvent{0.1}});
  Curator whole(bits_);
  whole.charge({either});
  EXPECT_EQ(refused([&] { whole.open_trials(either, kReplace); }), ErrorKind::unsupported);
}

TEST_F(TrialRuns, DrawOnlyWhileTheReservationIsOpen) {
  SqliteLedger ledger(path_);
  Curator whole(bits_);
  const Charge charge{selection_};
  Reservation reservation = whole.charge({{&charge, 1}, 0.5, 1e-7, 0}, ledger, "tuned");
  Trials trials = whole.open_trials(selection_, kReplace);
  Curator trial = trials.next();
  charge_and_draw(trial, 0.0005);
  EXPECT_EQ(refused([&] { ledger.cancel(std::move(reservation)); }), ErrorKind::internal) << "something was drawn";
  ledger.release(std::move(reservation), "the model");
  trial.charge({event_of(noise_of(0.0001))});
  EXPECT_EQ(refused([&] { draw(trial, 0.0001); }), ErrorKind::budget_exceeded);
  Curator late = trials.next();
  EXPECT_EQ(refused([&] { charge_and_draw(late, 0.0001); }), ErrorKind::budget_exceeded);
}

TEST_F(TrialRuns, CarryTheStampsOfTheWhole) {
  BitSource seeded(ReproducibleSeed{1});
  Curator whole(seeded);
  whole.charge({selection_});
  EXPECT_EQ(whole.open_trials(selection_, kReplace).next().stamps(), whole.stamps());
  EXPECT_FALSE(whole.stamps().empty());
}

TEST_F(TrialRuns, NoCuratorDrawsInAChildProcess) {
  Curator curator(bits_);
  curator.charge({event_of(noise_of(0.01)), 2});
  curator.release(Sensitive<Vector>(Vector{1}), noise_of(0.01));
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      draw(curator, 0.01);
    } catch (const Error& error) {
      ::_exit(error.kind() == ErrorKind::internal ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NO_THROW(draw(curator, 0.01)) << "the charge is still the parent's";
}

}  // namespace
}  // namespace sotto::test
