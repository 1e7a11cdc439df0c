#pragma once
#include <string_view>

#include "sotto/data/schema.h"

namespace sotto::cli {

/// Columns declared by flags: "age=17:90" or "income=0:100000:log1p"; "job=admin,blue-collar,other"; a column of that name declared before
/// is replaced.
void declare_range(Schema& schema, std::string_view flag);
void declare_category(Schema& schema, std::string_view flag);
void declare_ignored(Schema& schema, std::string_view name);
/// A column of texts whose values are still to be found.
void declare_text(Schema& schema, std::string_view name);

}  // namespace sotto::cli
