#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/event.h"

/// Spending that is decided after earlier outputs were seen (spec 6.4). A filter is fixed when the budget is opened and
/// never changes its currency; the guarantee is its budget, whatever was spent. Accountants of fixed plans return
/// numbers, not a Cost, so none can be used here.
namespace sotto {

/// sum: epsilon and delta add. zcdp: rho adds. rdp: the divergence of one order adds. gdp: mu^2 adds, Gaussian only.
enum class FilterKind { sum, zcdp, rdp, gdp };
constexpr auto enum_names(FilterKind) {
  return std::array{
      std::pair{std::string_view("sum"), FilterKind::sum}, std::pair{std::string_view("zcdp"), FilterKind::zcdp},
      std::pair{std::string_view("rdp"), FilterKind::rdp}, std::pair{std::string_view("gdp"), FilterKind::gdp}};
}

class Filter {
 public:
  /// One unit of `loss` is 1e-12 of the filter's currency (epsilon, rho, divergence or mu^2); of `delta`, 1e-18.
  static constexpr std::uint64_t kLossUnits = 1'000'000'000'000;
  static constexpr std::uint64_t kDeltaUnits = 1'000'000'000'000'000'000;
  static constexpr int kDeltaPlaces = 18;

  /// An amount in the filter's currency, in whole units. Both numbers fit a signed 64-bit integer.
  struct Cost {
    std::uint64_t loss = 0;
    std::uint64_t delta = 0;
    bool operator==(const Cost&) const = default;
    /// The nearest doubles to the exact decimals: 1e-06, not 1.0000000000000002e-06.
    double loss_number() const noexcept { return static_cast<double>(loss) / static_cast<double>(kLossUnits); }
    double delta_number() const noexcept { return static_cast<double>(delta) / static_cast<double>(kDeltaUnits); }
  };
  /// Everything a filter is, as integers and declared numbers; reopens to the same filter.
  struct State {
    FilterKind kind = FilterKind::zcdp;
    Budget budget;         ///< the guarantee: (epsilon, delta) under a relation
    double rdp_order = 0;  ///< rdp only
    Cost limit;            ///< the budget in the filter's currency, rounded down
    Cost spent;
  };
  /// The largest parameter of one more request of this kind that still fits, rounded down; 0: none.
  struct Fit {
    std::string_view event;
    std::string_view parameter;
    double largest = 0;
  };

  /// A filter whose whole limit implies the budget. zcdp, rdp and gdp need delta above 0 and keep one thousandth of it
  /// for numerical distances; for rdp, order 0 takes the order with the largest limit.
  static Filter open(FilterKind kind, const Budget& budget, double rdp_order = 0);
  /// The filter that a stored state describes. Throws Error{invalid_data} if its limit is not the budget's or is
  /// overspent.
  static Filter reopen(const State& state);

  /// What the event costs, rounded up. `distance` is the total-variation distance between the noise drawn and the ideal
  /// law over the whole event; (1 + e^epsilon) distance is charged as delta. Throws Error{unsupported} for events that
  /// have no price in this currency.
  Cost cost_of(const Event& event, double distance = 0) const;
  /// Whether spent + cost stays within the limit, by exact integers.
  bool fits(const Cost& cost) const noexcept;
  /// Throws Error{budget_exceeded}, naming what is left, unless it fits; nothing is spent then.
  void spend(const Cost& cost);
  /// Tests and spends; false, and nothing spent, if it does not fit.
  bool try_spend(const Event& event, double distance = 0);

  FilterKind kind() const noexcept { return state_.kind; }
  const Budget& budget() const noexcept { return state_.budget; }
  double rdp_order() const noexcept { return state_.rdp_order; }
  Cost limit() const noexcept { return state_.limit; }
  Cost spent() const noexcept { return state_.spent; }
  Cost remaining() const noexcept;
  /// The largest delta that one more request could cost under `sum`.
  double remaining_delta() const;
  const State& state() const noexcept { return state_; }

  /// The currency in words: "epsilon and delta", "rho (zCDP)", "RDP at order 8", "mu^2 (GDP)".
  std::string currency() const;
  /// The cost in decimals of the currency, exact: "0.25", or "0.25, delta 1e-9" where delta is not 0.
  static std::string text_of(const Cost& cost);
  /// A number of delta units as a decimal, exact.
  static std::string delta_text(std::uint64_t units);
  /// What one more request could be, for each kind this filter takes.
  std::vector<Fit> what_fits() const;

 private:
  explicit Filter(const State& state) : state_(state) {}
  State state_;
};

}  // namespace sotto
