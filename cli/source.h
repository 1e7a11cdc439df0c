#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "data_flags.h"
#include "sotto/data/schema.h"
#include "sotto/engines/file_rows.h"
#include "sotto/privacy/ledger/record.h"

namespace sotto::cli {

/// Rows that can be opened for training, and the public encoding they go through.
struct Source {
  std::unique_ptr<RowSource> rows;
  Schema schema;
  std::optional<std::uint64_t> block_file{};  ///< its id, if it is one
};

/// A text file read through its schema, or a block file, which carries its own. Reads headers, no rows (unless bounds
/// are to be taken from them). With the terms of a ledger text is read as they say, and its header is not read either.
Source open_source(const std::string& path, const SchemaFlags& flags, const EngineChoice& choice,
                   const LedgerTerms* terms = nullptr);
/// Throws unless the engine is one that reads text files.
void check_text_engine(const EngineChoice& choice);
/// A text file read through a schema at hand.
Source open_text(const std::string& path, const Schema& schema, const EngineChoice& choice,
                 const LedgerTerms* terms = nullptr);

}  // namespace sotto::cli
