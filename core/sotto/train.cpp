#include "sotto/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/sha256.h"
#include "sotto/optim/psgd.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/ledger/price.h"

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

ScanOrder scan_order(const Plan& plan, const Engine& engine, const std::optional<std::uint64_t>& seed) {
  ScanOrder order;
  order.kind = plan.order == RowOrder::stored ? ScanOrder::Kind::stored : ScanOrder::Kind::shuffled;
  order.fresh = plan.order == RowOrder::fresh;
  order.block_rows = engine.block_rows();
  BitSource coins = seed ? BitSource(ReproducibleSeed{*seed}) : BitSource();
  coins.fill(order.key);
  return order;
}

/// The sensitivity rests on every pass visiting every row once, so that is checked by count after each.
void run_passes(Engine& engine, const Plan& plan, const TrainRequest& request, Psgd& psgd) {
  const ScanOrder order = scan_order(plan, engine, request.order_seed);
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
    step_noise.emplace(curator.step_noise(plan.noise->mechanism, plan.noise_path,
                                          {plan.noise->charge.draws(), plan.recipe.batch_rows}));
  }
  Psgd psgd(plan.recipe, engine.facts(), step_noise ? &*step_noise : nullptr);
  run_passes(engine, plan, request, psgd);
  Sensitive<Vector> secret = std::move(psgd).finish();
  if (plan.noise_at == NoiseAt::release) return curator.release(std::move(secret), plan.noise->mechanism);
  if (step_noise) return curator.release_post_processed(std::move(secret), step_noise->sums());
  return curator.release_unprotected(std::move(secret));
}

/// What a plan makes of the rows, released through the curator.
Vector run_plan(Engine& engine, const Plan& plan, const TrainRequest& request, Curator& curator) {
  const PlanInput input{engine.facts(), request.problem, request.budget};
  const std::function<void(double)> silent = [](double) {};
  const Run run{engine, curator, input, request.progress ? request.progress : silent};
  return std::visit(
      [&]<class A>(const A& algorithm) {
        if constexpr (Solver<A>) {
          return algorithm.run(run);
        } else {
          return run_recipe(engine, plan, request, curator);
        }
      },
      request.algorithm);
}

Model make_model(Vector weights, const Plan& plan, const TrainRequest& request, const PlanInput& input) {
  Model model;
  model.weights = std::move(weights);
  model.loss = name_of(request.problem.loss);
  model.encoding = request.encoding;
  model.card = make_card(plan, request.algorithm, input);
  return model;
}

void stamp(Curator& curator, const Plan& plan, const TrainRequest& request) {
  for (const std::string& why : plan.not_private) curator.stamp(why);
  for (const std::string& why : request.not_private) curator.stamp(why);
}

constexpr const char* kPart =
    "trained on a part of the ledger's data, by the holder's word chosen without looking at values; stratified folds "
    "and filtered rows are not";

void refuse_if(bool refused, const std::string& why) {
  if (refused) throw Error(ErrorKind::invalid_argument, "ledger: " + why, "ledger");
}

template <class T>
void add_fields(Sha256& hash, const T& object) {
  for_each_field_deep(object, [&](std::string_view name, const auto& value, std::string_view) {
    hash.add_text(name);
    hash.add_text(value_text(value));
  });
}

/// The canonical form of a request: equal requests on equal data, and only those, have equal digests.
std::string digest_of(const TrainRequest& request, const PlanInput& input, const LedgerTerms& terms) {
  Sha256 hash;
  hash.add_text("sotto request 1");
  hash.add_text(terms.fingerprint);
  hash.add_text(request.encoding);
  hash.add_number(input.facts.rows);
  hash.add_number(input.facts.features);
  hash.add_text(number_text(input.facts.data_norm));
  hash.add_number(input.facts.classes);
  add_fields(hash, request.problem);
  hash.add_text(name_of(request.algorithm));
  std::visit([&](const auto& algorithm) { add_fields(hash, algorithm); }, request.algorithm);
  add_fields(hash, request.budget);
  hash.add_text(request.order_seed ? std::to_string(*request.order_seed) : "none");
  return hex_of(hash.finish());
}

PrivacyCard::LedgerUse card_of(const Reservation& reservation, const Quote& quoted, const LedgerTerms& terms) {
  PrivacyCard::LedgerUse use;
  use.enforced = true;
  use.ledger = terms.id;
  use.entry = reservation.entry();
  use.filter = enum_name(quoted.filter.kind());
  use.currency = quoted.filter.currency();
  use.epsilon = quoted.filter.budget().epsilon;
  use.delta = quoted.filter.budget().delta;
  use.cost = Filter::text_of(reservation.cost());
  use.spent = Filter::text_of(reservation.spent_after());
  use.limit = Filter::text_of(quoted.filter.limit());
  return use;
}

void require_fit(const Quote& quoted) {
  if (quoted.fits()) return;
  const double delta = quoted.input.budget.delta;
  refuse_spending(quoted.filter, quoted.cost,
                  fmt::format("; at delta {} that is epsilon up to {:.6g}", number_text(delta),
                              largest_epsilon(quoted.filter, delta)));
}

}  // namespace

Model train(Engine& engine, const TrainRequest& request, BitSource& bits) {
  const PlanInput input{engine.facts(), request.problem, request.budget};
  Plan plan = make_plan(request.algorithm, input);
  Curator curator(bits);
  stamp(curator, plan, request);
  for (const Charge& charge : plan.charges) curator.charge(charge);
  Vector weights = run_plan(engine, plan, request, curator);
  plan.not_private = curator.stamps();
  return make_model(std::move(weights), plan, request, input);
}

Quote quote(const TrainRequest& request, const Facts& facts, Ledger& ledger) {
  const Relation relation = ledger.terms().filter.budget.relation;
  refuse_if(request.budget.relation != relation,
            "it is kept under " + std::string(enum_name(relation)) + "; a request under another relation has no price");
  const PlanInput input{facts, request.problem, request.budget};
  Plan plan = make_plan(request.algorithm, input);
  std::vector<std::string> reasons = plan.not_private;
  reasons.insert(reasons.end(), request.not_private.begin(), request.not_private.end());
  if (!reasons.empty()) refuse_if(true, "it takes private requests only: " + reasons.front());
  refuse_if(plan.charges.empty(), "it takes private requests only: the plan adds no noise");
  refuse_if(plan.noise_path == NoisePath::fast,
            "noise_path fast has no price: the distance of its noise from the ideal law is not bounded");
  const Filter filter = ledger.filter();
  const Price price = price_of(planned_cost(plan), filter);
  const Filter::Cost cost = filter.cost_of(price.event, price.distance);
  return {input, std::move(plan), filter, cost};
}

Released train(RowSource& rows, const TrainRequest& request, BitSource& bits, const LedgerUse& use) {
  Ledger& ledger = use.ledger;
  const LedgerTerms& terms = ledger.terms();
  const Quote quoted = quote(request, rows.facts(terms.rows), ledger);
  refuse_if(!bits.is_private(), "it takes private requests only: the noise comes from a seeded source");
  std::string digest = digest_of(request, quoted.input, terms);
  if (use.part) digest = hex_of(sha256("part " + digest));  // never the answer to a request for all rows
  const std::optional<std::string> before = use.again || use.part ? std::nullopt : ledger.stored(digest);
  if (!before) require_fit(quoted);
  if (!use.part && hex_of(rows.fingerprint()) != terms.fingerprint) {
    throw Error(ErrorKind::invalid_data, "data: this is not the data the ledger was made for; nothing was charged",
                "data");
  }
  if (before) return {*before, model_from_text(*before, "the stored model"), true};

  Curator curator(bits);
  Reservation reservation = curator.charge(planned_cost(quoted.plan), ledger, digest);
  reservation.begin_reading();
  const std::unique_ptr<Engine> engine = rows.open();
  const Facts& planned = quoted.input.facts;
  const Facts found = engine->facts();
  if (found.rows != planned.rows || found.features != planned.features || found.data_norm != planned.data_norm ||
      found.classes != planned.classes) {
    throw Error(
        ErrorKind::invalid_data,
        fmt::format("data: read like this it has {} rows of {} features, the ledger was made for {} rows and the "
                    "plan for {} features; what was reserved stays spent",
                    found.rows, found.features, planned.rows, planned.features),
        "data");
  }
  Released released;
  released.model = make_model(run_plan(*engine, quoted.plan, request, curator), quoted.plan, request, quoted.input);
  released.model.card.budget = card_of(reservation, quoted, terms);
  if (use.part) released.model.card.remarks.emplace_back(kPart);
  released.text = model_text(released.model);
  ledger.release(reservation, released.text);
  return released;
}

}  // namespace sotto
