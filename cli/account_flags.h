#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "field_flags.h"
#include "sotto/model/json.h"
#include "sotto/privacy/accountant/release_plan.h"
#include "sotto/privacy/accountant/report.h"

namespace sotto::cli {

/// The flags `account` and `calibrate` share: a plan of equal releases, the relation and the accountant.
class AccountFlags {
 public:
  explicit AccountFlags(CLI::App& app);

  ReleasePlan plan() const;
  bool given(const std::string& field) const { return plan_.given().contains(field); }
  std::optional<double> epsilon() const { return number("epsilon"); }
  std::optional<double> delta() const { return number("delta"); }
  Relation relation() const;
  AccountantChoice accountant() const;

 private:
  std::optional<double> number(const std::string& field) const;
  FieldFlags plan_;
  FieldFlags target_;
};

/// "rate 0.01", or "one row of 100 rows a step" with replacement.
std::string rows_text(const ReleasePlan& plan);

}  // namespace sotto::cli
