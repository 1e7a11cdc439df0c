// What: the sensitivity replay of every method, loss and setting of the catalogues, with every engine.
// Formula: the largest distance over its claim is at most 1, and so is the cost of all distances over the promise; on
//   the linear pair the distance is at least 0.99 (spec 9 a).
// Conditions: settings come from declared fields (audit/variants.h), pairs from spec 9 (audit/neighbours.h).
// Reference: spec 9; docs/audit.md.
// Fails if wrong: Replay.*, make mutants.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

#include "sotto/audit/replay.h"
#include "sotto/audit/replay_settings.h"

namespace sotto::audit {
namespace {

constexpr double kLoosest = 1.01;  // claim over distance on the tight pair: more noise than that is a defect too
constexpr std::uint64_t kLargeRows = 1000001;  // above the largest benchmark (spec 9 k)
constexpr std::uint32_t kWideFeatures = 33;    // so many that ten are a projection of them
constexpr std::uint64_t kStreamRows = 1203;    // enough batches of four for a thread that draws ahead

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

/// The largest of many numbers, and where it was.
struct Largest {
  double value = 0;
  std::string where;
  std::uint64_t count = 0;
  void note(double seen, const std::string& name) {
    ++count;
    if (std::isnan(value) || seen <= value) return;  // a NaN is noted and stays
    value = seen;
    where = name;
  }
};

/// What was found for one method so far.
struct Record {
  std::uint64_t plans = 0;
  Largest apart, cost, loose, personal, unlike;
  std::map<Feeder, std::uint64_t> fed;
};

/// Pairs and their stored forms, made once.
class PairShelf {
 public:
  using Key = std::tuple<std::uint32_t, bool>;  // classes, removed
  const std::vector<Pair>& pairs(std::uint32_t classes, bool removed) {
    std::vector<Pair>& pairs = pairs_[{classes, removed}];
    if (!pairs.empty()) return pairs;
    if (removed) return pairs = removed_pairs(kReplayRows, classes, classes);
    for (const std::size_t position : {std::size_t{0}, kReplayRows / 2, kReplayRows - 1}) {
      for (Pair& pair : adversarial_pairs(kReplayRows, position, position + classes, classes))
        pairs.push_back(std::move(pair));
    }
    return pairs;
  }
  const StoredPair* stored(const Pair& pair, Feeder feeder, bool sparse) {
    if (feeder == Feeder::table) return nullptr;
    const auto key = std::tuple(&pair, feeder, sparse);
    return &stored_.try_emplace(key, pair, feeder, sparse).first->second;
  }

 private:
  std::map<Key, std::vector<Pair>> pairs_;
  std::map<std::tuple<const Pair*, Feeder, bool>, StoredPair> stored_;
};

/// Steps that are chosen, not given, cannot be kept where a loss is linear; the solvers that may be chosen are looked
/// at under their own names.
bool leaves_the_linear_part(const AuditedMethod& method) { return method.name == Auto::kName; }

/// So many that the image of a row is as long as it may be, whatever the noise of the moments.
std::uint64_t tight_rows(const AuditedMethod& method) { return method.name == WhitenedDpgd::kName ? 901 : kReplayRows; }

/// Where the bound at small weights is met by the first step, from 0, also for losses without a linear part.
bool is_tight_at_zero(const AuditedMethod& method) {
  return method.name == Dpgd::kName || method.name == WhitenedDpgd::kName;
}

bool has_linear_part(const Loss& loss) {
  return std::holds_alternative<HuberSvm>(loss) || std::holds_alternative<Hinge>(loss);
}

/// Whether every step of a descent reads all rows. Of cyclic batches the bound on a hidden state is for losses that are
/// curved in between, which forget the noise of earlier steps; the linear pair keeps it, so that it is not the worst.
bool scans_all(const ReplayCase& one, std::uint64_t rows) {
  const auto* descent = std::get_if<Dpgd>(&one.request.method);
  return descent != nullptr && (descent->batch_rows == 0 || descent->batch_rows >= rows);
}

class Walk {
 public:
  explicit Walk(const ReplayOptions& options) : options_(options) {}

  std::vector<Finding> all() {
    for (const AuditedMethod& method : audited_methods(options_.method)) walk(method);
    return std::move(findings_);
  }

 private:
  void walk(const AuditedMethod& method) {
    for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
      record_ = {};
      std::string refusal;
      std::uint64_t offset = 0;
      for (const std::string_view loss : names<Loss>()) {
        Selection selection{make_by_name<Loss>(loss, "loss"), relation, options_.cases, options_.sampled_cases};
        selection.offset = offset;
        offset += options_.cases;
        const std::string why = for_each_case(method, selection, [&](const ReplayCase& one) { check(one); });
        if (refusal.empty()) refusal = why;
      }
      for (const std::string_view loss : names<Loss>()) walk_tight(method, relation, loss);
      check_wide(method, relation);
      if (relation == Relation::replace_one) check_large(method);
      report(relation == Relation::replace_one ? method.name : method.name + ", add_remove", refusal);
    }
  }

  void walk_tight(const AuditedMethod& method, Relation relation, std::string_view name) {
    const Loss loss = make_by_name<Loss>(name, "loss");
    if (leaves_the_linear_part(method) || !(has_linear_part(loss) || is_tight_at_zero(method))) return;
    const bool huber = std::holds_alternative<HuberSvm>(loss);  // every method's, and others a few times
    Selection straight{loss, relation, huber ? options_.cases : options_.cases / 4, options_.sampled_cases, true};
    straight.rows = tight_rows(method);
    for_each_case(method, straight, [&](const ReplayCase& one) {
      if (!has_linear_part(loss) && one.plan.noise_at == NoiseAt::each_step) return;  // the shift is of linear losses
      allowed([&] { check_tight(one, straight.rows); });
    });
  }

  void check(const ReplayCase& one) {
    record_.plans += allowed([&] { check_pairs(one); });
    const Pair& pair = next_pair(one);
    if (pair.removed || !(one.plan.weighted_share > 0)) return;
    allowed([&] { check_personal(one, pair, *shelf_.stored(pair, Feeder::in_memory, false)); });
  }

  const Pair& next_pair(const ReplayCase& one) {
    const std::vector<Pair>& pairs = shelf_.pairs(one.classes, one.request.budget.relation == Relation::add_remove);
    return pairs[next_++ % pairs.size()];
  }

  /// Three of the pairs, in turn, one with every engine, dense or sparse in random orders; the product's own kernels
  /// beside those that take notes.
  void check_pairs(const ReplayCase& one) {
    std::optional<Plan> for_sparse;
    for (const auto& [name, feeder] : enum_names(Feeder{})) {
      const Pair& pair = next_pair(one);
      // Rows are packed in another order when one is missing, and samples are by position.
      if (feeder == Feeder::out_of_core && pair.removed && is_sampled(one.plan)) continue;
      const bool sparse = (one.number / 2 + next_) % 2 == 1;  // of the number alone it would go with lambda
      TrainRequest request = one.request;
      request.order_seed = next_;
      if (sparse && !for_sparse) for_sparse = plan_of(request, sparse_facts(one));
      const Plan& plan = sparse ? *for_sparse : one.plan;
      const Replay how{request, plan, feeding_for(one, pair, sparse), next_, shelf_.stored(pair, feeder, sparse)};
      note(how, pair, one.name);
      ++record_.fed[feeder];
      if (feeder != Feeder::table) record_.unlike.note(same_unnoted(how, pair) ? 0 : 1, one.name);
    }
  }

  static Facts sparse_facts(const ReplayCase& one) {
    Facts facts = one.plan.work.rows.facts;
    facts.rows = kReplayRows;
    facts.sparse = true;
    return facts;
  }

  Feeding feeding_for(const ReplayCase& one, const Pair& pair, bool sparse) {
    if (pair.removed) return {{}, 4, sparse};
    Feeding feeding{{shuffled_order(kReplayRows, random_), shuffled_order(kReplayRows, random_)}, 4, sparse};
    if (order_of(one.plan) != RowOrder::fresh) feeding.orders.resize(1);
    return feeding;
  }

  Apart note(const Replay& how, const Pair& pair, const std::string& name) {
    const Apart apart = replay(how, pair);
    record_.apart.note(apart.worst(), pair.name + ", " + name);
    const Guarantee& promised = how.plan.guarantee;
    if (apart.priced) record_.cost.note(apart.cost_over(promised.epsilon, promised.delta), pair.name + ", " + name);
    return apart;
  }

  /// The row that differs is at a position that was promised a quarter of the budget.
  void check_personal(const ReplayCase& one, const Pair& pair, const StoredPair& stored) {
    // It draws the order of its rows anew in every run: two of them cannot be compared by position.
    if (std::holds_alternative<Correlated>(one.request.method) && order_of(one.plan) != RowOrder::stored) return;
    std::vector<double> epsilons(pair.first.size(), one.request.budget.epsilon);
    epsilons[pair.position] /= 4;
    TrainRequest request = one.request;
    request.personal = personal_epsilons(epsilons);
    request.order_seed = next_;
    Plan plan = one.plan;
    apply_personal(plan, *request.personal, {pair.first.facts(), request.problem, request.budget});
    const PersonalClass& promised = plan.personal.back();
    const Replay how{request, plan, {}, next_, &stored};
    const Apart apart = replay(how, pair);
    double over = apart.cost_over(promised.epsilon, promised.delta);
    if (std::holds_alternative<PoissonSampledEvent>(plan.charges.front().event)) {
      // Sampled rows cost no sum of what each step costs: how far a step is moved is compared with its share.
      const NoiseBase& noise = base_of(plan.noise->mechanism);
      const double share = promised.weight * plan.weighted_share + 1 - plan.weighted_share;
      over = apart.ratio * noise.sensitivity / (share * noise.grid.sensitivity);
    }
    record_.personal.note(over, pair.name + ", " + one.name);
  }

  /// The linear pair, the differing row in every batch, or in every pair of batches where each pass has its own order;
  /// with more classes the reflected pair too.
  void check_tight(const ReplayCase& one, std::uint64_t rows) {
    const bool removed = one.request.budget.relation == Relation::add_remove;
    const Facts facts = linear_facts(rows, one.classes);
    std::vector<Pair> pairs = {removed ? linear_removal(facts) : linear_pair(facts, 0)};
    if (!removed && one.classes > 2) pairs.push_back(reflected_pair(facts, 0));
    Apart largest;
    for (const Pair& pair : pairs) note_places(one, pair, largest);
    const bool hidden = one.plan.noise_at == NoiseAt::each_step;
    if (hidden && (removed || one.classes > 2)) return;  // its shift is read from one weight and tables that mirror
    if (hidden && !scans_all(one, rows)) return;
    const double reached = hidden                                 ? largest.hidden
                           : one.plan.noise_at == NoiseAt::choice ? largest.choices
                                                                  : largest.last;
    record_.loose.note(1 / reached, one.name);
    if (!removed && one.plan.weighted_share > 0) {
      check_personal(one, pairs.front(), {pairs.front(), Feeder::in_memory});
    }
  }

  void note_places(const ReplayCase& one, const Pair& pair, Apart& largest) {
    const std::size_t rows = pair.first.size();
    const bool any = pair.removed || one.plan.noise_at == NoiseAt::each_scan;  // all places are alike
    const std::size_t firsts = any ? 1 : rows, seconds = order_of(one.plan) == RowOrder::fresh ? rows : 1;
    for (std::size_t first = 0; first < firsts; ++first) {
      for (std::size_t second = 0; second < seconds; ++second) {
        Feeding feeding;
        if (!pair.removed) feeding.orders.push_back(order_with(stored_order(rows), 0, first));
        if (seconds > 1) feeding.orders.push_back(order_with(stored_order(rows), 0, second));
        // Now and then a row is in no sampled batch: other coins have it in one.
        const std::uint64_t coins = is_sampled(one.plan) ? 8 : 1;
        for (std::uint64_t seed = 1; seed <= coins; ++seed) {
          const Apart apart = note({one.request, one.plan, feeding, seed}, pair, one.name);
          largest.hidden = std::max(largest.hidden, apart.hidden);
          largest.last = std::max(largest.last, apart.last);
          largest.choices = std::max(largest.choices, apart.choices);
        }
      }
    }
  }

  /// Rows of many features, without delta, where `auto` projects them.
  void check_wide(const AuditedMethod& method, Relation relation) {
    Selection selection;
    selection.relation = relation;
    TrainRequest request;
    request.budget = {1, 0, relation};
    request.method =
        method.plain([&](std::string_view name, double standard) { return replay_numbers(name, standard, selection); });
    for (const std::uint32_t classes : {2U, 3U}) {
      const Facts facts{kReplayRows, kWideFeatures, 1.0, false, classes};
      for (const std::string_view loss : names<Loss>()) {
        request.problem = {make_by_name<Loss>(loss, "loss"), 0};
        std::string why;
        const auto plan = plan_if_taken(request, facts, why);
        if (!plan) continue;
        for (const Pair& pair : wide_pairs(facts, relation == Relation::add_remove, next_++)) {
          allowed([&] {
            note({request, *plan, {}, next_}, pair, fmt::format("{} features, {}", kWideFeatures, loss));
          });
        }
      }
    }
  }

  /// A million rows in a few batches, the row that differs in the last: what rounding adds is paid for. And a few
  /// hundred batches of a thousand rows of many features, for kernels and threads.
  void check_large(const AuditedMethod& method) {
    const auto numbers = [](double batch) {
      return [batch](std::string_view name, double standard) -> std::vector<double> {
        if (name == "batch_rows") return {batch};
        if (name == "passes") return {1};
        return replay_numbers(name, standard, Selection{.straight = true});
      };
    };
    std::string why;
    TrainRequest request;
    request.problem = {HuberSvm{0.1}, 0.05};
    request.budget = {2, 1e-3};
    request.order_seed = 1;
    request.method = method.plain(numbers(100000));
    if (const auto plan = plan_if_taken(request, linear_facts(kLargeRows), why)) {
      const Pair pair = linear_pair(linear_facts(kLargeRows), kLargeRows - 1);
      const StoredPair stored(pair, Feeder::in_memory);
      allowed([&] { note({request, *plan, {}, 1, &stored}, pair, fmt::format("{} rows", kLargeRows)); });
    }
    request.problem = {Logistic{}, 0.05};
    for (const double batch : {1.0, 4.0}) {
      request.method = method.plain(numbers(batch));
      const Facts facts{kStreamRows, 17, 1.0, false};
      const auto plan = plan_if_taken(request, facts, why);
      if (!plan || plan->noise_at != NoiseAt::each_batch) continue;
      const Pair pair = linear_pair(facts, 3);
      const StoredPair stored(pair, Feeder::in_memory);
      allowed([&] {
        record_.unlike.note(same_unnoted({request, *plan, {}, 1, &stored}, pair) ? 0 : 1,
                            fmt::format("{} rows, batches of {}", kStreamRows, batch));
      });
    }
  }

  void report(const std::string& name, const std::string& refusal) {
    if (record_.plans == 0) {
      if (!makes_no_claim(refusal)) findings_.push_back(not_tested("replay", name, refusal));
      return;
    }
    add(name, "distance over claim", record_.apart, 1,
        fmt::format("{} plans; rows fed in memory {} times, from a block file {}", record_.plans,
                    record_.fed[Feeder::in_memory], record_.fed[Feeder::out_of_core]));
    if (record_.cost.count > 0) {
      add(name, "cost over promise", record_.cost, 1, "every distance by its share of its event, added up");
    } else {
      findings_.push_back(not_tested("replay", name, "cost over promise: distances alone do not price its releases"));
    }
    if (record_.personal.count > 0)
      add(name + ", personal", "cost over promise", record_.personal, 1, "rows promised a quarter of the budget");
    add(name, "runs that differ by a bit", record_.unlike, 0, "the product's kernels and those that take notes");
    if (record_.loose.count > 0) {
      add(name, "claim over distance", record_.loose, kLoosest, "linear pair, worst position");
      findings_.back().check = "tightness";
    } else {
      findings_.push_back(
          not_tested("tightness", name, "its steps are not on a part where the loss is linear and bounds are met"));
    }
  }

  void add(const std::string& name, const char* quantity, const Largest& largest, double claim,
           const std::string& evidence) {
    const std::string where = largest.where.empty() ? "" : "; largest on " + largest.where;
    findings_.push_back({"replay", name, quantity, claim, largest.value,
                         fmt::format("{} replays, {}{}", largest.count, evidence, where)});
  }

  const ReplayOptions& options_;
  std::mt19937_64 random_{20130512};
  std::uint64_t next_ = 0;
  PairShelf shelf_;
  Record record_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> replay_catalogue(const ReplayOptions& options) { return Walk(options).all(); }

}  // namespace sotto::audit
