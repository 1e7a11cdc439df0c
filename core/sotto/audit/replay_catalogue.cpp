// What: the sensitivity replay of every algorithm, loss and setting of the catalogues.
// Formula: the largest distance over its claim is at most 1; on the linear pair it is at least 0.99 (spec 9 a).
// Conditions: settings come from declared fields (audit/variants.h), pairs from spec 9 (audit/neighbours.h).
// Reference: spec 9; docs/audit.md.
// Fails if wrong: Replay.*, make mutants.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "sotto/audit/replay.h"
#include "sotto/audit/variants.h"
#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

constexpr std::uint64_t kRows = 9;  // 2 b + 1 for b = 4: the last row is alone in its batch (spec 9 c)
constexpr double kLoosest = 1.01;   // claim over distance on the tight pair: more noise than that is a defect too

/// Small numbers, so that a thousand settings take a second; 0 stays where 0 means "from the facts".
std::vector<double> numbers_for(std::string_view name) {
  if (name == "passes") return {2};
  if (name == "batch_rows") return {1, 4, 9};
  if (name == "radius") return {0, 0.3};
  if (name == "momentum") return {0, 0.5};
  if (name == "clip") return {0, 0.4};
  if (name == "splits") return {3};
  if (name == "step_candidates") return {4};
  if (name == "population") return {8};
  if (name == "parents") return {2};
  if (name == "rounds") return {2};
  return {};
}

/// Settings in which nothing bends the linear pair: no projection, no clipping below the loss's bound.
std::vector<double> straight_numbers_for(std::string_view name) {
  if (name == "radius" || name == "clip" || name == "momentum") return {0};
  return numbers_for(name);
}

struct Case {
  TrainRequest request;
  Plan plan;
};

std::optional<Case> plan_case(const TrainRequest& request, const Facts& facts) {
  try {
    Plan plan = make_plan(request.algorithm, {facts, request.problem, request.budget});
    if (!plan.not_private.empty()) return std::nullopt;  // it makes no claim
    return Case{request, std::move(plan)};
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal || e.kind() == ErrorKind::budget_exceeded) throw;
    return std::nullopt;  // refused: no claim either
  }
}

/// Calls it; false if the run was refused before anything was released.
template <class Act>
bool allowed(const Act& act) {
  try {
    act();
    return true;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported && e.kind() != ErrorKind::invalid_argument) throw;
    return false;
  }
}

bool is_sampled(const Plan& plan) {
  return std::any_of(plan.charges.begin(), plan.charges.end(),
                     [](const Charge& c) { return std::holds_alternative<PoissonSampledEvent>(c.event); });
}

/// What was found for one algorithm so far.
struct Record {
  std::uint64_t plans = 0, replays = 0;
  double worst = 0, loosest = 0;
  std::string worst_case, loosest_case;
};

class Walk {
 public:
  explicit Walk(const ReplayOptions& options) : options_(options) {}

  std::vector<Finding> all() {
    for_each_member<Algorithm>([&](auto tag) {
      using A = typename decltype(tag)::type;
      if (!options_.method.empty() && options_.method != A::kName) return;
      record_ = {};
      for_each_member<Loss>([&](auto loss) { walk<A>(Loss(typename decltype(loss)::type{})); });
      walk_tight<A>();
      report(A::kName);
    });
    return std::move(findings_);
  }

 private:
  /// Calls visit(request, classes, settings in words, number) for settings x lambda x delta x classes, spread evenly.
  template <class A, class Visit>
  void for_each_request(const Loss& loss, const FieldNumbers& numbers, const Visit& visit) const {
    const std::uint64_t total = 8 * variant_count<A>(numbers);
    for (std::uint64_t i = 0; i < std::min(options_.cases, total); ++i) {
      const std::uint64_t index = i * 2654435761U % total;  // a prime: every index once
      TrainRequest request;
      request.problem = {loss, index % 2 == 0 ? 0.05 : 0.0};
      request.budget = {2, index / 2 % 2 == 0 ? 1e-3 : 0.0};
      const A algorithm = variant_at<A>(index / 8, numbers);
      request.algorithm = algorithm;
      visit(request, index / 4 % 2 == 0 ? 2U : 3U,
            fmt::format("lambda={} delta={}{}", request.problem.lambda, request.budget.delta, settings_text(algorithm)),
            i);
    }
  }

  template <class A>
  void walk(const Loss& loss) {
    std::uint64_t sampled = 0;
    for_each_request<A>(
        loss, numbers_for,
        [&](const TrainRequest& request, std::uint32_t classes, const std::string& name, std::uint64_t i) {
          const auto one = plan_case(request, {kRows, kPairFeatures, 1.0, false, classes});
          if (!one || (is_sampled(one->plan) && ++sampled > options_.sampled_cases)) return;
          record_.plans += allowed([&] { check(*one, classes, i, std::string(name_of(loss)) + " " + name); });
        });
  }

  /// Three of the pairs, in turn, at three positions, fed dense or sparse in random orders.
  void check(const Case& one, std::uint32_t classes, std::uint64_t number, const std::string& name) {
    const std::vector<Pair>& pairs = pairs_for(classes);
    for (std::uint64_t i = 0; i < 3; ++i) {
      const Pair& pair = pairs[next_++ % pairs.size()];
      Feeding feeding{{shuffled_order(kRows, random_), shuffled_order(kRows, random_)},
                      4,
                      (number / 2 + next_) % 2 == 1};  // of the number alone it would go with lambda
      if (one.plan.order != RowOrder::fresh) feeding.orders.resize(1);
      note(replay({one.request, one.plan, feeding, next_}, pair).worst(), pair.name + ", " + name);
    }
  }

  void note(double worst, const std::string& name) {
    ++record_.replays;
    if (worst <= record_.worst) return;
    record_.worst = worst;
    record_.worst_case = name;
  }

  const std::vector<Pair>& pairs_for(std::uint32_t classes) {
    std::vector<Pair>& pairs = pairs_[classes];
    for (const std::size_t position : {std::size_t{0}, kRows / 2, kRows - 1}) {
      if (pairs.size() >= 30) break;
      for (Pair& pair : adversarial_pairs(kRows, position, position + classes, classes))
        pairs.push_back(std::move(pair));
    }
    return pairs;
  }

  /// The linear pair, the differing row in every batch, or in every pair of batches where each pass has its own order.
  template <class A>
  void walk_tight() {
    std::uint64_t sampled = 0;
    for_each_request<A>(
        HuberSvm{0.1}, straight_numbers_for,
        [&](const TrainRequest& request, std::uint32_t classes, const std::string& name, std::uint64_t) {
          if (classes != 2) return;
          const auto one = plan_case(request, {kRows, 1, kLinearNorm, false, 2});
          if (!one || (is_sampled(one->plan) && ++sampled > options_.sampled_cases)) return;
          allowed([&] { check_tight(*one, name); });
        });
  }

  void check_tight(const Case& one, const std::string& name) {
    const Pair pair = linear_pair(kRows, 0, kLinearNorm);
    const std::size_t places = one.plan.order == RowOrder::fresh ? kRows : 1;
    double largest = 0, choices = 0;
    for (std::size_t first = 0; first < kRows; ++first) {
      for (std::size_t second = 0; second < places; ++second) {
        Feeding feeding{{order_with(stored_order(kRows), 0, first)}, 4, false};
        if (places > 1) feeding.orders.push_back(order_with(stored_order(kRows), 0, second));
        const Apart apart = replay({one.request, one.plan, feeding, 1}, pair);
        note(apart.worst(), "linear, " + name);
        largest = std::max(largest, apart.ratio);
        choices = std::max(choices, apart.choices);
      }
    }
    // A hidden state is judged by the game: its claim is not a distance. A choice alone is judged by its range.
    const bool hidden = one.plan.noise_at == NoiseAt::each_step;
    const double reached = one.plan.noise_at == NoiseAt::choice ? choices : largest;
    if (hidden || 1 / reached <= record_.loosest) return;
    record_.loosest = 1 / reached;
    record_.loosest_case = name;
  }

  void report(std::string_view name) {
    if (record_.plans == 0) return;
    findings_.push_back(
        {"replay", std::string(name), "distance over claim", 1, record_.worst,
         fmt::format("{} plans, {} replays; largest on {}", record_.plans, record_.replays, record_.worst_case)});
    if (record_.loosest == 0) return;
    findings_.push_back({"tightness", std::string(name), "claim over distance", kLoosest, record_.loosest,
                         "linear pair, worst position; loosest with " + record_.loosest_case});
  }

  const ReplayOptions& options_;
  std::mt19937_64 random_{20130512};
  std::uint64_t next_ = 0;
  std::map<std::uint32_t, std::vector<Pair>> pairs_;
  Record record_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> replay_catalogue(const ReplayOptions& options) { return Walk(options).all(); }

}  // namespace sotto::audit
