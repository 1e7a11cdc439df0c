#include "sotto/privacy/curator.h"

#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

constexpr const char* kSeeded = "the noise came from a seeded source, so anyone with the seed can subtract it";
constexpr const char* kWatched = "another drawer was given, which sees every value before its noise";

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

Curator::Curator(BitSource& bits) : own_(std::in_place, bits), drawer_(&*own_), bits_(&bits) {
  if (!bits.is_private()) stamp(kSeeded);
}

Curator::Curator(Drawer& drawer) : drawer_(&drawer), bits_(&drawer.bits()) {
  if (!bits_->is_private()) stamp(kSeeded);
  stamp(kWatched);
}

Curator::Curator(Curator& whole, TrialShare share)
    : drawer_(whole.drawer_),
      bits_(whole.bits_),
      reservation_(whole.reservation_),
      share_(std::move(share)),
      epoch_(whole.epoch_),
      stamps_(whole.stamps_) {}

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

void Curator::require_share() {
  if (!share_ || within_share_ == charges_.size()) return;
  const Event asked = event_of(charges_);
  const bool covered = share_->covers(asked);
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

Allowance Curator::open_allowance(const Event& whole) {
  Allowance allowance(*this, whole);
  use_draws(whole, 1);
  return allowance;
}

Vector Curator::release(Sensitive<Vector>&& secret, const Mechanism& mechanism) {
  check_dimension(secret.value_.size(), mechanism);
  use_draws(event_of(mechanism), 1);
  return drawer_->release(std::move(secret.value_), mechanism);
}

Vector Curator::release(Sensitive<Vector>&& secret, const Mechanism& mechanism, Allowance& from) {
  check_dimension(secret.value_.size(), mechanism);
  use_allowance(event_of(mechanism), from);
  return drawer_->release(std::move(secret.value_), mechanism);
}

std::size_t Curator::choose(Sensitive<Vector>&& scores, const Choice& choice) {
  check_candidates(scores.value_.size(), choice);
  use_draws(choice.event(), 1);
  const Vector values = std::move(scores.value_);
  return drawer_->choose(values, choice);
}

std::size_t Curator::choose(Sensitive<Vector>&& scores, const Choice& choice, Allowance& from) {
  check_candidates(scores.value_.size(), choice);
  use_allowance(choice.event(), from);
  const Vector values = std::move(scores.value_);
  return drawer_->choose(values, choice);
}

std::vector<std::string> Curator::discover(Sensitive<TextCounts>&& counts, const Discovery& discovery) {
  discovery.check();
  use_draws(discovery.event(), 1);
  const TextCounts secret = std::move(counts.value_);
  return drawer_->discover(secret, discovery);
}

PoissonBatch Curator::draw_batch(const SampledGaussian& law, std::uint64_t rows) {
  use_draws(law.event(), 1);
  PoissonBatch batch;
  batch.bits_ = bits_;
  batch.law_ = law;
  batch.positions_ = drawer_->draw_batch(law, rows);
  return batch;
}

Vector Curator::release(Sensitive<Vector>&& secret, PoissonBatch&& batch) {
  if (batch.bits_ != bits_ || secret.value_.size() != batch.law_.noise.dimension) {
    throw Error(ErrorKind::internal, "the sum does not belong to a batch of this curator that is still to be noised");
  }
  begin_draw();
  batch.bits_ = nullptr;
  return drawer_->release_batch(std::move(secret.value_), batch.law_, batch.positions_);
}

NoisySums Curator::step_noise(const Mechanism& mechanism, NoiseDemand demand) {
  if (demand.draws == 0) throw Error(ErrorKind::internal, "noise for no sums was asked for");
  use_draws(event_of(mechanism), demand.draws);
  return {*bits_, drawer_->batch_sums(mechanism, demand), base_of(mechanism).dimension, demand.draws};
}

NoisySums Curator::joint_noise(const JointGaussian& law) {
  if (law.draws == 0) throw Error(ErrorKind::internal, "noise for no sums was asked for");
  use_draws(law.event(), 1);
  return {*bits_, drawer_->joint_sums(law), law.noise.dimension, law.draws};
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
  const Vector linear = drawer_->linear_term(noise);
  Sensitive<Vector> secret = minimise(linear);
  begin_draw();  // rows were read since the draw was allowed
  if (secret.value_.size() != dimension) {
    throw Error(ErrorKind::internal, "the minimiser has another dimension than its noise");
  }
  return drawer_->release_minimiser(std::move(secret.value_), noise, linear);
}

Vector Curator::release_unprotected(Sensitive<Vector>&& secret) {
  if (stamps_.empty()) throw Error(ErrorKind::internal, "an unprotected release needs a reason on the card");
  if (reservation_) throw Error(ErrorKind::internal, "nothing unprotected is released under a reservation");
  return std::move(secret.value_);
}

void Curator::stamp(const std::string& why) { stamps_.push_back(why); }

}  // namespace sotto
