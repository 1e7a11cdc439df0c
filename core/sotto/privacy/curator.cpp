#include "sotto/privacy/curator.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/linalg/kernels.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/poisson_coins.h"

namespace sotto {

NoisySums::NoisySums(BitSource& bits, const Mechanism& mechanism, NoiseDemand demand)
    : bits_(&bits),
      supply_(std::make_unique<NoiseSupply>(bits, mechanism, demand)),
      dimension_(base_of(mechanism).dimension),
      grid_step_(base_of(mechanism).grid.step),
      draws_left_(demand.draws) {}

NoisySums::NoisySums(NoisySums&& other) noexcept
    : bits_(std::exchange(other.bits_, nullptr)),
      supply_(std::move(other.supply_)),
      dimension_(other.dimension_),
      grid_step_(other.grid_step_),
      draws_left_(std::exchange(other.draws_left_, 0)),
      epoch_(other.epoch_),
      transcript_(std::exchange(other.transcript_, nullptr)),
      noted_(std::move(other.noted_)) {}

// A sum of another dimension is not what the noise was calibrated to; a child process after fork was charged nothing.
inline bool NoisySums::may_noise(std::size_t dimension) noexcept {
  if (draws_left_ == 0 || dimension != dimension_ || epoch_ != fork_epoch()) return false;
  --draws_left_;
  return true;
}

void NoisySums::perturb(std::span<double> sum) noexcept {
  if (!may_noise(sum.size())) return std::fill(sum.begin(), sum.end(), 0.0);
  if (transcript_ == nullptr) return add_noise(sum);
  const Vector before(sum.begin(), sum.end());
  add_noise(sum);
  note(before, sum);
}

void NoisySums::add_noise(std::span<double> sum) noexcept {
  kernels::add_on_grid(grid_step_, supply_->next(), sum.data(), dimension_);
}

void NoisySums::note(std::span<const double> before, std::span<double> after) noexcept {
  if (const Transcript::Entry* leader = transcript_->leader(); leader && leader->released.size() == after.size()) {
    std::copy(leader->released.begin(), leader->released.end(), after.begin());
  }
  Transcript::Entry& entry = transcript_->entries.emplace_back(noted_);
  entry.secret.assign(before.begin(), before.end());
  entry.released.assign(after.begin(), after.end());
}

void NoisySums::step(double decay, double size, std::span<const double> sum, std::span<double> weights) noexcept {
  if (weights.size() != dimension_ || !may_noise(sum.size())) {
    return kernels::scale(decay, weights.data(), weights.size());
  }
  if (transcript_ != nullptr) {
    Vector noised(sum.begin(), sum.end());
    add_noise(noised);
    note(sum, noised);
    for (std::size_t i = 0; i < dimension_; ++i) weights[i] = decay * weights[i] - size * noised[i];
    return;
  }
  kernels::step_on_grid({decay, size, grid_step_, supply_->next()}, sum.data(), weights.data(), dimension_);
}

void NoisySums::step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept {
  if (transcript_ != nullptr) {
    Vector sum(weights.size());
    kernels::scaled(row.coefficient, row.x, sum.data(), sum.size());
    return step(decay, size, sum, weights);
  }
  if (!may_noise(weights.size())) return kernels::scale(decay, weights.data(), weights.size());
  kernels::step_row_on_grid({decay, size, grid_step_, supply_->next()}, row, weights.data(), dimension_);
}

Curator::Curator(BitSource& bits) : bits_(&bits) {
  if (!bits.is_private()) stamp("the noise came from a seeded source, so anyone with the seed can subtract it");
}

Curator::Curator(BitSource& bits, Transcript& transcript) : Curator(bits) {
  transcript_ = &transcript;
  stamp("what was noised was written down for an audit");
}

Curator::Curator(Curator& whole, Share share)
    : bits_(whole.bits_), reservation_(whole.reservation_), share_(std::move(share)), stamps_(whole.stamps_) {
  epoch_ = whole.epoch_;
  transcript_ = whole.transcript_;
}

void Curator::charge(const Charge& charge) {
  if (reservation_ && !share_)
    throw Error(ErrorKind::internal, "a curator under a reservation takes no charges beside it");
  add(charge);
}

void Curator::add(const Charge& charge) {
  charges_.push_back(charge);
  draws_left_.push_back(charge.draws());
}

Reservation Curator::charge(const PlannedCost& cost, Ledger& ledger, const std::string& request) {
  if (!stamps_.empty()) {
    throw Error(ErrorKind::invalid_argument, "a ledger takes private releases only: " + stamps_.front(), "ledger");
  }
  if (!charges_.empty()) throw Error(ErrorKind::internal, "a curator under a reservation takes no charges beside it");
  const Price price = price_of(cost, ledger.filter());
  Reservation reservation = ledger.reserve({price.event, price.distance, request});
  reservation_ = reservation.use_;
  for (const Charge& each : cost.charges) add(each);
  return reservation;
}

namespace {

bool has_at_most(double rho, const Event& asked, Relation relation) {
  try {
    return zcdp_rho_of(asked, relation) <= rho;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return false;
  }
}

/// Whether the first events of a sequence, in their order, are what is asked for.
bool begins_with(const SequenceEvent& share, const Event& asked) {
  std::vector<Charge> first;
  for (const Event& event : share.events) {
    first.push_back({event});
    if (event_of(first) == asked) return true;
  }
  return false;
}

/// Whether whoever was charged with `share` may do what was asked for.
bool covers(const Event& share, const Event& asked, Relation relation) {
  if (asked == share) return true;
  if (const auto* most = std::get_if<ZcdpEvent>(&share)) return has_at_most(most->rho, asked, relation);
  if (const auto* whole = std::get_if<SequenceEvent>(&share)) return begins_with(*whole, asked);
  const auto* one = std::get_if<OneOfEvent>(&share);
  return one != nullptr && std::ranges::any_of(one->events, [&](const Event& alternative) {
           return covers(alternative, asked, relation);
         });
}

}  // namespace

void Curator::require_share() {
  if (!share_ || within_share_ == charges_.size()) return;
  const Event asked = event_of(charges_);
  const bool covered = covers(share_->event, asked, share_->relation);
  if (!covered) throw Error(ErrorKind::budget_exceeded, "a run inside a release asks for more than it was charged for");
  within_share_ = charges_.size();
}

void Curator::begin_draw() {
  if (epoch_ != fork_epoch()) {
    throw Error(ErrorKind::internal, "a curator draws in the process that made it, not in a child after fork");
  }
  require_share();
  if (!reservation_) return;
  if (!reservation_->open()) {
    throw Error(ErrorKind::budget_exceeded,
                "the reservation was used or given back; nothing more is released under it");
  }
  reservation_->reading = true;
}

void Curator::use_draws(const Event& event, std::uint64_t draws) {
  begin_draw();
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    if (draws_left_[i] < draws || charges_[i].event != event) continue;
    draws_left_[i] -= draws;
    return;
  }
  throw Error(ErrorKind::budget_exceeded, "a release was asked for that was not charged");
}

void Curator::use_allowance(const Event& event, Allowance& from) {
  if (from.owner_ != this) throw Error(ErrorKind::internal, "the allowance was not opened by this curator");
  begin_draw();
  from.spend(event);
  allowance_draws_.push_back(event);
}

Trials Curator::open_trials(const Event& whole, Relation relation) {
  Trials trials(*this, whole, relation);
  use_draws(whole, 1);
  return trials;
}

Trials::Trials(Curator& owner, const Event& whole, Relation relation) : owner_(&owner), relation_(relation) {
  if (const auto* parallel = std::get_if<ParallelEvent>(&whole)) {
    parts_.assign(parallel->parts.rbegin(), parallel->parts.rend());
  } else if (const auto* selection = std::get_if<SelectionEvent>(&whole)) {
    parts_ = {*selection->run};
    endless_ = true;
  } else {
    throw Error(ErrorKind::unsupported, "only parts with rows of their own and selections have runs inside them");
  }
}

Curator Trials::next() {
  if (parts_.empty()) throw Error(ErrorKind::budget_exceeded, "every part that was charged has had its run");
  const Event share = parts_.back();
  if (!endless_) parts_.pop_back();
  return {*owner_, {share, relation_}};
}

Allowance Curator::open_allowance(const Event& whole) {
  Allowance allowance(*this, whole);
  use_draws(whole, 1);
  return allowance;
}

namespace {

void check_dimension(std::size_t size, const Mechanism& mechanism) {
  if (size == base_of(mechanism).dimension) return;
  throw Error(ErrorKind::internal, "the noise was calibrated to another dimension than the release has");
}

void check_candidates(std::size_t size, const Choice& choice) {
  choice.check();
  if (size == choice.offsets.size()) return;
  throw Error(ErrorKind::internal, "the choice is among another number of candidates than there are scores");
}

}  // namespace

namespace {

Transcript::Entry entry_of(Transcript::Kind kind, const Mechanism& mechanism) {
  Transcript::Entry entry;
  entry.kind = kind;
  entry.event = event_of(mechanism);
  entry.sensitivity = base_of(mechanism).sensitivity;
  entry.stddev = std::visit([](const auto& m) { return m.stddev(); }, mechanism);
  return entry;
}

}  // namespace

/// Noises entry.secret, or takes what the followed run released, and writes the entry down.
Vector Curator::noted(Transcript::Entry entry, const Mechanism& mechanism) {
  entry.released = entry.secret;
  NoiseSupply supply(*bits_, mechanism, 1);
  kernels::add_on_grid(base_of(mechanism).grid.step, supply.next(), entry.released.data(), entry.released.size());
  if (const Transcript::Entry* leader = transcript_->leader(); leader && leader->kind == entry.kind) {
    entry.released = leader->released;
  }
  return transcript_->entries.emplace_back(std::move(entry)).released;
}

NoisySums Curator::noted(NoisySums sums, const Mechanism& mechanism, Transcript::Kind kind) {
  if (transcript_ != nullptr) {
    sums.transcript_ = transcript_;
    sums.noted_ = entry_of(kind, mechanism);
  }
  return sums;
}

Vector Curator::noised(Sensitive<Vector>&& secret, const Mechanism& mechanism) {
  if (transcript_ != nullptr) {
    Transcript::Entry entry = entry_of(Transcript::Kind::release, mechanism);
    entry.secret = std::move(secret.value_);
    return noted(std::move(entry), mechanism);
  }
  Vector values = std::move(secret.value_);
  NoiseSupply supply(*bits_, mechanism, 1);
  kernels::add_on_grid(base_of(mechanism).grid.step, supply.next(), values.data(), values.size());
  return values;
}

Vector Curator::release(Sensitive<Vector>&& secret, const Mechanism& mechanism) {
  check_dimension(secret.value_.size(), mechanism);
  use_draws(event_of(mechanism), 1);
  return noised(std::move(secret), mechanism);
}

Vector Curator::release(Sensitive<Vector>&& secret, const Mechanism& mechanism, Allowance& from) {
  check_dimension(secret.value_.size(), mechanism);
  use_allowance(event_of(mechanism), from);
  return noised(std::move(secret), mechanism);
}

std::size_t Curator::drawn(Sensitive<Vector>&& scores, const Choice& choice) {
  const Vector values = std::move(scores.value_);
  std::size_t index = choice.draw(*bits_, values);
  if (transcript_ == nullptr) return index;
  const Transcript::Entry* leader = transcript_->leader();
  if (leader && leader->kind == Transcript::Kind::choice) index = static_cast<std::size_t>(leader->released[0]);
  Transcript::Entry& entry = transcript_->entries.emplace_back();
  entry.kind = Transcript::Kind::choice;
  entry.event = choice.event();
  entry.sensitivity = choice.range;
  entry.secret = values;
  entry.released = {static_cast<double>(index)};
  return index;
}

std::size_t Curator::choose(Sensitive<Vector>&& scores, const Choice& choice) {
  check_candidates(scores.value_.size(), choice);
  use_draws(choice.event(), 1);
  return drawn(std::move(scores), choice);
}

std::size_t Curator::choose(Sensitive<Vector>&& scores, const Choice& choice, Allowance& from) {
  check_candidates(scores.value_.size(), choice);
  use_allowance(choice.event(), from);
  return drawn(std::move(scores), choice);
}

std::vector<std::string> Curator::discover(Sensitive<TextCounts>&& counts, const Discovery& discovery) {
  discovery.check();
  use_draws(discovery.event(), 1);
  const TextCounts secret = std::move(counts.value_);
  return discovery.draw(*bits_, secret);
}

PoissonBatch Curator::draw_batch(const SampledGaussian& law, std::uint64_t rows) {
  use_draws(law.event(), 1);
  PoissonBatch batch;
  batch.bits_ = bits_;
  batch.noise_ = law.noise;
  draw_poisson_batch(*bits_, law.rate, rows, batch.positions_);
  if (transcript_ != nullptr) {
    batch.event_ = law.event();
    const Transcript::Entry* leader = transcript_->leader();
    if (leader && leader->kind == Transcript::Kind::sampled) batch.positions_ = leader->rows;
    // The table that is followed may have had one row more, its last.
    while (!batch.positions_.empty() && batch.positions_.back() >= rows) batch.positions_.pop_back();
  }
  return batch;
}

Vector Curator::release(Sensitive<Vector>&& secret, PoissonBatch&& batch) {
  if (batch.bits_ != bits_ || secret.value_.size() != batch.noise_.dimension) {
    throw Error(ErrorKind::internal, "the sum does not belong to a batch of this curator that is still to be noised");
  }
  begin_draw();
  batch.bits_ = nullptr;
  if (transcript_ != nullptr) {
    Transcript::Entry entry = entry_of(Transcript::Kind::sampled, batch.noise_);
    entry.event = batch.event_;
    entry.secret = std::move(secret.value_);
    entry.rows = std::move(batch.positions_);
    return noted(std::move(entry), batch.noise_);
  }
  return noised(std::move(secret), batch.noise_);
}

NoisySums Curator::step_noise(const Mechanism& mechanism, NoiseDemand demand) {
  if (demand.draws == 0) throw Error(ErrorKind::internal, "noise for no sums was asked for");
  use_draws(event_of(mechanism), demand.draws);
  return noted(NoisySums(*bits_, mechanism, demand), mechanism, Transcript::Kind::batch_sum);
}

NoisySums Curator::joint_noise(const JointGaussian& law) {
  if (law.draws == 0) throw Error(ErrorKind::internal, "noise for no sums was asked for");
  use_draws(law.event(), 1);
  return noted(NoisySums(*bits_, law.noise, law.draws), law.noise, Transcript::Kind::joint);
}

Vector Curator::release_post_processed(Sensitive<Vector>&& secret, const NoisySums& noise) {
  if (noise.bits_ != bits_ || noise.draws_left() != 0)
    throw Error(ErrorKind::internal, "not every batch sum was noised");
  begin_draw();
  return std::move(secret.value_);
}

Vector Curator::release_minimiser(const ObjectiveNoise& noise,
                                  const std::function<Sensitive<Vector>(std::span<const double>)>& minimise) {
  const std::size_t dimension = noise.shape.dimension;
  if (base_of(noise.on_objective).dimension != dimension || base_of(noise.on_release).dimension != dimension) {
    throw Error(ErrorKind::internal, "the noise of the objective and of the release differ in dimension");
  }
  use_draws(noise.event(), 1);
  Vector linear;
  {
    NoiseSupply supply(*bits_, noise.on_objective, 1);
    const double* drawn = supply.next();
    linear.assign(drawn, drawn + dimension);
  }
  Sensitive<Vector> secret = minimise(linear);
  begin_draw();  // rows were read since the draw was allowed
  if (secret.value_.size() != dimension) {
    throw Error(ErrorKind::internal, "the minimiser has another dimension than its noise");
  }
  if (transcript_ != nullptr) {
    Transcript::Entry entry = entry_of(Transcript::Kind::minimiser, noise.on_objective);
    entry.event = noise.event();
    entry.sensitivity = noise.shape.corners.front().norm;
    entry.secret = std::move(secret.value_);
    entry.linear = std::move(linear);
    entry.tolerance = noise.tolerance;
    entry.curvature = noise.shape.curvature;
    entry.noises = {event_of(noise.on_objective), event_of(noise.on_release)};
    entry.release_sensitivity = base_of(noise.on_release).sensitivity;
    return noted(std::move(entry), noise.on_release);
  }
  return noised(std::move(secret), noise.on_release);
}

Vector Curator::release_unprotected(Sensitive<Vector>&& secret) {
  if (stamps_.empty()) throw Error(ErrorKind::internal, "an unprotected release needs a reason on the card");
  if (reservation_) throw Error(ErrorKind::internal, "nothing unprotected is released under a reservation");
  return std::move(secret.value_);
}

void Curator::stamp(const std::string& why) { stamps_.push_back(why); }

}  // namespace sotto
