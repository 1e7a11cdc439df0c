#include "capi/store_ledger.h"

#include "capi/boundary.h"
#include "capi/store_records.h"
#include "sotto/privacy/ledger/files.h"

namespace sotto::capi {
namespace {

Digest parsed(const std::string& fingerprint) {
  Digest digest{};
  require(digest_from_hex(fingerprint, digest), "fingerprint", "must be 64 hexadecimal digits");
  return digest;
}

}  // namespace

StoreLedger::StoreLedger(const sotto_store& store) : Ledger(std::make_unique<StoreRecords>(store)) {}

void StoreLedger::move(const sotto_store& store, const std::string& anchor) {
  Ledger::move(std::make_unique<StoreRecords>(store), anchor, Former::gone);
}

void StoreLedger::rebind(const sotto_store& store, const std::string& anchor, const std::string& fingerprint,
                         std::uint64_t rows) {
  parsed(fingerprint);
  Ledger::rebind(std::make_unique<StoreRecords>(store), anchor, {fingerprint, rows});
}

void StoreLedger::create(const sotto_store& store, LedgerTerms terms, const std::string& fingerprint,
                         const std::string& anchor) {
  const std::uint64_t rows = terms.rows;
  const NewLedger made(std::move(terms), {store.place, anchor, 0, RowBinding{fingerprint, rows}}, parsed(fingerprint));
  // An anchor that is there already is not replaced.
  if (exists(anchor)) {
    throw FileError(ErrorKind::invalid_data, anchor,
                    "these rows had a ledger before, and its anchor is still there; a budget is granted once");
  }
  StoreRecords records(store);
  records.prepare();
  for (const LedgerRecord& record : made.records) {
    if (records.append(record, nullptr)) continue;
    throw Error(ErrorKind::invalid_data, "a ledger that is being made has records of another", "ledger");
  }
  Anchor::create(anchor, made.id, made.last());
}

}  // namespace sotto::capi
