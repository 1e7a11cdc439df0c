#include "sotto/privacy/curator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

/// Values beyond this many grid steps are clamped: the public range of spec 5.2.
constexpr double kLargestOnGrid = 0x1p51;
/// Adding and subtracting this rounds a double below 2^51 to the nearest integer, ties to even.
constexpr double kRounder = 0x1.8p52;

double on_grid(double value, double inverse_step) noexcept {
  const double scaled = value * inverse_step;  // exact: the step is a power of two
  if (!(std::fabs(scaled) < kLargestOnGrid)) return std::isnan(scaled) ? 0.0 : std::copysign(kLargestOnGrid, scaled);
  return (scaled + kRounder) - kRounder;
}

void add_grid_noise(std::span<double> values, std::span<const std::int64_t> noise, double step) noexcept {
  const double inverse_step = 1 / step;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = step * (on_grid(values[i], inverse_step) + static_cast<double>(noise[i]));
  }
}

}  // namespace

NoisySums::NoisySums(BitSource& bits, const Mechanism& mechanism, NoisePath path, std::uint64_t draws)
    : bits_(&bits), mechanism_(mechanism), path_(path), draws_left_(draws) {
  const std::size_t dimension = base_of(mechanism).dimension;
  (path == NoisePath::safe ? static_cast<void>(integer_noise_.resize(dimension)) : fast_noise_.resize(dimension));
}

NoisySums::NoisySums(NoisySums&& other) noexcept
    : bits_(std::exchange(other.bits_, nullptr)),
      mechanism_(other.mechanism_),
      path_(other.path_),
      draws_left_(std::exchange(other.draws_left_, 0)),
      integer_noise_(std::move(other.integer_noise_)),
      fast_noise_(std::move(other.fast_noise_)) {}

void NoisySums::perturb(std::span<double> sum) noexcept {
  // A sum of another dimension is not what the noise was calibrated to.
  if (draws_left_ == 0 || sum.size() != base_of(mechanism_).dimension) {
    std::fill(sum.begin(), sum.end(), 0.0);
    return;
  }
  --draws_left_;
  std::visit(
      [&](const auto& mechanism) {
        if constexpr (requires { mechanism.draw_fast(*bits_, std::span<double>(fast_noise_)); }) {
          if (path_ == NoisePath::fast) {
            mechanism.draw_fast(*bits_, fast_noise_);
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += fast_noise_[i];
            return;
          }
        }
        mechanism.draw(*bits_, integer_noise_);
        add_grid_noise(sum, integer_noise_, mechanism.grid.step);
      },
      mechanism_);
}

Curator::Curator(BitSource& bits) : bits_(&bits) {
  if (!bits.is_private()) stamp("the noise came from a seeded source, so anyone with the seed can subtract it");
}

void Curator::charge(const Charge& charge) {
  charges_.push_back(charge);
  draws_left_.push_back(charge.draws());
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
  std::vector<std::int64_t> noise(values.size());
  std::visit(
      [&](const auto& m) {
        m.draw(*bits_, noise);
        add_grid_noise(values, noise, m.grid.step);
      },
      mechanism);
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
