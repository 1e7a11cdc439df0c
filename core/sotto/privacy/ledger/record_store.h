#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/privacy/ledger/anchor.h"
#include "sotto/privacy/ledger/record.h"

namespace sotto {

/// What a store keeps beside its records, to be compared with them.
struct StoredHead {
  /// What the first record fixed and the last place says, where the store keeps that too.
  struct Terms {
    std::string filter;
    std::string relation;
    double epsilon = 0;
    double delta = 0;
    std::string fingerprint;
  };
  std::uint64_t sequence = 0;  ///< of the last record
  std::string hash;
  Filter::Cost spent;
  Filter::Cost limit;
  std::optional<Terms> terms{};
};

/// Records, the oldest first, and the head that was there with the last of them.
struct StoredRecords {
  std::vector<LedgerRecord> records;
  std::optional<StoredHead> head;
};

/// Where the records of one ledger are kept: it reads, commits and says where it is. It decides nothing; the protocol
/// is the ledger's.
class RecordStore {
 public:
  virtual ~RecordStore() = default;

  /// The records from the number `first` on, with the head as it was at that moment.
  virtual StoredRecords read(std::uint64_t first) = 0;
  /// Commits and flushes the record together with the bytes that are released, if any. False, and nothing written, if
  /// it does not follow the last one that is there.
  virtual bool append(const LedgerRecord& record, const std::string* bytes) = 0;
  virtual std::string bytes_of(std::uint64_t entry) = 0;
  /// Of this copy: path and inode. A copy elsewhere has another path or another inode.
  virtual LedgerPlace place() const = 0;
  /// The ledger's random key, which is kept here or in the record of its place.
  virtual Digest key(const LedgerPlace& place) const = 0;

  /// Locks an anchor.
  virtual Anchor lock(const std::string& path, const std::string& id) { return {path, id}; }
  /// Called before an anchor is locked in order to write: nothing that `append` has to wait for is waited for later.
  virtual void prepare() {}
  /// Who is charged for what is asked now, where the store knows.
  virtual std::string analyst() const { return {}; }
  /// Throws Error{invalid_data} unless the store itself is whole and keeps what so many entries released, no more.
  virtual void check_whole(std::uint64_t /*released*/) {}
};

}  // namespace sotto
