#pragma once
#include <cstdint>
#include <string>

#include "sotto/privacy/accountant/filter.h"

/// Shares of a budget: how much of it one analyst may spend. All shares together may exceed the budget, which is the
/// limit of all of them; a share says nothing about privacy, only how much one analyst may spend.
namespace sotto {

/// In millionths, so that every replay computes the same limit.
inline constexpr std::uint32_t kWholeBudget = 1'000'000;

/// Throws Error{invalid_argument} about `field` unless 0 <= share <= 1.
std::uint32_t millionths_of(double share, const char* field);

/// The holder's word that an analyst may spend this share of the budget.
struct ShareGrant {
  std::string analyst;
  std::uint32_t millionths = kWholeBudget;
};
std::string text_of(const ShareGrant& grant);
/// Throws Error{invalid_data} for anything but what text_of wrote.
ShareGrant grant_from(const std::string& text);

/// What one analyst may spend and has spent, in the filter's currency.
struct AnalystShare {
  std::string analyst;
  std::uint32_t millionths = kWholeBudget;
  Filter::Cost limit;
  Filter::Cost spent;

  Filter::Cost remaining() const noexcept;
  bool fits(const Filter::Cost& cost) const noexcept;
};

/// The share of a limit, rounded down.
Filter::Cost share_of(const Filter::Cost& limit, std::uint32_t millionths) noexcept;

}  // namespace sotto
