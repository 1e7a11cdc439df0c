#include "sotto/optim/step_schedule.h"

#include <fmt/format.h>

#include <limits>

namespace sotto {
namespace {

constexpr double kMaxStep = 1e9;
constexpr double kNoCap = std::numeric_limits<double>::infinity();

void require_regularised(const StepContext& context, std::string_view name) {
  require(context.lambda > 0, "step", std::string(name) + " needs lambda above 0");
}

/// 2/beta for the schedules of Wu17's corollaries; beta counts the regulariser.
double two_over_beta(const StepContext& context, std::string_view name) {
  require(std::isfinite(context.smoothness), "step", std::string(name) + " needs a smooth loss");
  return 2 / (context.smoothness + context.lambda);
}

double row_power(const StepContext& context, double power) {
  require(power >= 0 && power < 1, "step_power", "must lie in [0, 1)");
  return std::pow(static_cast<double>(context.rows), power);
}

}  // namespace

StepRule ConstantStep::rule(const StepContext& context) const {
  require(step_size >= 0 && step_size <= kMaxStep, "step_size", "must lie between 0 and 1e9");
  if (step_size != 0) return {kNoCap, step_size, 1, StepRule::Growth::none};
  const double cap = std::isfinite(context.smoothness) ? 2 / (context.smoothness + 2 * context.lambda) : kNoCap;
  return {cap, 1 / std::sqrt(static_cast<double>(context.rows)), 1, StepRule::Growth::none};
}

StepRule InverseSqrtStep::rule(const StepContext&) const {
  require(step_numerator > 0 && step_numerator <= kMaxStep, "step_numerator", "must be above 0 and at most 1e9");
  return {kNoCap, step_numerator, 0, StepRule::Growth::root};
}

StepRule CappedInverseStep::rule(const StepContext& context) const {
  require_regularised(context, kName);
  require(step_cap > 0 || std::isfinite(context.smoothness), "step_cap",
          "the loss is not smooth, so the largest step must be given");
  const double cap = step_cap != 0 ? step_cap : 1 / (context.smoothness + context.lambda);
  require(cap > 0 && cap <= kMaxStep, "step_cap", "must be above 0 and at most 1e9");
  return {cap, 1 / context.lambda, 0, StepRule::Growth::linear};
}

StepRule InverseStep::rule(const StepContext& context) const {
  require_regularised(context, kName);
  return {kNoCap, 1 / context.lambda, 0, StepRule::Growth::linear};
}

StepRule DecreasingStep::rule(const StepContext& context) const {
  return {kNoCap, two_over_beta(context, kName), row_power(context, step_power), StepRule::Growth::linear};
}

StepRule SquareRootStep::rule(const StepContext& context) const {
  return {kNoCap, two_over_beta(context, kName), row_power(context, step_power), StepRule::Growth::root};
}

StepRule DefaultStep::rule(const StepContext& context) const {
  if (context.lambda > 0 && std::isfinite(context.smoothness)) return CappedInverseStep{}.rule(context);
  return ConstantStep{}.rule(context);
}

std::string describe(const StepRule& rule) {
  const auto divided = [&](std::string_view growth) {
    return rule.offset == 0 ? fmt::format("{:.6g} / {}", rule.numerator, growth)
                            : fmt::format("{:.6g} / ({} + {:.6g})", rule.numerator, growth, rule.offset);
  };
  std::string text;
  switch (rule.growth) {
    case StepRule::Growth::none: text = fmt::format("{:.6g}", rule.numerator / rule.offset); break;
    case StepRule::Growth::linear: text = divided("t"); break;
    case StepRule::Growth::root: text = divided("sqrt(t)"); break;
  }
  return std::isfinite(rule.cap) ? fmt::format("min({:.6g}, {})", rule.cap, text) : text;
}

StepRule step_rule(const StepSchedule& schedule, const StepContext& context) {
  const StepRule rule = std::visit([&](const auto& s) { return s.rule(context); }, schedule);
  require(std::isfinite(rule.numerator) && rule.numerator > 0 && rule(1) > 0 && std::isfinite(rule(1)), "step",
          "the step sizes must be positive and finite");
  return rule;
}

}  // namespace sotto
