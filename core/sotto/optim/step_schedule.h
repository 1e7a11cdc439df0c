#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "sotto/base/catalog.h"

/// Step sizes eta_t, t = 1, 2, ... counting steps (batches), never rows. All are functions of public numbers.
namespace sotto {

/// The public numbers a schedule may depend on.
struct StepContext {
  double smoothness = 0;  ///< beta of the data part, infinite if the loss is not smooth
  double lambda = 0;
  std::uint64_t rows = 0;
};

/// Every schedule of the library in one form: eta_t = min(cap, numerator / (growth(t) + offset)).
struct StepRule {
  enum class Growth { none, linear, root };
  double cap;
  double numerator;
  double offset;
  Growth growth;

  /// growth(t).
  double grown(double t) const noexcept {
    switch (growth) {
      case Growth::none: return 0.0;
      case Growth::linear: return t;
      case Growth::root: return std::sqrt(t);
    }
    return 0.0;
  }
  /// Whether ln(1 - c/(growth(t) + offset)) is concave in t for every c below the denominator: bounds over many steps rest
  /// on it (docs/notes/sensitivity.md).
  bool decays_concavely() const noexcept {
    switch (growth) {
      case Growth::none:
      case Growth::linear:
      case Growth::root: return true;
    }
    return false;
  }
  double operator()(std::uint64_t t) const noexcept { return at(static_cast<double>(t)); }
  /// Between steps, for bounds over many of them. It never rises.
  double at(double t) const noexcept {
    const double step = numerator / (grown(t) + offset);
    return step < cap ? step : cap;
  }
};

/// A constant step; 0 stands for 1/sqrt(rows), cut at 2/(beta + 2 lambda) [Wu17, Corollary 1].
struct ConstantStep {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kSummary = "step_size at every step";
  double step_size = 0;
  static constexpr auto fields() {
    return std::tuple{field("step_size", &ConstantStep::step_size, "the step; 0 = 1/sqrt(rows)")};
  }
  StepRule rule(const StepContext& context) const;
};

/// c / sqrt(t) [Song13].
struct InverseSqrtStep {
  static constexpr std::string_view kName = "inverse_sqrt";
  static constexpr std::string_view kSummary = "step_numerator / sqrt(t)";
  double step_numerator = 1;
  static constexpr auto fields() {
    return std::tuple{field("step_numerator", &InverseSqrtStep::step_numerator, "the c of c/sqrt(t)")};
  }
  StepRule rule(const StepContext& context) const;
};

/// min(cap, 1/(lambda t)); cap 0 stands for 1/(beta + lambda) [Wu17, Algorithm 2 and Lemma 8].
struct CappedInverseStep {
  static constexpr std::string_view kName = "capped_inverse";
  static constexpr std::string_view kSummary = "min(step_cap, 1/(lambda t)); needs lambda above 0";
  double step_cap = 0;
  static constexpr auto fields() {
    return std::tuple{field("step_cap", &CappedInverseStep::step_cap, "largest step; 0 = 1/(beta + lambda)")};
  }
  StepRule rule(const StepContext& context) const;
};

/// 1/(lambda t) without a cap [Song13].
struct InverseStep {
  static constexpr std::string_view kName = "inverse";
  static constexpr std::string_view kSummary = "1/(lambda t), uncapped; needs lambda above 0";
  static constexpr auto fields() { return std::tuple{}; }
  StepRule rule(const StepContext& context) const;
};

/// 2/(beta (t + m^c)) [Wu17, Corollary 2].
struct DecreasingStep {
  static constexpr std::string_view kName = "decreasing";
  static constexpr std::string_view kSummary = "2/(beta (t + rows^step_power))";
  double step_power = 0.5;
  static constexpr auto fields() {
    return std::tuple{field("step_power", &DecreasingStep::step_power, "the c of rows^c, in [0, 1)")};
  }
  StepRule rule(const StepContext& context) const;
};

/// 2/(beta (sqrt(t) + m^c)) [Wu17, Corollary 3].
struct SquareRootStep {
  static constexpr std::string_view kName = "square_root";
  static constexpr std::string_view kSummary = "2/(beta (sqrt(t) + rows^step_power))";
  double step_power = 0.5;
  static constexpr auto fields() {
    return std::tuple{field("step_power", &SquareRootStep::step_power, "the c of rows^c, in [0, 1)")};
  }
  StepRule rule(const StepContext& context) const;
};

/// capped_inverse when lambda is above 0, otherwise constant.
struct DefaultStep {
  static constexpr std::string_view kName = "default";
  static constexpr std::string_view kSummary = "capped_inverse when lambda is above 0, otherwise constant";
  static constexpr auto fields() { return std::tuple{}; }
  StepRule rule(const StepContext& context) const;
};

using StepSchedule = std::variant<DefaultStep, ConstantStep, InverseSqrtStep, CappedInverseStep, InverseStep,
                                  DecreasingStep, SquareRootStep>;

/// The rule in words: "min(3.85, 100 / t)".
std::string describe(const StepRule& rule);

/// The schedule with its public numbers filled in; throws Error{invalid_argument} for what makes no sense.
StepRule step_rule(const StepSchedule& schedule, const StepContext& context);

}  // namespace sotto
