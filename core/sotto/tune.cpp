// What: private choice of hyper-parameters (spec 6.6, 6.7), three ways.
// Formula: parts: training parts cost (epsilon, delta) each, the last part one choice by error counts with R = 2 at
//   epsilon; a row is in one part, so all cost (epsilon, delta). random_stopping: tuning/random_stopping.h.
// Conditions: parts: replace_one, places by a key independent of all values. random_stopping: each run's setting
// uniform,
//   number of runs from the secret stream and not reported, none gives the zero model.
// Reference: [Wu17, Algorithm 3]; [Papernot22, Theorem 6].
// Fails if wrong: Tune.*
#include "sotto/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/optim/row_counts.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/random/samplers.h"
#include "sotto/tuning/parts.h"
#include "sotto/tuning/random_stopping.h"

namespace sotto {
namespace {

TrainRequest with(const TrainRequest& base, const Setting& setting) {
  TrainRequest request = base;
  request.progress = nullptr;
  for (const auto& [name, value] : setting) {
    const bool known =
        set_field(request.problem, name, value) ||
        std::visit([&, &n = name, &v = value](auto& method) { return set_field(method, n, v); }, request.algorithm);
    require(known, "grid", "neither the problem nor the method has a parameter " + name);
  }
  return request;
}

KeyedPermutation::Key fresh_key() {
  BitSource coins;
  KeyedPermutation::Key key;
  coins.fill(key);
  return key;
}

void list_tried(PrivacyCard& card, const TuneRequest& request, const std::string& how) {
  std::string text = how + "; tried:";
  for (const Setting& setting : request.grid) text += " (" + setting_text(setting) + ")";
  card.remarks.push_back(text);
}

/// Every run takes part in the choice, so each must be private, whichever wins; its remarks would be lost with it.
void require_private(const Plan& plan) {
  require(plan.not_private.empty() && !plan.charges.empty(), "method", "must be private to be tuned privately");
  require(plan.noise_path == NoisePath::safe, "noise_path", "must be safe to be tuned privately");
}

Sensitive<Vector> errors_of(const Engine& rows, const Loss& loss, const Vector& points) {
  ErrorCounts errors(loss, rows.facts());
  errors.start(points);
  sum_rows(rows, errors);
  return errors.take();
}

Model by_public_data(Engine& rows, Engine* public_rows, const TuneRequest& request, BitSource& bits) {
  require(public_rows != nullptr, "public_data", "must be given to tune on it");
  const auto parts = split_rows(*public_rows, fresh_key(), 2);
  Vector points;
  for (const Setting& setting : request.grid) {
    const Model model = train(*parts[0], with(request.train, setting), bits);
    points.insert(points.end(), model.weights.begin(), model.weights.end());
  }
  BitSource coins;
  Curator open(coins);  // of public rows alone, and of no model that leaves
  open.stamp("the rows are public");
  const Vector errors = open.release_unprotected(errors_of(*parts[1], request.train.problem.loss, points));
  const auto best = static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
  TrainRequest chosen = with(request.train, request.grid[best]);
  chosen.progress = request.train.progress;
  Model model = train(rows, chosen, bits);
  list_tried(model.card, request, "tuned on public rows, at no cost");
  return model;
}

Model by_parts(Engine& rows, const TuneRequest& request, BitSource& bits) {
  const Budget& budget = request.train.budget;
  if (budget.relation != Relation::replace_one) {
    throw Error(ErrorKind::unsupported, "relation: parts of public sizes need replace_one", "relation");
  }
  for (const Setting& setting : request.grid) {
    const TrainRequest one = with(request.train, setting);
    require_private(make_plan(one.algorithm, {rows.facts(), one.problem, one.budget}));
  }
  const auto parts = split_rows(rows, fresh_key(), request.grid.size() + 1);
  std::vector<Model> models;
  Vector points;
  double delta = 0;
  for (std::size_t i = 0; i < request.grid.size(); ++i) {
    models.push_back(train(*parts[i], with(request.train, request.grid[i]), bits));
    points.insert(points.end(), models[i].weights.begin(), models[i].weights.end());
    delta = std::max(delta, models[i].card.delta);
  }
  const Choice choice{2, budget.epsilon, Aim::smallest, Vector(models.size(), 0.0)};
  Curator curator(bits);
  curator.charge({choice.event()});
  Model model = std::move(models[curator.choose(errors_of(*parts.back(), request.train.problem.loss, points), choice)]);
  model.card.epsilon = budget.epsilon;
  model.card.delta = delta;  // of the dearest part: which one was chosen must not be told by its price
  model.card.events.push_back({std::string(ExponentialEvent::kName), "epsilon", budget.epsilon, 1, 1});
  list_tried(model.card, request,
             "trained on one of " + std::to_string(parts.size()) + " parts, chosen by errors on the last");
  return model;
}

/// The request with the largest epsilon at which its training costs at most `rho`.
TrainRequest priced(const TrainRequest& base, const Facts& facts, double rho) {
  TrainRequest request = base;
  const auto rho_at = [&](double epsilon) {
    request.budget.epsilon = epsilon;
    const Plan plan = make_plan(request.algorithm, {facts, request.problem, request.budget});
    require_private(plan);
    return zcdp_rho_of(event_of(plan.charges), request.budget.relation);
  };
  double low = 0, high = base.budget.epsilon;
  if (rho_at(high) <= rho) return request;
  for (int i = 0; i < 50 && high - low > 1e-3 * high; ++i) {
    const double middle = (low + high) / 2;
    (rho_at(middle) <= rho ? low : high) = middle;
  }
  require(low > 0, "epsilon", "too small for a selection over so many runs");
  rho_at(low);
  return request;
}

/// The part of delta that pays for the distance of the noise drawn from its ideal law, over all runs.
double distance_delta(const TrainRequest& run, const Facts& facts, const Budget& whole, double mean_runs) {
  const Plan plan = make_plan(run.algorithm, {facts, run.problem, run.budget});
  if (!plan.noise) return 0;
  const double distance = plan.noise->delta_num / (1 + std::exp(run.budget.epsilon));
  return (1 + std::exp(whole.epsilon)) * mean_runs * distance;
}

/// Zero weights and the card of the first setting: what no run at all returns.
Model default_model(const TrainRequest& request, const Facts& facts) {
  const PlanInput input{facts, request.problem, request.budget};
  Model model;
  model.weights.assign(weight_count(request.problem.loss, facts), 0.0);
  model.loss = name_of(request.problem.loss);
  model.encoding = request.encoding;
  model.card = make_card(make_plan(request.algorithm, input), request.algorithm, input);
  return model;
}

Mechanism score_noise(double rho) {
  DiscreteGaussianNoise noise;
  noise.sensitivity = 1;  // one row changes the count by at most 1 under both relations
  noise.dimension = 1;
  noise.grid = make_grid(1, 1);
  noise.rho = rho;
  return noise;
}

Model by_random_stopping(Engine& rows, const TuneRequest& request, BitSource& bits) {
  const Facts facts = rows.facts();
  const Budget& budget = request.train.budget;
  const StoppingTerms terms = stopping_terms(budget, request.mean_runs);
  std::vector<TrainRequest> runs;
  for (const Setting& setting : request.grid) {
    runs.push_back(priced(with(request.train, setting), facts, terms.train_rho));
    require(distance_delta(runs.back(), facts, budget, request.mean_runs) <= budget.delta / 1000, "delta",
            "too small for the numerical distance of this noise; use discrete_gaussian");
  }
  const Mechanism noise = score_noise(terms.score_rho);
  Model best = default_model(runs.front(), facts);
  double fewest = std::numeric_limits<double>::infinity();
  Curator curator(bits);
  for (std::uint64_t left = draw_poisson(bits, request.mean_runs); left > 0; --left) {
    Model model = train(rows, runs[draw_below(bits, runs.size())], bits);
    curator.charge({event_of(noise)});
    const double score = curator.release(errors_of(rows, request.train.problem.loss, model.weights), noise).front();
    if (!(score < fewest)) continue;
    fewest = score;
    best = std::move(model);
  }
  best.card.not_private_because = curator.stamps();
  for (const std::string& why : request.train.not_private) best.card.not_private_because.push_back(why);
  best.card.is_private = best.card.not_private_because.empty();
  best.card.epsilon = terms.epsilon;
  best.card.delta = terms.delta;
  best.card.events = {{std::string(SelectionEvent::kName), "mean", static_cast<double>(request.mean_runs), 1, 1},
                      {std::string(ZcdpEvent::kName), "rho", terms.run_rho, 1, 1}};
  best.card.theorem += "; best of a random number of runs [Papernot22, Theorem 6]";
  list_tried(best.card, request, "the best by noisy errors of a secret number of runs, settings drawn at random");
  return best;
}

Model tuned(Engine& rows, Engine* public_rows, const TuneRequest& request, BitSource& bits) {
  switch (request.by) {
    case TuneBy::public_data: return by_public_data(rows, public_rows, request, bits);
    case TuneBy::parts: return by_parts(rows, request, bits);
    case TuneBy::random_stopping: return by_random_stopping(rows, request, bits);
  }
  throw Error(ErrorKind::internal, "unknown way of tuning");
}

}  // namespace

Model tune(Engine& rows, Engine* public_rows, const TuneRequest& request, BitSource& bits) {
  require(!request.grid.empty(), "grid", "must have at least one combination");
  const std::optional<BoundsCost>& cost = request.train.bounds_cost;
  if (!cost) return tuned(rows, public_rows, request, bits);
  require(cost->relation == enum_name(request.train.budget.relation), "relation",
          "must be the one the bounds of the data were found under");
  TuneRequest runs = request;  // the bounds were found once, not once a run
  runs.train.bounds_cost.reset();
  Model model = tuned(rows, public_rows, runs, bits);
  add_bounds_cost(model.card, *cost);
  return model;
}

}  // namespace sotto
