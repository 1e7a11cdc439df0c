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
  /// {"age": "number", "note": "text", "home": ["city", "town"]}; a column that is left out may be anything.
  explicit ColumnTypes(const char* json);

  bool is_text(const std::string& column) const;
  /// The values of a closed list.
  std::optional<std::vector<std::string>> values(const std::string& column) const;
  const nlohmann::ordered_json& all() const noexcept { return types_; }

 private:
  nlohmann::ordered_json types_;
};

/// Columns and the label of closed lists, declared as their types say.
Schema declared_by_types(const std::string& label, const ColumnTypes& types);

/// Declares the label by its type where nothing else does.
void declare_label(const ColumnTypes& types, Label& label);

/// Throws Error{invalid_argument} for declarations that no value of the column could ever meet, and for those that were
/// forgotten: every row would be the zero row. `label_given`: its classes were declared.
void require_fitting(const Schema& schema, const ColumnTypes& types, bool label_given);

}  // namespace sotto::capi
