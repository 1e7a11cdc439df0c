#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/privacy/accountant/bound.h"
#include "sotto/privacy/event.h"

/// What a plan that is fixed before the first row is read promises: the tightest accountant and all others. For
/// spending that is decided later use a Filter.
namespace sotto {

enum class AccountantChoice { automatic, pure, zcdp, rdp, gdp, pld };
constexpr auto enum_names(AccountantChoice) {
  return std::array{std::pair{std::string_view("auto"), AccountantChoice::automatic},
                    std::pair{std::string_view("pure"), AccountantChoice::pure},
                    std::pair{std::string_view("zcdp"), AccountantChoice::zcdp},
                    std::pair{std::string_view("rdp"), AccountantChoice::rdp},
                    std::pair{std::string_view("gdp"), AccountantChoice::gdp},
                    std::pair{std::string_view("pld"), AccountantChoice::pld}};
}

/// One accountant's answer, or why it has none.
struct AccountLine {
  AccountantChoice accountant = AccountantChoice::automatic;
  std::string_view theorem;
  std::optional<Bound> value;  ///< lower is 0 where the accountant only bounds from above
  std::string detail;          ///< in the accountant's own currency: "rho 0.5", "order 8"
  std::string refused;
};

struct AccountReport {
  AccountantChoice tightest = AccountantChoice::automatic;  ///< the one with the smallest upper bound
  Bound value;                                              ///< its upper bound, the largest lower bound of all
  std::vector<AccountLine> lines;
  const AccountLine& line(AccountantChoice accountant) const;
};

/// epsilon at delta, or delta at epsilon, by `only` or by all. Throws Error{unsupported} if no accountant applies, or
/// none has a finite epsilon at delta 0.
AccountReport account_epsilon(const Event& event, Relation relation, double delta,
                              AccountantChoice only = AccountantChoice::automatic);
AccountReport account_delta(const Event& event, Relation relation, double epsilon,
                            AccountantChoice only = AccountantChoice::automatic);

}  // namespace sotto
