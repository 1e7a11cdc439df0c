#include "account_flags.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto::cli {

AccountFlags::AccountFlags(CLI::App& app) : plan_(app, "Plan"), target_(app, "Guarantee") {
  plan_.add_struct<ReleasePlan>();
  target_.add("epsilon", "privacy loss");
  target_.add("delta", "probability outside the loss");
  target_.add("relation", "which data sets are neighbours", choices_of<Relation>());
  target_.add("accountant", "who adds up; auto asks all, and the tightest counts", choices_of<AccountantChoice>());
}

ReleasePlan AccountFlags::plan() const {
  ReleasePlan plan;
  std::set<std::string> used;
  apply_fields(plan, plan_.given(), used);
  return plan;
}

std::optional<double> AccountFlags::number(const std::string& field) const {
  const auto found = target_.given().find(field);
  if (found == target_.given().end()) return {};
  return parse_value<double>(found->second, field);
}

Relation AccountFlags::relation() const {
  const auto found = target_.given().find("relation");
  return found == target_.given().end() ? Relation::replace_one : parse_value<Relation>(found->second, "relation");
}

AccountantChoice AccountFlags::accountant() const {
  const auto found = target_.given().find("accountant");
  return found == target_.given().end() ? AccountantChoice::automatic
                                        : parse_value<AccountantChoice>(found->second, "accountant");
}

std::string rows_text(const ReleasePlan& plan) {
  if (plan.sampling != Sampling::with_replacement) return "rate " + number_text(plan.rate);
  return fmt::format("one row of {:.0f} rows a step", std::round(1 / plan.rate));
}

}  // namespace sotto::cli
