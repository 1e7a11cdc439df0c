#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sotto/base/sha256.h"
#include "sotto/data/schema.h"
#include "sotto/files/byte_source.h"

namespace sotto {

/// Identifies the raw data a budget belongs to, whatever the file is called, however its columns are read, and whether
/// it was gzipped or packed: SHA-256 of the unpacked bytes of a text file; of an IDX file, SHA-256 over the digests of
/// items and labels; of a block file, what its header says about its source. Reads bytes, parses no row. An identifier
/// and no more: another line, or the same rows in another order, is other data to it.
/// Throws Error{unsupported} for a block file that does not say what it was made from.
Digest fingerprint_of(const std::string& path, const Schema& schema);
class BlockFile;
Digest fingerprint_of(const BlockFile& file);

/// The same fingerprint taken from the bytes while they are parsed. A file may change between two readings of it; of
/// what went through here, rows and fingerprint belong together.
class FingerprintTap {
 public:
  /// Passes the bytes of one file on. The items of an IDX file come first, then its labels; a text file is alone.
  std::unique_ptr<ByteSource> through(std::unique_ptr<ByteSource> source);
  /// Of everything that was read, for when the readers have come to the end; to be called once.
  Digest finish();

 private:
  std::vector<std::shared_ptr<Sha256>> files_;
};

}  // namespace sotto
