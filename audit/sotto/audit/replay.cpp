// What: two runs on neighbours along the same path, compared release by release.
// Formula: |f_t(S) - f_t(S')| <= Delta for every release t; a joint sequence: (sum_t |.|^2)^(1/2) <= Delta; a batch sum
//   of Poisson coins: <= 2 Delta (replace_one); a choice: max_i - min_i of score gaps <= R; a minimiser: gradient gap
//   of the rows at it <= the corner, and its terms (audit/minimiser_replay.h); parts of a pass: at most `times`
//   releases differ. A hidden state, linear: |sum_t c^(T-t) s_t| / (sum_t c^(2T-2t))^(1/2) <= Delta. Cost: each event's
//   share of its gap.
// Conditions: the second run follows the first (transcript.h), so outputs are equal and secrets comparable.
// Reference: spec 9; docs/audit.md.
// Fails if wrong: Replay.* (halved claims are exceeded), make mutants.
#include "sotto/audit/replay.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "sotto/data/clip.h"

namespace sotto::audit {
namespace {

constexpr double kRounding = 1 + 1e-9;  // of the comparison itself

/// max_i - min_i of the gaps between two score vectors.
double range_of_gaps(const Vector& a, const Vector& b) {
  double low = a[0] - b[0], high = low;
  for (std::size_t i = 0; i < a.size(); ++i) {
    low = std::min(low, a[i] - b[i]);
    high = std::max(high, a[i] - b[i]);
  }
  return high - low;
}

/// The rows as they are after a projection, clipped.
Table images(const Table& rows, const Projection& map) {
  const Facts facts = rows.facts();
  Table mapped(rows.size(), map.output_features(), facts.data_norm, facts.classes);
  std::vector<std::uint32_t> columns(facts.features);
  std::iota(columns.begin(), columns.end(), 0U);
  Vector image(map.output_features());
  std::vector<float> clipped(image.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows.row(i);
    map.mix(columns, row.x, image);
    clip_and_store(image, facts.data_norm, clipped);
    mapped.set(i, {{clipped.begin(), clipped.end()}, row.label});
  }
  return mapped;
}

class Comparison {
 public:
  Comparison(const Replay& how, const Pair& pair) : how_(how), pair_(pair) {}

  Apart of(const NotedRun& first, const NotedRun& second) {
    const auto& a = first.transcript.entries;
    const auto& b = second.transcript.entries;
    apart_.same_path = a.size() == b.size();
    apart_.same_end = first.weights == second.weights;
    for (std::size_t t = 0; t < std::min(a.size(), b.size()); ++t) {
      apart_.same_path = apart_.same_path && a[t].kind == b[t].kind && a[t].secret.size() == b[t].secret.size();
      if (apart_.same_path) add(a[t], b[t]);
    }
    // The parts of one charge are disjoint: a row is in one of them each time.
    const Charge* charge = how_.plan.charges.size() == 1 ? &how_.plan.charges.front() : nullptr;
    if (charge != nullptr && charge->parts > 1 && differing_ > 0) {
      apart_.differing = differing_ / static_cast<double>(charge->times);
    }
    if (joint_ > 0) note_ratio(a.front().event, std::sqrt(joint_));
    if (!a.empty() && a.front().kind == Transcript::Kind::joint) add_joint(a, b);
    return apart_;
  }

 private:
  using Entries = std::vector<Transcript::Entry>;

  void add(const Transcript::Entry& a, const Transcript::Entry& b) {
    if (a.kind == Transcript::Kind::choice) {
      const double range = range_of_gaps(a.secret, b.secret) / a.sensitivity;
      apart_.choices = std::max(apart_.choices, range);
      return add_cost(a.event, range);
    }
    if (a.kind == Transcript::Kind::minimiser) return add_minimiser(a, b);
    const double both = a.kind == Transcript::Kind::sampled && !pair_.removed ? 2 : 1;
    double ratio = distance(a.secret, b.secret) / (both * a.sensitivity);
    if (std::isnan(ratio)) ratio = HUGE_VAL;
    differing_ += ratio > 0;
    if (a.kind == Transcript::Kind::sampled) apart_.priced = false;
    if (a.kind == Transcript::Kind::joint && leaves()) {
      joint_ += ratio * ratio;
    } else {
      note_ratio(a.event, ratio);
      if (a.kind != Transcript::Kind::joint) add_cost(a.event, ratio);
    }
  }

  void note_ratio(const Event& event, double ratio) {
    apart_.ratio = std::max(apart_.ratio, ratio);
    const std::string text = event_text(event);
    apart_.last = text == last_event_ ? std::max(apart_.last, ratio) : ratio;
    last_event_ = text;
  }

  /// What a release costs whose neighbours are this share of their claim apart: its parameter shrinks with it.
  void add_cost(const Event& event, double share) {
    if (share == 0) return;
    std::vector<tiny::Line> lines = tiny::read(event_text(event));
    for (tiny::Line& line : lines) {
      for (auto& [name, value] : line.numbers) value *= name == "rho" ? share * share : share;
    }
    apart_.cost += tiny::add_up(lines);
  }

  /// All that was noised of a sequence, or the last iterate of a hidden state.
  void add_joint(const Entries& a, const Entries& b) {
    if (leaves()) return add_cost(a.front().event, std::sqrt(joint_));
    apart_.hidden = hidden_shift(a, b);
    if (apart_.hidden > 0) return add_cost(a.front().event, apart_.hidden);
    apart_.priced = false;
  }

  /// In one dimension, where the tables mirror each other and the loss is linear, half of the sum of what neighbours
  /// noise is c times the weight before it: so c is read from the run.
  double hidden_shift(const Entries& a, const Entries& b) const {
    if (pair_.name != "linear" || a.front().secret.size() != 1) return 0;
    double shift = 0, variance = 0;
    for (std::size_t t = 0; t < std::min(a.size(), b.size()); ++t) {
      const double c = t == 0 ? 0 : (a[t].secret[0] + b[t].secret[0]) / 2 / a[t - 1].released[0];
      shift = c * shift + (a[t].secret[0] - b[t].secret[0]);
      variance = c * c * variance + 1;
    }
    return std::abs(shift) / std::sqrt(variance) / a.front().sensitivity;
  }

  void add_minimiser(const Transcript::Entry& a, const Transcript::Entry& b) {
    const auto [loss, pair] = seen();
    const Facts facts = pair.first.facts();
    const Vector here = row_gradient(loss, facts, pair.first.row(pair.position), a.secret);
    Vector there(here.size(), 0.0);
    if (!pair.removed) there = row_gradient(loss, facts, pair.second.row(pair.position), a.secret);
    note_ratio(a.event, distance(here, there) / a.sensitivity);
    apart_.priced = false;
    // The certificate's share is no distance: with one it would look tight whatever the corner.
    apart_.residual = std::max(
        {apart_.residual, residual_of(a, loss, pair.first), residual_of(b, loss, pair.second), certificate_share(a)});
    apart_.jacobian = std::max(apart_.jacobian, jacobian_share(a, loss, pair));
  }

  /// What was minimised, over which rows.
  struct Seen {
    Loss loss;
    Pair pair;
  };
  Seen seen() const {
    const Work& work = how_.plan.work;
    const Loss& loss = std::get<MinimiserWork>(work.way).loss;
    if (!work.projection) return {loss, pair_};
    const Projection map = projection_of(*work.projection, work.rows.facts.features);
    return {loss, {pair_.name, pair_.position, images(pair_.first, map), images(pair_.second, map), pair_.removed}};
  }

  bool leaves() const { return how_.plan.guarantee.released == "all iterates"; }

  const Replay& how_;
  const Pair& pair_;
  Apart apart_;
  double differing_ = 0, joint_ = 0;
  std::string last_event_;
};

}  // namespace

double Apart::worst() const noexcept {
  if (!same_path || !same_end) return HUGE_VAL;
  return std::max({ratio, choices, differing, residual, jacobian, hidden}) / kRounding;
}

double Apart::cost_over(double epsilon, double delta) const {
  if (!priced) return 0;
  double best = std::isfinite(cost.epsilon) && cost.delta <= delta ? cost.epsilon / epsilon : HUGE_VAL;
  if (delta > 0 && cost.mu_squared > 0 && std::isfinite(cost.mu_squared)) {
    best = std::min(best, tiny::gaussian_delta(std::sqrt(cost.mu_squared), epsilon) / delta);
  } else if (delta > 0 && cost.rho > 0 && std::isfinite(cost.rho)) {
    best = std::min(best, tiny::zcdp_delta(cost.rho, epsilon) / delta);
  }
  if (delta > 0) best = std::min(best, tiny::mixed_delta(cost, epsilon) / delta);
  return best / (1 + 1e-6);
}

std::unique_ptr<Engine> Replay::engine(const Pair& pair, bool second) const {
  if (stored != nullptr && request.personal) return stored->table(second).open_as_asked();  // weights are by position
  if (stored != nullptr) return stored->table(second).open();
  return std::make_unique<TableEngine>(second ? pair.second : pair.first, feeding);
}

NotedRun noted_run(const PlannedRequest& planned, Engine& engine, BitSource& bits, const Transcript* follow) {
  NotedRun run;
  run.transcript.follow = follow;
  NotingDrawer drawer(bits, run.transcript);
  Curator curator(drawer);
  run.weights = train(engine, planned.request, planned.plan, curator).weights;
  return run;
}

Apart replay(const Replay& how, const Pair& pair) {
  BitSource bits(ReproducibleSeed{how.seed});
  const NotedRun first = noted_run({how.request, how.plan}, *how.engine(pair, false), bits);
  const NotedRun second = noted_run({how.request, how.plan}, *how.engine(pair, true), bits, &first.transcript);
  return compare(how, pair, first, second);
}

Apart compare(const Replay& how, const Pair& pair, const NotedRun& first, const NotedRun& second) {
  return Comparison(how, pair).of(first, second);
}

bool same_unnoted(const Replay& how, const Pair& pair) {
  BitSource bits(ReproducibleSeed{how.seed}), again(ReproducibleSeed{how.seed});
  const NotedRun noted = noted_run({how.request, how.plan}, *how.engine(pair, false), bits);
  Curator curator(again);
  const Vector plain = train(*how.engine(pair, false), how.request, how.plan, curator).weights;
  return std::ranges::equal(noted.weights, plain, [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  });
}

}  // namespace sotto::audit
