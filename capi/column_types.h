#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sotto/data/schema.h"

namespace sotto::capi {

/// What the types of a table's columns say before a row is read: numbers, texts, or one of a closed list of texts (the
/// labels of an enum; false and true). Types are as public as the names of columns.
class ColumnTypes {
 public:
  /// {"age": "number", "note": "text", "born": "days", "home": ["city", "town"]}; a column that is left out may be
  /// anything. A point in time is read as the number of days or seconds since 1970.
  explicit ColumnTypes(const char* json);

  bool is_text(const std::string& column) const;
  /// What a point in time counts; empty for other columns.
  std::string counts(const std::string& column) const;
  /// The values of a closed list.
  std::optional<std::vector<std::string>> values(const std::string& column) const;
  const nlohmann::ordered_json& all() const noexcept { return types_; }

 private:
  nlohmann::ordered_json types_;
};

/// Columns and the label of closed lists, declared as their types say.
Schema declared_by_types(const std::string& label, const ColumnTypes& types);

/// Declares of a label what its type knows and `declared`, the keys that are given (classes, positive, negative), leave
/// open: both classes, or the other one.
void declare_label(const ColumnTypes& types, const nlohmann::ordered_json& declared, Label& label);

/// Throws Error{invalid_argument} for declarations that no value of the column could ever meet, and for those that were
/// forgotten: every row would be the zero row. `label_given`: its classes were declared.
void require_fitting(const Schema& schema, const ColumnTypes& types, bool label_given);

}  // namespace sotto::capi
