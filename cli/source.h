#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "data_flags.h"
#include "sotto/data/schema.h"
#include "sotto/optim/engine.h"

namespace sotto::cli {

/// Rows ready to be trained on, and the public encoding they went through.
struct Source {
  std::unique_ptr<Engine> engine;
  Schema schema;
};

struct EngineChoice {
  std::string name = "auto";  ///< auto takes in_memory for text files and out_of_core for block files
  std::size_t memory_mb = 256;
};

/// Opens a text file through its schema, or a block file, which carries its own.
Source open_source(const std::string& path, const SchemaFlags& flags, const EngineChoice& choice);

}  // namespace sotto::cli
