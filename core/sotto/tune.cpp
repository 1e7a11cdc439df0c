// What: private choice of hyper-parameters (spec 6.6, 6.7), three ways. Costs: tune_plan.cpp.
// Conditions: parts: places by a key independent of all values. random_stopping: each run's setting uniform, the number
//   of runs from the secret stream and not reported, none gives the zero model.
// Reference: [Wu17, Algorithm 3]; [Papernot22, Theorem 6].
// Fails if wrong: Tune.*, TuneWithLedger.*
#include "sotto/tune.h"

#include <algorithm>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/sha256.h"
#include "sotto/optim/row_counts.h"
#include "sotto/optim/row_gradients.h"
#include "sotto/random/samplers.h"
#include "sotto/tuning/parts.h"

namespace sotto {
namespace {

KeyedPermutation::Key fresh_key() {
  BitSource coins;
  KeyedPermutation::Key key;
  coins.fill(key);
  return key;
}

std::string tried_text(const TuneRequest& request, const std::string& how) {
  std::string text = how + "; tried:";
  for (const Setting& setting : request.grid) text += " (" + setting_text(setting) + ")";
  return text;
}

std::string chosen_text(const Setting& setting) { return "chosen: (" + setting_text(setting) + ")"; }

/// What was tried, and what of it the model has.
void tell_choice(PrivacyCard& card, std::string tried, const Setting& chosen) {
  card.remarks.push_back(std::move(tried));
  card.remarks.push_back(chosen_text(chosen));
}

Sensitive<Vector> errors_of(const Engine& rows, const Loss& loss, const Vector& points) {
  ErrorCounts errors(loss, rows.facts());
  errors.start(points);
  sum_rows(rows, errors);
  return errors.take();
}

template <class Rows>
Rows& given(Rows* public_rows) {
  require(public_rows != nullptr, "public_data", "must be given to tune on it");
  return *public_rows;
}

/// What is chosen on them is free and exact: the ledger's own rows would answer for nothing.
void refuse_own_data(const Digest& fingerprint, const Ledger& ledger) {
  require(!ledger.is_about(fingerprint), "public_data",
          "is the data of the ledger; tune on it with parts or "
          "random_stopping, which are charged");
}

/// The share of runs done: counts that everyone knows. Random stopping tells nothing, its number of runs is secret.
void tell(const TuneRequest& request, double done, std::size_t of) {
  if (request.train.progress) request.train.progress(done / static_cast<double>(of));
}

constexpr const char* kOnPublicRows = "tuned on public rows, at no cost";

struct PublicChoice {
  TrainRequest request;
  Setting setting;
};
/// The request with the setting that makes the fewest errors on public rows.
PublicChoice choose_on_public(Engine& public_rows, const TuneRequest& request, BitSource& bits) {
  require(!request.grid.empty(), "grid", "must have at least one combination");
  const auto parts = split_rows(public_rows, fresh_key(), 2);
  Vector points;
  std::size_t tried = 0;
  const std::size_t runs = request.grid.size() + 1;  // the last one trains with the best
  for (const Setting& setting : request.grid) {
    const Model model = train(*parts[0], with_setting(request.train, setting), bits);
    points.insert(points.end(), model.weights.begin(), model.weights.end());
    tell(request, static_cast<double>(++tried), runs);
  }
  BitSource coins;
  Curator open(coins);  // of public rows alone, and of no model that leaves
  open.stamp("the rows are public");
  const Vector errors = open.release_unprotected(errors_of(*parts[1], request.train.problem.loss, points));
  const auto best = static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
  PublicChoice chosen{with_setting(request.train, request.grid[best]), request.grid[best]};
  chosen.request.progress = [request, tried, runs](double fraction) {
    tell(request, static_cast<double>(tried) + fraction, runs);
  };
  return chosen;
}

Model by_public_data(Engine& rows, Engine* public_rows, const TuneRequest& request, BitSource& bits) {
  const PublicChoice chosen = choose_on_public(given(public_rows), request, bits);
  Model model = train(rows, chosen.request, bits);
  tell_choice(model.card, tried_text(request, kOnPublicRows), chosen.setting);
  return model;
}

/// Who was charged for all runs together, and the secret coins that choose among them.
struct TuneRun {
  Curator& whole;
  BitSource& bits;
  const KeyedPermutation::Key* key = nullptr;  ///< of the places of rows; none: a fresh one
};

Model by_parts(Engine& rows, const TuneRequest& request, const TunePlan& plan, const TuneRun& run) {
  Trials trials = run.whole.open_trials(plan.charge.event, request.train.budget.relation);
  const auto parts = split_rows(rows, run.key != nullptr ? *run.key : fresh_key(), plan.runs.size() + 1);
  std::vector<Model> models;
  Vector points;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    Curator trial = trials.next();
    models.push_back(train(*parts[i], plan.runs[i], plan.plans[i], trial));
    points.insert(points.end(), models[i].weights.begin(), models[i].weights.end());
    tell(request, static_cast<double>(i + 1), plan.runs.size());
  }
  const double epsilon = request.train.budget.epsilon;
  const Choice choice{2, epsilon, Aim::smallest, Vector(models.size(), 0.0)};
  Curator trial = trials.next();
  trial.charge({choice.event()});
  const std::size_t chosen = trial.choose(errors_of(*parts.back(), request.train.problem.loss, points), choice);
  Model model = std::move(models[chosen]);
  model.card.epsilon = plan.epsilon;
  model.card.delta = plan.delta;
  model.card.events.push_back({std::string(ExponentialEvent::kName), "epsilon", epsilon, 1, 1});
  model.card.theorem +=
      "; each part is read once, for one model or for the choice, so that a row costs what its part does, spec 6.3 "
      "[Wu17, Algorithm 3]";
  const std::string how = "trained on one of " + std::to_string(parts.size()) + " parts, chosen by errors on the last";
  tell_choice(model.card, tried_text(request, how), request.grid[chosen]);
  return model;
}

/// Zero weights and the card of the first setting: what no run at all returns.
Model default_model(const TrainRequest& request, const Plan& plan, const Facts& facts) {
  Model model;
  model.weights.assign(weight_count(request.problem.loss, facts), 0.0);
  model.loss = name_of(request.problem.loss);
  model.encoding = request.encoding;
  model.card = make_card(plan);
  return model;
}

/// An event as a card lists it: what is composed by its parts, in their order.
void list_event(const Event& event, std::uint64_t times, std::vector<PrivacyCard::Spent>& events) {
  if (const auto* repeated = std::get_if<RepeatEvent>(&event)) {
    return list_event(*repeated->event, times * repeated->times, events);
  }
  if (const auto* all = std::get_if<SequenceEvent>(&event)) {
    for (const Event& one : all->events) list_event(one, times, events);
    return;
  }
  const EventSummary told = summary(event);
  events.push_back({std::string(told.name), std::string(told.parameter), told.value, times, 1});
  if (const auto* one = std::get_if<OneOfEvent>(&event)) {
    for (const Event& alternative : one->events) list_event(alternative, times, events);
  }
}

/// The selection and what any of its runs may cost: nothing that tells which settings were drawn.
std::vector<PrivacyCard::Spent> listed(const Event& selection) {
  std::vector<PrivacyCard::Spent> events;
  list_event(selection, 1, events);
  list_event(*std::get<SelectionEvent>(selection).run, 1, events);
  return events;
}

Model by_random_stopping(Engine& rows, const TuneRequest& request, const TunePlan& plan, const TuneRun& run) {
  Curator& whole = run.whole;
  BitSource& bits = run.bits;
  Trials trials = whole.open_trials(plan.charge.event, request.train.budget.relation);
  const Facts facts = rows.facts();
  const Mechanism noise = score_noise(plan.stopping);
  Model best = default_model(plan.runs.front(), plan.plans.front(), facts);
  std::size_t chosen = 0;
  double fewest = std::numeric_limits<double>::infinity();
  for (std::uint64_t left = draw_poisson(bits, request.mean_runs); left > 0; --left) {
    Curator trial = trials.next();
    const std::size_t drawn = draw_below(bits, plan.runs.size());
    Model model = train(rows, plan.runs[drawn], plan.plans[drawn], trial);
    trial.charge({event_of(noise)});
    const double score = trial.release(errors_of(rows, request.train.problem.loss, model.weights), noise).front();
    if (!(score < fewest)) continue;
    fewest = score;
    best = std::move(model);
    chosen = drawn;
  }
  best.card.not_private_because = whole.stamps();
  for (const std::string& why : request.train.not_private) best.card.not_private_because.push_back(why);
  best.card.is_private = best.card.not_private_because.empty();
  best.card.epsilon = plan.epsilon;
  best.card.delta = plan.delta;
  best.card.events = listed(plan.charge.event);
  best.card.theorem += "; best of a random number of runs [Papernot22, Theorem 6]";
  const std::string how = "the best by noisy errors of a secret number of runs, settings drawn at random";
  tell_choice(best.card, tried_text(request, how), request.grid[chosen]);
  return best;
}

Model run_tuning(Engine& rows, const TuneRequest& request, const TunePlan& plan, const TuneRun& run) {
  if (request.by == TuneBy::parts) return by_parts(rows, request, plan, run);
  return by_random_stopping(rows, request, plan, run);
}

std::string joined_digest(const std::string& one, const std::string& other) {
  Sha256 hash;
  hash.add_text("sotto tuning 1");
  hash.add_text(one);
  hash.add_text(other);
  return hex_of(hash.finish());
}

PublicChoice choose_on_public(RowSource& public_rows, const TuneRequest& request, const ChargedTo& charged) {
  refuse_own_data(public_rows.fingerprint(), charged.use.ledger);
  const RowSource::Opened opened = public_rows.open_fingerprinted();
  refuse_own_data(opened.fingerprint, charged.use.ledger);  // of the very bytes
  return choose_on_public(*opened.engine, request, charged.bits);
}

Released by_public_data(RowSource& rows, RowSource* public_rows, const TuneRequest& request, const ChargedTo& charged) {
  const LedgerTerms& terms = charged.use.ledger.terms();
  const Facts facts = rows.facts(terms.rows);
  const PublicChoice chosen = choose_on_public(given(public_rows), request, charged);
  const Quote quoted = quote(chosen.request, facts, charged.use.ledger);
  ChargedRun run = charged_run(quoted, terms);
  const std::string remark = tried_text(request, kOnPublicRows);
  run.request = joined_digest(run.request, remark);
  run.run = [&remark, &chosen, train = run.run](Engine& engine, Curator& curator) {
    Model model = train(engine, curator);
    tell_choice(model.card, remark, chosen.setting);
    return model;
  };
  return run_charged(rows, charged, run);
}

/// The bounds were found once, not once a run.
TuneRequest without_bounds(const TuneRequest& request) {
  TuneRequest runs = request;
  runs.train.bounds_cost.reset();
  return runs;
}

Model with_bounds(Model model, const TuneRequest& request) {
  if (request.train.bounds_cost) add_bounds_cost(model.card, *request.train.bounds_cost);
  return model;
}

}  // namespace

std::size_t chosen_setting(const PrivacyCard& card, const std::vector<Setting>& grid) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (std::ranges::find(card.remarks, chosen_text(grid[i])) != card.remarks.end()) return i;
  }
  throw Error(ErrorKind::invalid_data, "model: its card names no setting of this grid", "model");
}

Model tune(Engine& rows, Engine* public_rows, const TuneRequest& request, BitSource& bits) {
  check_bounds_cost(request.train);
  const TuneRequest runs = without_bounds(request);
  if (request.by == TuneBy::public_data) return with_bounds(by_public_data(rows, public_rows, runs, bits), request);
  const TunePlan plan = plan_tuning(runs, rows.facts());
  Curator whole(bits);
  whole.charge(plan.charge);
  return with_bounds(run_tuning(rows, runs, plan, {whole, bits}), request);
}

Model tune(Engine& rows, const TuneRequest& request, const TunePlan& plan, const TuneDraws& draws) {
  require(request.by != TuneBy::public_data, "by", "tuning on public rows draws nothing that needs an audit");
  Curator whole(draws.drawer);
  whole.charge(plan.charge);
  return run_tuning(rows, request, plan, {whole, draws.drawer.bits(), &draws.key});
}

Released tune(RowSource& rows, RowSource* public_rows, const TuneRequest& request, const ChargedTo& charged) {
  const LedgerTerms& terms = charged.use.ledger.terms();
  refuse_unpriced(request.train, charged.use.ledger);
  if (request.by == TuneBy::public_data) return by_public_data(rows, public_rows, request, charged);
  const Facts facts = rows.facts(terms.rows);
  const TuneRequest runs = without_bounds(request);
  const TunePlan plan = plan_tuning(runs, facts);
  const std::string how = std::string(enum_name(request.by)) + " " + std::to_string(request.mean_runs);
  const std::string base = digest_of(request.train, {facts, request.train.problem, request.train.budget}, terms);
  return run_charged(rows, charged,
                     {plan.cost(), facts, request.train.budget.delta, joined_digest(base, tried_text(request, how)),
                      [&](Engine& engine, Curator& whole) {
                        return with_bounds(run_tuning(engine, runs, plan, {whole, charged.bits}), request);
                      },
                      request.train.check});
}

}  // namespace sotto
