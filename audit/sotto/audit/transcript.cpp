#include "sotto/audit/transcript.h"

#include <algorithm>
#include <utility>

#include "sotto/linalg/kernels.h"

namespace sotto::audit {
namespace {

Transcript::Entry entry_of(Transcript::Kind kind, const Mechanism& mechanism) {
  Transcript::Entry entry;
  entry.kind = kind;
  entry.event = event_of(mechanism);
  entry.sensitivity = base_of(mechanism).sensitivity;
  entry.stddev = std::visit([](const auto& m) { return m.stddev(); }, mechanism);
  return entry;
}

/// Every sum is noised by itself, so that it can be written down before the step.
class NotedSums : public SumNoise {
 public:
  NotedSums(BitSource& bits, const Mechanism& mechanism, NoiseDemand demand, Transcript::Kind kind,
            Transcript& transcript)
      : SumNoise(bits, mechanism, demand), shared_(entry_of(kind, mechanism)), transcript_(&transcript) {}

  void add(std::span<double> sum) noexcept override {
    const Vector before(sum.begin(), sum.end());
    SumNoise::add(sum);
    note(before, sum);
  }
  void step(double decay, double size, std::span<const double> sum, std::span<double> weights) noexcept override {
    Vector noised(sum.begin(), sum.end());
    add(noised);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = decay * weights[i] - size * noised[i];
  }
  void step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept override {
    Vector sum(weights.size());
    kernels::scaled(row.coefficient, row.x, sum.data(), sum.size());
    step(decay, size, sum, weights);
  }

 private:
  void note(std::span<const double> before, std::span<double> after) noexcept {
    if (const Transcript::Entry* leader = transcript_->leader(); leader && leader->released.size() == after.size()) {
      std::copy(leader->released.begin(), leader->released.end(), after.begin());
    }
    Transcript::Entry& entry = transcript_->entries.emplace_back(shared_);
    entry.secret.assign(before.begin(), before.end());
    entry.released.assign(after.begin(), after.end());
  }

  Transcript::Entry shared_;  // what every entry of these sums has
  Transcript* transcript_;
};

}  // namespace

/// Noises entry.secret, or takes what the followed run released, and writes the entry down.
Vector NotingDrawer::noted(Transcript::Entry entry, const Mechanism& mechanism) {
  entry.released = Drawer::release(entry.secret, mechanism);
  if (const Transcript::Entry* leader = transcript_->leader(); leader && leader->kind == entry.kind) {
    entry.released = leader->released;
  }
  return transcript_->entries.emplace_back(std::move(entry)).released;
}

Vector NotingDrawer::release(Vector value, const Mechanism& mechanism) {
  Transcript::Entry entry = entry_of(Transcript::Kind::release, mechanism);
  entry.secret = std::move(value);
  return noted(std::move(entry), mechanism);
}

Vector NotingDrawer::release_batch(Vector sum, const SampledGaussian& law, std::span<const std::uint64_t> rows) {
  Transcript::Entry entry = entry_of(Transcript::Kind::sampled, law.noise);
  entry.event = law.event();
  entry.secret = std::move(sum);
  entry.rows.assign(rows.begin(), rows.end());
  return noted(std::move(entry), law.noise);
}

Vector NotingDrawer::release_minimiser(Vector found, const ObjectiveNoise& noise, std::span<const double> linear) {
  Transcript::Entry entry = entry_of(Transcript::Kind::minimiser, noise.on_objective);
  entry.event = noise.event();
  entry.sensitivity = noise.shape.corners.front().norm;
  entry.secret = std::move(found);
  entry.linear.assign(linear.begin(), linear.end());
  entry.tolerance = noise.tolerance;
  entry.curvature = noise.shape.curvature;
  entry.noises = {event_of(noise.on_objective), event_of(noise.on_release)};
  entry.release_sensitivity = base_of(noise.on_release).sensitivity;
  return noted(std::move(entry), noise.on_release);
}

std::size_t NotingDrawer::choose(const Vector& scores, const Choice& choice) {
  std::size_t index = Drawer::choose(scores, choice);
  const Transcript::Entry* leader = transcript_->leader();
  if (leader && leader->kind == Transcript::Kind::choice) index = static_cast<std::size_t>(leader->released[0]);
  Transcript::Entry& entry = transcript_->entries.emplace_back();
  entry.kind = Transcript::Kind::choice;
  entry.event = choice.event();
  entry.sensitivity = choice.range;
  entry.secret = scores;
  entry.released = {static_cast<double>(index)};
  return index;
}

std::vector<std::uint64_t> NotingDrawer::draw_batch(const SampledGaussian& law, std::uint64_t rows) {
  std::vector<std::uint64_t> positions = Drawer::draw_batch(law, rows);
  const Transcript::Entry* leader = transcript_->leader();
  if (leader && leader->kind == Transcript::Kind::sampled) positions = leader->rows;
  // The table that is followed may have had one row more, its last.
  while (!positions.empty() && positions.back() >= rows) positions.pop_back();
  return positions;
}

std::unique_ptr<SumNoise> NotingDrawer::batch_sums(const Mechanism& mechanism, NoiseDemand demand) {
  return std::make_unique<NotedSums>(bits(), mechanism, demand, Transcript::Kind::batch_sum, *transcript_);
}

std::unique_ptr<SumNoise> NotingDrawer::joint_sums(const JointGaussian& law) {
  return std::make_unique<NotedSums>(bits(), law.noise, law.draws, Transcript::Kind::joint, *transcript_);
}

}  // namespace sotto::audit
