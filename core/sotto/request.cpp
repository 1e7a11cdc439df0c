#include "sotto/request.h"

#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/sha256.h"
#include "sotto/charged_run.h"
#include "sotto/data/draft.h"
#include "sotto/data/schema_json.h"
#include "sotto/methods/auto_descent.h"

namespace sotto {
namespace {

/// A closed set, what it holds now, and its members that have the field.
struct Owner {
  std::string choice;
  std::string chosen;
  std::vector<std::string> members;
};

template <class Variant>
Owner owner_of(std::string_view choice, const Variant& value, std::string_view name) {
  return {std::string(choice), std::string(name_of(value)), members_with<Variant>(name)};
}

/// The first closed set among the fields of `object` with a member that has the field.
template <class T>
Owner owner_within(const T& object, std::string_view name) {
  Owner owner;
  for_each_field(object, [&](std::string_view choice, const auto& value, std::string_view) {
    if constexpr (IsVariant<std::remove_cvref_t<decltype(value)>>::value) {
      if (owner.members.empty()) owner = owner_of(choice, value, name);
    }
  });
  return owner;
}

/// From the nearest choice to the farthest: the step of this method, another method, another loss.
Owner owner_of(const TrainRequest& request, std::string_view name) {
  Owner owner = std::visit([&](const auto& method) { return owner_within(method, name); }, request.method);
  if (owner.members.empty()) owner = owner_of("method", request.method, name);
  if (owner.members.empty()) owner = owner_within(request.problem, name);
  return owner;
}

[[noreturn]] void refuse_field(const TrainRequest& request, const std::string& name) {
  Owner owner = owner_of(request, name);
  if (owner.members.empty()) {
    throw Error(ErrorKind::invalid_argument,
                name + ": method " + std::string(name_of(request.method)) + " with loss " +
                    std::string(name_of(request.problem.loss)) + " has no parameter " + name,
                name);
  }
  const bool chooses = owner.choice == "method" && std::holds_alternative<Auto>(request.method);
  std::string message = name;
  message.append(": ").append(owner.choice).append(" ").append(owner.chosen);
  message += chooses ? " chooses it" : " has none";
  Hint hint{HintKind::other_choice, {std::move(owner.choice)}};
  for (std::string& member : owner.members) hint.arguments.push_back(std::move(member));
  throw Error(ErrorKind::invalid_argument, message, name, std::move(hint));
}

template <class T>
void add_fields(Sha256& hash, const T& object) {
  for_each_field_deep(object, [&](std::string_view name, const auto& value, std::string_view) {
    hash.add_text(name);
    hash.add_text(value_text(value));
  });
}

}  // namespace

TrainRequest request_from(const GivenFields& given, const std::string& default_method) {
  TrainRequest request;
  std::set<std::string> used{"method", "order_seed"};
  const auto text_of = [&](const char* name) { return given.contains(name) ? &given.at(name) : nullptr; };
  const std::string* method = text_of("method");
  request.method = make_by_name<Method>(method != nullptr ? *method : default_method, "method");
  if (const std::string* seed = text_of("order_seed"))
    request.order_seed = parse_value<std::uint64_t>(*seed, "order_seed");
  apply_fields(request.problem, given, used);
  std::visit([&](auto& chosen) { apply_fields(chosen, given, used); }, request.method);
  apply_fields(request.budget, given, used);
  for (const auto& [name, text] : given) {
    if (!used.contains(name)) refuse_field(request, name);
  }
  return request;
}

void take_schema(TrainRequest& request, const Schema& schema) {
  Schema travels = schema;
  travels.labels_file.clear();  // it belongs to these rows, and a model is for others
  request.encoding = to_json(travels);
  request.bounds_cost = schema.bounds_cost;
  if (!schema.data_norm) request.norm_assumed = proposed_norm(schema);
  if (schema.bounds_from_data) request.not_private.emplace_back("bounds were taken from the rows, not declared");
  const std::vector<std::string> open = unconfirmed(schema);
  if (open.empty()) return;
  request.not_private.push_back("suggested from the rows and not confirmed to be public: " + list_of(open));
}

PlanInput plan_input(const TrainRequest& request, const Facts& facts) {
  return {facts, request.problem, request.budget.within_reach(), request.personal.has_value()};
}

Plan plan_of(const TrainRequest& request, const Facts& facts) {
  check_bounds_cost(request);
  const PlanInput input = plan_input(request, facts);
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

PrivacyCard card_of(const TrainRequest& request, const Facts& facts) { return make_card(plan_of(request, facts)); }

PrivacyCard card_of(const Quote& quoted) { return make_card(quoted.plan); }

void refuse_unpriced(const TrainRequest& request, Ledger& ledger) {
  const Relation relation = ledger.terms().filter.budget.relation;
  refuse_ledger_if(request.budget.relation != relation, "it is kept under " + std::string(enum_name(relation)) +
                                                            "; a request under another relation has no price");
  check_bounds_cost(request);
  if (request.bounds_cost) refuse_other_bounds(*request.bounds_cost, ledger);
  if (request.not_private.empty()) return;
  refuse_ledger_if(true, "it takes private requests only: " + request.not_private.front());
}

namespace {

/// The request as a ledger is asked it. `auto` may choose pure noise, which costs a filter of rho, divergence or mu
/// more than its card says, or objective perturbation, which has no rho: there it becomes the descent it would choose
/// otherwise. A function of request, public facts and the filter fixed at creation; other methods stay as they are.
TrainRequest priced_request(const TrainRequest& request, const Facts& facts, const Ledger& ledger) {
  TrainRequest priced = request;
  const auto* method = std::get_if<Auto>(&request.method);
  const bool adds_deltas = ledger.terms().delta_policy() == DeltaPolicy::added;
  if (method == nullptr || adds_deltas || request.budget.delta == 0) return priced;
  priced.method = auto_descent(*method, {facts, request.problem, request.budget.within_reach()});
  return priced;
}

}  // namespace

Quote quote(const TrainRequest& asked, const Facts& facts, Ledger& ledger) {
  refuse_unpriced(asked, ledger);
  TrainRequest request = priced_request(asked, facts, ledger);
  const PlanInput input = plan_input(request, facts);
  Plan plan = plan_of(request, facts);
  if (!plan.not_private.empty()) {
    refuse_ledger_if(true, "it takes private requests only: " + plan.not_private.front());
  }
  refuse_ledger_if(plan.charges.empty(), "it takes private requests only: the plan adds no noise");
  const Filter filter = ledger.filter();
  const Filter::Cost cost = cost_in(filter, planned_cost(plan));
  return {std::move(request), input, std::move(plan), filter, cost, ledger.share()};
}

}  // namespace sotto
