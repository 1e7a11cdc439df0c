#pragma once
#include <string>

#include "sotto/base/sha256.h"
#include "sotto/data/schema.h"

namespace sotto {

/// Identifies the raw data a budget belongs to, whatever the file is called, however its columns are read, and whether
/// it was gzipped or packed: SHA-256 of the unpacked bytes of a text file; of an IDX file, SHA-256 over the digests of
/// items and labels; of a block file, what its header says about its source. Reads bytes, parses no row. An identifier
/// and no more: another line, or the same rows in another order, is other data to it.
/// Throws Error{unsupported} for a block file that does not say what it was made from.
Digest fingerprint_of(const std::string& path, const Schema& schema);

}  // namespace sotto
