#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "data_flags.h"
#include "sotto/data/schema.h"
#include "sotto/optim/engine.h"

namespace sotto::cli {

/// Rows that can be opened for training, and the public encoding they go through.
struct Source {
  std::unique_ptr<RowSource> rows;
  Schema schema;
};

struct EngineChoice {
  std::string name = "auto";  ///< auto takes in_memory for text files and out_of_core for block files
  std::size_t memory_mb = 256;
};

/// A text file read through its schema, or a block file, which carries its own. Reads headers, no rows (unless bounds
/// are to be taken from them).
Source open_source(const std::string& path, const SchemaFlags& flags, const EngineChoice& choice);
/// A text file read through a schema at hand.
Source open_text(const std::string& path, const Schema& schema, const EngineChoice& choice);

}  // namespace sotto::cli
