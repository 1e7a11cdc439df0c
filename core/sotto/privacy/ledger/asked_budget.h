#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sotto/privacy/accountant/filter.h"

namespace sotto {

/// What a holder says about the budget of a new ledger. What is left out has the same default in every front end.
struct AskedBudget {
  double epsilon = 0;
  std::optional<double> delta{};  ///< none: default_delta of the rows; refused where their number is not known
  std::string filter{};           ///< by its name; empty: sum, in which a request costs what it asks for
  double rdp_order = 0;
  Relation relation = Relation::replace_one;
};

/// The filter of a new ledger for so many rows, unspent. Throws Error{invalid_argument} for a budget that is none.
Filter opened_filter(const AskedBudget& asked, std::uint64_t rows);

}  // namespace sotto
