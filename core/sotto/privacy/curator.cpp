#include "sotto/privacy/curator.h"

#include <algorithm>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/linalg/kernels.h"

namespace sotto {

NoisySums::NoisySums(BitSource& bits, const Mechanism& mechanism, NoisePath path, std::uint64_t draws)
    : bits_(&bits),
      supply_(std::make_unique<NoiseSupply>(bits, mechanism, path, draws)),
      dimension_(base_of(mechanism).dimension),
      grid_step_(path == NoisePath::safe ? base_of(mechanism).grid.step : 0),
      draws_left_(draws) {}

NoisySums::NoisySums(NoisySums&& other) noexcept
    : bits_(std::exchange(other.bits_, nullptr)),
      supply_(std::move(other.supply_)),
      dimension_(other.dimension_),
      grid_step_(other.grid_step_),
      draws_left_(std::exchange(other.draws_left_, 0)) {}

// A sum of another dimension is not what the noise was calibrated to.
bool NoisySums::may_noise(std::span<const double> sum) noexcept {
  if (draws_left_ == 0 || sum.size() != dimension_) return false;
  --draws_left_;
  return true;
}

void NoisySums::perturb(std::span<double> sum) noexcept {
  if (!may_noise(sum)) return std::fill(sum.begin(), sum.end(), 0.0);
  kernels::add_on_grid(grid_step_, supply_->next(), sum.data(), dimension_);
}

void NoisySums::step(double decay, double size, std::span<const double> sum, std::span<double> weights) noexcept {
  if (weights.size() != dimension_ || !may_noise(sum)) {
    return kernels::scale(decay, weights.data(), weights.size());
  }
  kernels::step_on_grid({decay, size, grid_step_, supply_->next()}, sum.data(), weights.data(), dimension_);
}

Curator::Curator(BitSource& bits) : bits_(&bits) {
  if (!bits.is_private()) stamp("the noise came from a seeded source, so anyone with the seed can subtract it");
}

void Curator::charge(const Charge& charge) {
  charges_.push_back(charge);
  draws_left_.push_back(charge.draws());
}

Reservation Curator::charge(const PlannedCost& cost, Ledger& ledger, const std::string& request) {
  if (!stamps_.empty()) {
    throw Error(ErrorKind::invalid_argument, "a ledger takes private releases only: " + stamps_.front(), "ledger");
  }
  const Price price = price_of(cost, ledger.filter());
  Reservation reservation = ledger.reserve({price.event, price.distance, request});
  for (const Charge& each : cost.charges) charge(each);
  return reservation;
}

void Curator::use_draws(const Mechanism& mechanism, std::uint64_t draws) {
  const Event event = event_of(mechanism);
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    if (draws_left_[i] < draws || charges_[i].event != event) continue;
    draws_left_[i] -= draws;
    return;
  }
  throw Error(ErrorKind::budget_exceeded, "a release was asked for that was not charged");
}

Vector Curator::release(Sensitive<Vector>&& secret, const Mechanism& mechanism) {
  if (secret.value_.size() != base_of(mechanism).dimension) {
    throw Error(ErrorKind::internal, "the noise was calibrated to another dimension than the release has");
  }
  use_draws(mechanism, 1);
  Vector values = std::move(secret.value_);
  NoiseSupply supply(*bits_, mechanism, NoisePath::safe, 1);
  kernels::add_on_grid(base_of(mechanism).grid.step, supply.next(), values.data(), values.size());
  return values;
}

NoisySums Curator::step_noise(const Mechanism& mechanism, NoisePath path, std::uint64_t draws) {
  if (draws == 0) throw Error(ErrorKind::internal, "noise for no sums was asked for");
  use_draws(mechanism, draws);
  const bool has_fast =
      std::holds_alternative<L2LaplaceNoise>(mechanism) || std::holds_alternative<GaussianNoise>(mechanism);
  if (path == NoisePath::fast && !has_fast) {
    throw Error(ErrorKind::unsupported, "noise_path: fast exists for l2_laplace and gaussian only", "noise_path");
  }
  return NoisySums(*bits_, mechanism, path, draws);
}

Vector Curator::release_post_processed(Sensitive<Vector>&& secret, const NoisySums& noise) {
  if (noise.bits_ != bits_ || noise.draws_left() != 0)
    throw Error(ErrorKind::internal, "not every batch sum was noised");
  return std::move(secret.value_);
}

Vector Curator::release_unprotected(Sensitive<Vector>&& secret) {
  if (stamps_.empty()) throw Error(ErrorKind::internal, "an unprotected release needs a reason on the card");
  return std::move(secret.value_);
}

void Curator::stamp(const std::string& why) { stamps_.push_back(why); }

}  // namespace sotto
