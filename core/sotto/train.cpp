#include "sotto/train.h"

#include <algorithm>
#include <exception>

#include "sotto/base/error.h"
#include "sotto/data/schema_json.h"
#include "sotto/methods/interval_release.h"
#include "sotto/optim/psgd.h"
#include "sotto/optim/views/weighted_engine.h"
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

}  // namespace

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

ChargedRun charged_run(const Quote& quoted, const LedgerTerms& terms) {
  const TrainRequest& request = quoted.request;
  return {planned_cost(quoted.plan), quoted.input.facts, request.budget.delta, digest_of(request, quoted.input, terms),
          [&request, &quoted](Engine& engine, Curator& curator) {
            return make_model(run_plan(engine, quoted.plan, request, curator), quoted.plan, request, quoted.input);
          }};
}

Released train(RowSource& rows, const TrainRequest& request, BitSource& bits, const LedgerUse& use) {
  const LedgerTerms& terms = use.ledger.terms();
  const Quote quoted = quote(request, rows.facts(terms.rows), use.ledger);
  return run_charged(rows, {use, bits}, charged_run(quoted, terms));
}

}  // namespace sotto
