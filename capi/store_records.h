#pragma once
#include <string>
#include <vector>

#include "capi/store_ledger.h"

/// Records on their way between the library and the host's store.
namespace sotto::capi {

std::vector<LedgerRecord> read_records(const sotto_store& store, std::uint64_t first);
/// What the host keeps beside the records.
struct HostHead {
  std::uint64_t sequence = 0;
  std::string hash;
  Filter::Cost spent;
  Filter::Cost limit;
  std::string filter;
  std::string relation;
  double epsilon = 0;
  double delta = 0;
  std::string fingerprint;
};
HostHead read_head(const sotto_store& store);
std::string read_bytes(const sotto_store& store, std::uint64_t entry);
/// Lets the host get ready to append, before an anchor is locked. Throws Stopped if it cannot.
void prepare(const sotto_store& store);
/// Whether the host committed it: false if another record came first. Throws Stopped for anything else. `terms` go with
/// the first record, `bytes` with a release.
bool append_record(const sotto_store& store, const LedgerRecord& record, const LedgerTerms* terms,
                   const std::string* bytes);

/// The detail of a `placed` record: where the ledger is and which rows it is about.
std::string place_text(const LedgerPlace& place, const Binding& binding);
Binding binding_from(const std::string& detail);
/// The ledger's random key.
Digest key_of(const Binding& binding);
/// What stands for the rows in digests of requests: nobody without the ledger's key can compare it with a guess.
std::string tag_of(const Binding& binding);

}  // namespace sotto::capi
