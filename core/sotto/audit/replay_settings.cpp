#include "sotto/audit/replay_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/audit/neighbours.h"

namespace sotto::audit {

std::vector<double> replay_numbers(std::string_view name, Relation relation, bool straight) {
  if (name == "passes") return {2};
  if (name == "batch_rows") return {1, 4, 9};
  if (name == "radius") return straight ? std::vector<double>{0} : std::vector<double>{0, 0.3};
  if (name == "momentum") return straight ? std::vector<double>{0} : std::vector<double>{0, 0.5};
  if (name == "clip") return straight ? std::vector<double>{0} : std::vector<double>{0, 0.4};
  if (name == "intervals") return straight ? std::vector<double>{0} : std::vector<double>{0, 0.3};
  if (name == "splits") return {3};
  if (name == "step_candidates") return {4};
  if (name == "population") return {8};
  if (name == "parents") return {2};
  if (name == "rounds") return {2};
  if (name == "declared_rows" && relation == Relation::add_remove) return {kReplayRows};
  return {};
}

namespace {
constexpr std::string_view kNoClaim = "it makes no claim: ";
}  // namespace

void refuse_without_claim(const Plan& plan) {
  if (plan.not_private.empty()) return;
  throw Error(ErrorKind::unsupported, std::string(kNoClaim) + plan.not_private.front());
}

bool makes_no_claim(const std::string& why) { return why.starts_with(kNoClaim); }

std::optional<Plan> plan_if_taken(const TrainRequest& request, const Facts& facts, std::string& why) {
  try {
    Plan plan = make_plan(request.algorithm, {facts, request.problem, request.budget});
    refuse_without_claim(plan);
    return plan;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal || e.kind() == ErrorKind::budget_exceeded) throw;
    why = e.what();
  }
  return std::nullopt;
}

bool is_sampled(const Plan& plan) {
  return std::any_of(plan.charges.begin(), plan.charges.end(),
                     [](const Charge& c) { return std::holds_alternative<PoissonSampledEvent>(c.event); });
}

TrainRequest request_number(std::uint64_t number, const Selection& selection) {
  constexpr double kLambdas[] = {0.05, 0, 0.5}, kEpsilons[] = {2, 0.3, 8};
  TrainRequest request;
  request.problem = {selection.loss, kLambdas[number % 3]};
  request.budget = {kEpsilons[number / 12], number / 3 % 2 == 0 ? 1e-3 : 0.0, selection.relation};
  return request;
}

Facts replay_facts(const Selection& selection, std::uint32_t classes) {
  if (selection.straight) return linear_facts(kReplayRows);
  return {kReplayRows, kPairFeatures, 1.0, false, classes};
}

std::string for_each_case(const Method& method, const Selection& selection,
                          const std::function<void(const ReplayCase&)>& visit) {
  const FieldNumbers numbers = [&](std::string_view name) {
    return replay_numbers(name, selection.relation, selection.straight);
  };
  const std::uint64_t total = kProblems * method.count(numbers);
  std::uint64_t taken = 0, sampled = 0;
  std::string why;
  for (std::uint64_t i = 0; i < std::min(4 * selection.cases, total) && taken < selection.cases; ++i) {
    const std::uint64_t index = (i + selection.offset) % total * 2654435761U % total;  // a prime: every index once
    TrainRequest request = request_number(index % kProblems, selection);
    request.algorithm = method.at(index / kProblems, numbers);
    const std::uint32_t classes = selection.straight ? 2 : classes_number(index % kProblems);
    std::optional<Plan> plan = plan_if_taken(request, replay_facts(selection, classes), why);
    if (!plan) continue;
    if (is_sampled(*plan) && ++sampled > selection.sampled_cases) break;
    ++taken;
    std::string name =
        fmt::format("{} lambda={} epsilon={} delta={}{}", name_of(selection.loss), request.problem.lambda,
                    request.budget.epsilon, request.budget.delta, settings_of(request.algorithm));
    visit(ReplayCase{std::move(request), std::move(*plan), classes, std::move(name), i});
  }
  return taken == 0 ? why : std::string();
}

}  // namespace sotto::audit
