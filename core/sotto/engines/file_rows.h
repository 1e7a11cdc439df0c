#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "sotto/data/encoder.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/optim/engine.h"

/// Files as sources of rows. Reads headers, and rows only when they are opened.
namespace sotto {

struct EngineChoice {
  std::string name = "auto";  ///< in_memory; auto and out_of_core: block files stay on disk
  std::uint32_t memory_mb = 256;
};

/// A text or IDX file, read into memory through its schema, which must be complete.
std::unique_ptr<RowSource> text_rows(const std::string& path, const Schema& schema);
/// A block file, which carries its own schema. What is opened later must have the same.
std::unique_ptr<RowSource> block_rows(const BlockFile& file, const EngineChoice& choice);

}  // namespace sotto
