#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/linalg/vector.h"
#include "sotto/privacy/allowance.h"
#include "sotto/privacy/choice.h"
#include "sotto/privacy/discovery.h"
#include "sotto/privacy/drawer.h"
#include "sotto/privacy/event.h"
#include "sotto/privacy/joint_gaussian.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/privacy/ledger/price.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/privacy/noise_supply.h"
#include "sotto/privacy/noisy_sums.h"
#include "sotto/privacy/objective_noise.h"
#include "sotto/privacy/sampled_gaussian.h"
#include "sotto/privacy/trials.h"
#include "sotto/random/bit_source.h"
#include "sotto/random/fork_epoch.h"

namespace sotto {

/// The only class that opens a Sensitive. Charges come first; each release uses up a charged draw of its own event and
/// adds the noise in the same call. Not copyable: a copy would hand out the charged draws a second time. A child
/// process would do the same, so that every draw after fork is refused.
class Curator {
 public:
  explicit Curator(BitSource& bits);
  Curator(const Curator&) = delete;
  Curator& operator=(const Curator&) = delete;
  /// A curator that draws by another drawer than its own is stamped *not private*, whatever that drawer does: it sees
  /// every value before its noise. Nothing that trains for release can be given one.
  explicit Curator(Drawer& drawer);

  /// Records the charge; must be called before the first row is read. No budget is enforced. A curator under a
  /// reservation refuses: the reservation fixes what it may draw.
  void charge(const Charge& charge);
  /// Charges the ledger, durably, and only then allows the draws: those of the one release that the reservation is good
  /// for. A draw makes it impossible to give the reservation back, and once it is used nothing is drawn any more.
  /// Throws Error{budget_exceeded} if it does not fit, Error{invalid_argument} if this curator was stamped *not
  /// private*: such a release has no price; Error{internal} if it has other charges.
  Reservation charge(const PlannedCost& cost, Ledger& ledger, const std::string& request);
  /// Adds the mechanism's noise. Throws Error{budget_exceeded} if no charged draw of this event is left,
  /// Error{internal} if the mechanism was calibrated to another dimension.
  Vector release(Sensitive<Vector>&& secret, const Mechanism& mechanism);
  /// The index of the candidate that was drawn by its secret score; there is one score per candidate. Errors as
  /// release().
  std::size_t choose(Sensitive<Vector>&& scores, const Choice& choice);
  /// The texts that are shown of the secret counts. Errors as release().
  std::vector<std::string> discover(Sensitive<TextCounts>&& counts, const Discovery& discovery);
  /// Opens an amount to be spent as the run goes; uses up a charged draw of exactly this event.
  Allowance open_allowance(const Event& whole);
  /// The same as above, the draw paid from an allowance of this curator instead of a charge of its own.
  Vector release(Sensitive<Vector>&& secret, const Mechanism& mechanism, Allowance& from);
  std::size_t choose(Sensitive<Vector>&& scores, const Choice& choice, Allowance& from);
  /// Opens the runs of a release that is charged as a whole; uses up a charged draw of exactly this event. Throws
  /// Error{unsupported} unless it is a SelectionEvent, or a ParallelEvent whose parts read rows of their own.
  Trials open_trials(const Event& whole, Relation relation);
  /// Noise for the given number of batch sums, at least one; uses up the same number of charged draws. While it lives
  /// nothing else may be drawn from this curator's bits.
  NoisySums step_noise(const Mechanism& mechanism, NoiseDemand demand);
  /// Noise for all the vectors of a sequence that is one event; uses up *one* charged draw of it. What was noised may
  /// only be kept or shown as the proof of the sequence's sensitivity allows: for a hidden state, the last iterate
  /// alone, through release_post_processed(). While it lives nothing else may be drawn from this curator's bits.
  NoisySums joint_noise(const JointGaussian& law);
  /// The coins of one step of a sampled mechanism over `rows` rows; uses up one charged draw of its event.
  PoissonBatch draw_batch(const SampledGaussian& law, std::uint64_t rows);
  /// Noises the sum over a batch of draw_batch(), which is used up. Throws Error{internal} for a batch that was used or
  /// came from another curator's source, and for a sum of another dimension.
  Vector release(Sensitive<Vector>&& secret, PoissonBatch&& batch);
  /// Hands out what was computed from noised sums alone: post-processing, free. Throws Error{internal} unless
  /// `noise` came from this curator's source and every sum promised to it was noised.
  Vector release_post_processed(Sensitive<Vector>&& secret, const NoisySums& noise);
  /// Draws the linear term, lets `minimise` find the certified minimiser with it and adds the noise of the release: one
  /// charged draw of noise.event(). The term is a secret like the rows; `minimise` must not keep it.
  Vector release_minimiser(const ObjectiveNoise& noise,
                           const std::function<Sensitive<Vector>(std::span<const double>)>& minimise);
  /// Hands the value out as it is; only a curator that was stamped *not private* does so.
  Vector release_unprotected(Sensitive<Vector>&& secret);
  /// Stamps everything made by this curator *not private*, saying why. No stamp can be removed.
  void stamp(const std::string& why);

  const std::vector<Charge>& charges() const noexcept { return charges_; }
  /// Every draw that was paid from an allowance, in its order: book-keeping, a function of what was released.
  const std::vector<Event>& allowance_draws() const noexcept { return allowance_draws_; }
  const std::vector<std::string>& stamps() const noexcept { return stamps_; }

 private:
  friend class Trials;
  /// Of a trial: under the reservation of `whole`, as private as it.
  Curator(Curator& whole, TrialShare share);
  void add(const Charge& charge);
  void begin_draw();
  void require_share();
  void use_draws(const Event& event, std::uint64_t draws);
  void use_allowance(const Event& event, Allowance& from);

  std::optional<Drawer> own_;  // none where another was given
  Drawer* drawer_;
  BitSource* bits_;  // its source, by which sums and batches are known again
  std::shared_ptr<Reservation::Use> reservation_;
  std::optional<TrialShare> share_;
  std::size_t within_share_ = 0;  // of the charges
  std::uint64_t epoch_ = fork_epoch();
  std::vector<Charge> charges_;
  std::vector<std::uint64_t> draws_left_;
  std::vector<Event> allowance_draws_;
  std::vector<std::string> stamps_;
};

}  // namespace sotto
