#pragma once
#include <string>
#include <vector>

#include "capi/sotto_c.h"
#include "sotto/privacy/ledger/record_store.h"

namespace sotto::capi {

/// Records on their way between the library and the host's store. The answers of its callbacks end as Stopped.
class StoreRecords final : public RecordStore {
 public:
  explicit StoreRecords(const sotto_store& store) : store_(store) {}

  StoredRecords read(std::uint64_t first) override;
  bool append(const LedgerRecord& record, const std::string* bytes) override;
  std::string bytes_of(std::uint64_t entry) override;
  LedgerPlace place() const override { return {store_.place, "", 0}; }
  Digest key(const LedgerPlace& place) const override;
  /// While another process has the anchor the host is asked whether to go on waiting.
  Anchor lock(const std::string& path, const std::string& id) override;
  void prepare() override;
  std::string analyst() const override { return store_.analyst != nullptr ? store_.analyst : ""; }

 private:
  std::vector<LedgerRecord> records(std::uint64_t first) const;
  StoredHead head() const;

  sotto_store store_;
};

}  // namespace sotto::capi
