#pragma once
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "sotto/data/row_check.h"
#include "sotto/data/schema.h"
#include "sotto/files/column_counts.h"
#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/budget.h"
#include "sotto/privacy/choice.h"

namespace sotto {

struct BoundsRequest {
  Schema schema;           ///< what is declared. Open: numbers without a range, categories without values
  bool columns = true;     ///< find what is open about columns; otherwise numbers are taken as they are
  bool data_norm = false;  ///< find the norm, of the rows as they are encoded then
  Budget budget;           ///< for all of it together; categories need delta above 0
  double tail = 0.01;      ///< share of the rows that may lie beyond a bound
  std::uint32_t max_categories = 64;
  HearCheck check{};   ///< who may read the rows, before anything is charged; unset: they are not checked
  Filter::Cost leave;  ///< with a ledger: what must be left of it afterwards, for what comes next

  static constexpr auto fields() {
    return std::tuple{
        field("tail", &BoundsRequest::tail, "share of the rows that may lie beyond a bound that is found"),
        field("max_categories", &BoundsRequest::max_categories, "the most values that are found of one text column")};
  }
};

/// What will be drawn and what it costs: a function of declarations and of the names of the columns. Reads no row.
struct BoundsPlan {
  Schema schema;                  ///< complete but for what is open; without a norm
  std::vector<OpenColumn> open;   ///< in the order of the file
  std::vector<std::size_t> into;  ///< of each: its place in schema.columns
  double epsilon_each = 0;        ///< of every draw
  double allowed = 0;             ///< see Discovery
  std::vector<Charge> charges;
  double epsilon = 0;  ///< of all draws together
  double delta = 0;
  double distance = 0;  ///< in total variation, from laws that cost the charges alone
};
/// Throws Error{invalid_argument} if nothing is open or the budget cannot pay for what is. With the names of the file's
/// columns at hand the file is not opened, but for the first bytes that tell a block file.
BoundsPlan plan_bounds(const std::string& path, const BoundsRequest& request,
                       const std::vector<std::string>* columns = nullptr);
/// The same for the norm alone, whatever the schema says.
BoundsPlan plan_data_norm(const BoundsRequest& request);

/// Choices by the scores of BoundCounts, with a public preference for the tighter of two candidates: a size over
/// size_grid(), then a lower and an upper bound over range_grid() of that size.
Choice size_choice(double epsilon);
Choice lower_choice(double epsilon);
Choice upper_choice(double epsilon);

}  // namespace sotto
