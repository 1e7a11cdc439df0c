#include "sotto/privacy/drawer.h"

#include <utility>

namespace sotto {

SumNoise::SumNoise(BitSource& bits, const Mechanism& mechanism, NoiseDemand demand)
    : supply_(bits, mechanism, demand), grid_step_(base_of(mechanism).grid.step) {}

void SumNoise::add(std::span<double> sum) noexcept {
  kernels::add_on_grid(grid_step_, supply_.next(), sum.data(), sum.size());
}

void SumNoise::step(double decay, double size, std::span<const double> sum, std::span<double> weights) noexcept {
  kernels::step_on_grid({decay, size, grid_step_, supply_.next()}, sum.data(), weights.data(), weights.size());
}

void SumNoise::step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept {
  kernels::step_row_on_grid({decay, size, grid_step_, supply_.next()}, row, weights.data(), weights.size());
}

Vector Drawer::release(Vector value, const Mechanism& mechanism) {
  NoiseSupply supply(*bits_, mechanism, 1);
  kernels::add_on_grid(base_of(mechanism).grid.step, supply.next(), value.data(), value.size());
  return value;
}

Vector Drawer::release_batch(Vector sum, const SampledGaussian& law, std::span<const std::uint64_t>) {
  return Drawer::release(std::move(sum), law.noise);
}

Vector Drawer::release_minimiser(Vector found, const ObjectiveNoise& noise, std::span<const double>) {
  return Drawer::release(std::move(found), noise.on_release);
}

Vector Drawer::linear_term(const ObjectiveNoise& noise) {
  NoiseSupply supply(*bits_, noise.on_objective, 1);
  const double* drawn = supply.next();
  return {drawn, drawn + noise.shape.dimension};
}

std::size_t Drawer::choose(const Vector& scores, const Choice& choice) { return choice.draw(*bits_, scores); }

std::vector<std::string> Drawer::discover(const TextCounts& counts, const Discovery& discovery) {
  return discovery.draw(*bits_, counts);
}

std::vector<std::uint64_t> Drawer::draw_batch(const SampledGaussian& law, std::uint64_t rows) {
  if (!coins_ || coins_->rate() != law.rate || coins_->rows() != rows) coins_.emplace(law.rate, rows);
  return coins_->draw(*bits_);
}

std::unique_ptr<SumNoise> Drawer::batch_sums(const Mechanism& mechanism, NoiseDemand demand) {
  return std::make_unique<SumNoise>(*bits_, mechanism, demand);
}

std::unique_ptr<SumNoise> Drawer::joint_sums(const JointGaussian& law) {
  return std::make_unique<SumNoise>(*bits_, law.noise, law.draws);
}

}  // namespace sotto
