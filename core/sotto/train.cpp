#include "sotto/train.h"

#include "sotto/base/error.h"
#include "sotto/optim/views/weighted_engine.h"
#include "sotto/privacy/curator.h"

namespace sotto {
namespace {

/// By position: rows of a smaller epsilon count less.
std::vector<float> row_weights(const Plan& plan, const PersonalEpsilons& personal) {
  std::vector<float> weights;
  weights.reserve(personal.level_of.size());
  for (const std::uint8_t level : personal.level_of) weights.push_back(plan.personal[level].weight);
  return weights;
}

Outcome run_plan(Engine& engine, const Plan& plan, const TrainRequest& request, Curator& curator) {
  const std::size_t levels = request.personal ? request.personal->levels.size() : 0;
  if (plan.personal.size() != levels) throw Error(ErrorKind::internal, "the plan is not one of this request");
  const auto silent = [](double) {};
  const auto run_on = [&](Engine& rows) {
    return run(plan.work, {rows, curator, request.progress ? request.progress : silent, request.order_seed});
  };
  if (levels == 0) return run_on(engine);
  WeightedEngine weighted(engine, row_weights(plan, *request.personal));
  return run_on(weighted);
}

Model make_model(Outcome outcome, const Plan& plan, const TrainRequest& request) {
  Model model;
  model.weights = std::move(outcome.weights);
  model.link = outcome.link;
  if (plan.work.intervals) {
    model.uncertainty = weight_uncertainty(outcome.moments, *plan.work.intervals, plan.work.rows.facts.features);
  }
  model.loss = name_of(request.problem.loss);
  model.encoding = request.encoding;
  model.card = make_card(plan);
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

Model train(RowSource& rows, const TrainRequest& request, BitSource& bits) {
  const auto check = request.check ? rows.check(RowSource::Opening::plain) : std::nullopt;
  const std::unique_ptr<Engine> engine = rows.open();
  const Plan plan = plan_of(request, engine->facts());  // what is wrong with the request is said first
  if (check) {
    request.check(*check);
    require_sound(*check);
  }
  Curator curator(bits);
  return train(*engine, request, plan, curator);
}

Model train(Engine& engine, const TrainRequest& request, Curator& curator) {
  return train(engine, request, plan_of(request, engine.facts()), curator);
}

Model train(Engine& engine, const TrainRequest& request, const Plan& plan, Curator& curator) {
  stamp(curator, plan, request);
  for (const Charge& charge : plan.charges) curator.charge(charge);
  Outcome outcome = run_plan(engine, plan, request, curator);
  engine.require_unchanged();
  Model model = make_model(std::move(outcome), plan, request);
  model.card.not_private_because = curator.stamps();
  model.card.is_private = model.card.not_private_because.empty();
  return model;
}

ChargedRun charged_run(const Quote& quoted, const LedgerTerms& terms) {
  const TrainRequest& request = quoted.request;
  return {planned_cost(quoted.plan),
          quoted.input.facts,
          request.budget.delta,
          digest_of(request, quoted.input, terms),
          [&request, &quoted](Engine& engine, Curator& curator) {
            return make_model(run_plan(engine, quoted.plan, request, curator), quoted.plan, request);
          },
          request.check};
}

Released train(RowSource& rows, const TrainRequest& request, BitSource& bits, const LedgerUse& use) {
  const LedgerTerms& terms = use.ledger.terms();
  const Quote quoted = quote(request, rows.facts(terms.rows), use.ledger);
  return run_charged(rows, {use, bits}, charged_run(quoted, terms));
}

}  // namespace sotto
