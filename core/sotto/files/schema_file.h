#pragma once
#include <string>

#include "sotto/data/schema.h"

namespace sotto {

/// Reads a schema file of at most 16 MiB.
Schema read_schema(const std::string& path);

/// The encoding of a model, for rows it was not trained on. A file of labels belongs to its rows: the one that the
/// model was trained with is never read again. `labels_file` is that of the rows at hand; empty: beside them.
Schema schema_for_other_rows(const std::string& encoding, const std::string& labels_file = {});

}  // namespace sotto
