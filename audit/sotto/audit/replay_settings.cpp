#include "sotto/audit/replay_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/audit/neighbours.h"

namespace sotto::audit {

std::vector<double> replay_numbers(std::string_view name, double standard, const Selection& selection) {
  using List = std::vector<double>;
  const bool straight = selection.straight;
  const auto bent = [&](double acts) { return straight ? List{0} : List{0, acts}; };
  if (name == "passes") return straight ? List{2, 1} : List{2, 1, 3};  // of three, orders take too many replays
  if (name == "batch_rows") return {1, 4, 9};
  if (name == "radius" || name == "intervals") return bent(0.3);
  if (name == "momentum") return bent(0.5);
  if (name == "clip") return bent(0.4);
  if (name == "tolerance") return straight ? List{0, 1e-9} : List{0, 1e-6, 0.3};
  if (name == "splits") return {3, 2};
  if (name == "step_candidates") return {4, 2};
  if (name == "population") return {8, 5};
  if (name == "parents") return {2, 3};
  if (name == "rounds") return {2, 1};
  if (name == "declared_rows") {
    if (selection.relation == Relation::replace_one) return {0};
    const auto rows = static_cast<double>(selection.rows);
    return {rows, 3 * rows, std::floor(rows / 2)};
  }
  if (standard == 0) return straight ? List{0, 0.3} : List{0, 0.3, 3};
  return straight ? List{standard, standard / 8} : List{standard, standard / 8, 2 * standard};
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
    Plan plan = plan_of(request, facts);
    refuse_without_claim(plan);
    return plan;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal || e.kind() == ErrorKind::budget_exceeded) throw;
    why = e.what();
  }
  return std::nullopt;
}

RowOrder order_of(const Plan& plan) {
  return std::visit(
      [](const auto& way) {
        if constexpr (requires { way.order; }) {
          return way.order;
        } else {
          return RowOrder::fixed;
        }
      },
      plan.work.way);
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
  if (selection.straight) return linear_facts(selection.rows, classes);
  return {selection.rows, kPairFeatures, 1.0, false, classes};
}

namespace {

std::vector<Loss> settings_of_loss(const Loss& loss, const FieldNumbers& numbers) {
  return std::visit(
      [&](const auto& member) {
        using L = std::remove_cvref_t<decltype(member)>;
        std::vector<Loss> all(variant_count<L>(numbers));
        for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = variant_at<L>(i, numbers);
        return all;
      },
      loss);
}

/// Coprime to `total`, so that every number is met once, and near its golden section, so that the first few are spread
/// over every digit.
std::uint64_t stride_below(std::uint64_t total) {
  auto stride = static_cast<std::uint64_t>(0.6180339887498949 * static_cast<double>(total)) | 1U;
  while (std::gcd(stride, total) != 1) ++stride;
  return stride;
}

}  // namespace

std::string for_each_case(const AuditedMethod& method, const Selection& selection,
                          const std::function<void(const ReplayCase&)>& visit) {
  const FieldNumbers numbers = [&](std::string_view name, double standard) {
    return replay_numbers(name, standard, selection);
  };
  const std::vector<Loss> losses = settings_of_loss(selection.loss, numbers);
  const std::uint64_t total = kProblems * losses.size() * method.count(numbers), stride = stride_below(total);
  std::uint64_t taken = 0, sampled = 0;
  std::string why;
  for (std::uint64_t i = 0; i < std::min(4 * selection.cases, total) && taken < selection.cases; ++i) {
    std::uint64_t index = (i + selection.offset) % total * stride % total;
    const std::uint64_t number = index % kProblems;
    index /= kProblems;
    TrainRequest request = request_number(number, selection);
    request.problem.loss = losses[index % losses.size()];
    request.method = method.at(index / losses.size(), numbers);
    const std::uint32_t classes = classes_number(number);
    std::optional<Plan> plan = plan_if_taken(request, replay_facts(selection, classes), why);
    if (!plan) continue;
    if (is_sampled(*plan) && ++sampled > selection.sampled_cases) break;
    ++taken;
    std::string name =
        fmt::format("{}{} lambda={} epsilon={} delta={}{}", name_of(selection.loss), settings_of(request.problem.loss),
                    request.problem.lambda, request.budget.epsilon, request.budget.delta, settings_of(request.method));
    visit(ReplayCase{std::move(request), std::move(*plan), classes, std::move(name), i});
  }
  return taken == 0 ? why : std::string();
}

}  // namespace sotto::audit
