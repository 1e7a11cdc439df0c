#include "sotto/train.h"

#include <algorithm>
#include <exception>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/sha256.h"
#include "sotto/data/schema_json.h"
#include "sotto/engines/weighted.h"
#include "sotto/methods/auto_descent.h"
#include "sotto/methods/interval_release.h"
#include "sotto/optim/psgd.h"
#include "sotto/privacy/curator.h"

namespace sotto {
namespace {

/// Joins the hook of the aggregate to the curator's noise.
class CuratedNoise final : public StepNoise {
 public:
  explicit CuratedNoise(NoisySums sums) : sums_(std::move(sums)) {}
  void perturb(std::span<double> batch_sum) noexcept override { sums_.perturb(batch_sum); }
  void step(double decay, double size, std::span<double> batch_sum, std::span<double> weights) noexcept override {
    sums_.step(decay, size, batch_sum, weights);
  }
  void step_row(double decay, double size, const kernels::RowTerm& row, std::span<double> weights) noexcept override {
    sums_.step_row(decay, size, row, weights);
  }
  const NoisySums& sums() const noexcept { return sums_; }

 private:
  NoisySums sums_;
};

/// Passes rows on and reports how many went by.
class ProgressMeter final : public RowConsumer {
 public:
  ProgressMeter(RowConsumer& next, double total_rows, const std::function<void(double)>& report)
      : next_(next), total_rows_(total_rows), report_(report) {}
  void consume(const RowBlock& block) noexcept override {
    // Once the report has thrown nothing of this run is used any more.
    for (std::size_t first = 0; first < block.rows && !thrown_; first += kReportRows) {
      const std::size_t count = std::min(kReportRows, block.rows - first);
      next_.consume(block.slice(first, count));
      rows_ += static_cast<double>(count);
      tell();
    }
  }
  /// Throws what the report threw; rows must be consumed without throwing.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  void tell() noexcept {
    if (thrown_) return;
    try {
      report_(rows_ / total_rows_);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  static constexpr std::size_t kReportRows = 65536;
  RowConsumer& next_;
  double total_rows_;
  const std::function<void(double)>& report_;
  double rows_ = 0;
  std::exception_ptr thrown_;
};

/// The sensitivity rests on every pass visiting every row once, so that is checked by count after each.
void run_passes(Engine& engine, const Plan& plan, const TrainRequest& request, Psgd& psgd) {
  const ScanOrder order = scan_order(plan.order, engine, request.order_seed);
  const double total_rows = static_cast<double>(engine.facts().rows) * plan.recipe.passes;
  const std::function<void(double)> silent = [](double) {};
  const std::function<void(double)>& report = request.progress ? request.progress : silent;
  ProgressMeter meter(psgd, total_rows, report);
  const std::uint64_t per_pass = plan.recipe.steps_per_pass(engine.facts().rows);
  for (std::uint32_t pass = 0; pass < plan.recipe.passes; ++pass) {
    engine.scan(order, pass, meter);
    meter.rethrow();
    if (psgd.steps_done() != (pass + std::uint64_t{1}) * per_pass) {
      throw Error(ErrorKind::internal, "the engine did not feed as many rows as its facts say");
    }
  }
}

Vector run_recipe(Engine& engine, const Plan& plan, const TrainRequest& request, Curator& curator) {
  std::optional<CuratedNoise> step_noise;
  if (plan.noise_at == NoiseAt::each_batch) {
    step_noise.emplace(
        curator.step_noise(plan.noise->mechanism, {plan.charges.front().draws(), plan.recipe.batch_rows}));
  }
  Psgd psgd(plan.recipe, engine.facts(), step_noise ? &*step_noise : nullptr);
  run_passes(engine, plan, request, psgd);
  Sensitive<Vector> secret = std::move(psgd).finish();
  if (plan.noise_at == NoiseAt::release) return curator.release(std::move(secret), plan.noise->mechanism);
  if (step_noise) return curator.release_post_processed(std::move(secret), step_noise->sums());
  return curator.release_unprotected(std::move(secret));
}

/// What left: the weights, how scores become odds, and what intervals are made of where the plan has it.
struct Result {
  Vector weights;
  Link link{};
  std::optional<WeightUncertainty> uncertainty{};
};

/// What a plan makes of the rows, released through the curator.
Result run_rows(Engine& engine, const Plan& plan, const TrainRequest& request, Curator& curator) {
  const PlanInput input = plan_input(request, engine.facts());
  const std::function<void(double)> silent = [](double) {};
  Result result;
  const Run run{engine, curator, input, request.progress ? request.progress : silent, request.order_seed, &result.link};
  result.weights = std::visit(
      [&]<class A>(const A& method) {
        if constexpr (Solver<A>) {
          return method.run(run);
        } else {
          return run_recipe(engine, plan, request, curator);
        }
      },
      request.method);
  if (plan.intervals) {
    const Vector moments = release_moments(run, *plan.intervals, result.weights);
    result.uncertainty = weight_uncertainty(moments, *plan.intervals, input.facts.features);
  }
  return result;
}

Result run_plan(Engine& engine, const Plan& plan, const TrainRequest& request, Curator& curator) {
  if (!request.personal) return run_rows(engine, plan, request, curator);
  std::vector<float> weights;
  weights.reserve(request.personal->level_of.size());
  for (const std::uint8_t level : request.personal->level_of) weights.push_back(plan.personal[level].weight);
  WeightedEngine weighted(engine, std::move(weights));
  return run_rows(weighted, plan, request, curator);
}

Model make_model(Result result, const Plan& plan, const TrainRequest& request, const PlanInput& input) {
  Model model;
  model.weights = std::move(result.weights);
  model.link = result.link;
  model.uncertainty = std::move(result.uncertainty);
  model.loss = name_of(request.problem.loss);
  model.encoding = request.encoding;
  model.card = make_card(plan, request.method, input);
  if (request.bounds_cost) add_bounds_cost(model.card, *request.bounds_cost);
  return model;
}

void stamp(Curator& curator, const Plan& plan, const TrainRequest& request) {
  for (const std::string& why : plan.not_private) curator.stamp(why);
  for (const std::string& why : request.not_private) curator.stamp(why);
}

template <class T>
void add_fields(Sha256& hash, const T& object) {
  for_each_field_deep(object, [&](std::string_view name, const auto& value, std::string_view) {
    hash.add_text(name);
    hash.add_text(value_text(value));
  });
}

}  // namespace

void take_schema(TrainRequest& request, const Schema& schema) {
  Schema travels = schema;
  travels.labels_file.clear();  // it belongs to these rows, and a model is for others
  request.encoding = to_json(travels);
  request.bounds_cost = schema.bounds_cost;
  if (schema.bounds_from_data) request.not_private.emplace_back("bounds were taken from the rows, not declared");
}

PlanInput plan_input(const TrainRequest& request, const Facts& facts) {
  return {facts, request.problem, request.budget.within_reach(), request.personal.has_value()};
}

Plan plan_of(const TrainRequest& request, const PlanInput& input) {
  Plan plan = make_plan(request.method, input);
  if (request.personal) apply_personal(plan, *request.personal, input);
  return plan;
}

void check_bounds_cost(const TrainRequest& request) {
  if (!request.bounds_cost) return;
  require(request.bounds_cost->relation == enum_name(request.budget.relation), "relation",
          "must be the one the bounds of the data were found under");
}

std::string digest_of(const TrainRequest& request, const PlanInput& input, const LedgerTerms& terms) {
  Sha256 hash;
  hash.add_text("sotto request 1");
  hash.add_text(terms.data_tag);
  hash.add_text(request.encoding);
  hash.add_number(input.facts.rows);
  hash.add_number(input.facts.features);
  hash.add_text(number_text(input.facts.data_norm));
  hash.add_number(input.facts.classes);
  add_fields(hash, request.problem);
  hash.add_text(name_of(request.method));
  std::visit([&](const auto& method) { add_fields(hash, method); }, request.method);
  add_fields(hash, request.budget);
  if (request.personal) {
    hash.add_text("personal_epsilons");
    // Two files packed from the same data have equal tags and different positions.
    hash.add_text(request.personal->block_file ? std::to_string(*request.personal->block_file) : "none");
    for (const std::uint8_t level : request.personal->level_of) {
      hash.add_text(number_text(request.personal->levels[level]));
    }
  }
  hash.add_text(request.order_seed ? std::to_string(*request.order_seed) : "none");
  return hex_of(hash.finish());
}

Model train(Engine& engine, const TrainRequest& request, BitSource& bits) {
  Curator curator(bits);
  return train(engine, request, curator);
}

Model train(Engine& engine, const TrainRequest& request, Curator& curator) {
  check_bounds_cost(request);
  const PlanInput input = plan_input(request, engine.facts());
  Plan plan = plan_of(request, input);
  stamp(curator, plan, request);
  for (const Charge& charge : plan.charges) curator.charge(charge);
  Result result = run_plan(engine, plan, request, curator);
  engine.require_unchanged();
  plan.not_private = curator.stamps();
  return make_model(std::move(result), plan, request, input);
}

void refuse_unpriced(const TrainRequest& request, Ledger& ledger) {
  const Relation relation = ledger.terms().filter.budget.relation;
  refuse_ledger_if(request.budget.relation != relation, "it is kept under " + std::string(enum_name(relation)) +
                                                            "; a request under another relation has no price");
  check_bounds_cost(request);
  if (request.bounds_cost) refuse_other_bounds(*request.bounds_cost, ledger);
  if (request.not_private.empty()) return;
  refuse_ledger_if(true, "it takes private requests only: " + request.not_private.front());
}

TrainRequest priced_request(const TrainRequest& request, const Facts& facts, const Ledger& ledger) {
  TrainRequest priced = request;
  const auto* method = std::get_if<Auto>(&request.method);
  const bool adds_deltas = ledger.terms().delta_policy() == DeltaPolicy::added;
  if (method == nullptr || adds_deltas || request.budget.delta == 0) return priced;
  priced.method = auto_descent(*method, {facts, request.problem, request.budget.within_reach()});
  return priced;
}

Quote quote(const TrainRequest& asked, const Facts& facts, Ledger& ledger) {
  refuse_unpriced(asked, ledger);
  const TrainRequest request = priced_request(asked, facts, ledger);
  const PlanInput input = plan_input(request, facts);
  Plan plan = plan_of(request, input);
  if (!plan.not_private.empty()) {
    refuse_ledger_if(true, "it takes private requests only: " + plan.not_private.front());
  }
  refuse_ledger_if(plan.charges.empty(), "it takes private requests only: the plan adds no noise");
  const Filter filter = ledger.filter();
  const Filter::Cost cost = cost_in(filter, planned_cost(plan));
  return {input, std::move(plan), filter, cost, ledger.share()};
}

ChargedRun charged_run(const TrainRequest& request, const Quote& quoted, const LedgerTerms& terms) {
  return {planned_cost(quoted.plan), quoted.input.facts, request.budget.delta, digest_of(request, quoted.input, terms),
          [&request, &quoted](Engine& engine, Curator& curator) {
            return make_model(run_plan(engine, quoted.plan, request, curator), quoted.plan, request, quoted.input);
          }};
}

Released train(RowSource& rows, const TrainRequest& request, BitSource& bits, const LedgerUse& use) {
  const LedgerTerms& terms = use.ledger.terms();
  const Facts facts = rows.facts(terms.rows);
  const TrainRequest priced = priced_request(request, facts, use.ledger);
  const Quote quoted = quote(priced, facts, use.ledger);
  return run_charged(rows, {use, bits}, charged_run(priced, quoted, terms));
}

}  // namespace sotto
