#pragma once
#include <string>

#include "capi/sotto_c.h"
#include "sotto/privacy/ledger/ledger.h"

namespace sotto::capi {

/// A ledger whose records a host keeps (sotto_store). Every decision is the library's; the host commits. The ledger
/// outlives the rows it is bound to.
class StoreLedger final : public Ledger {
 public:
  static void create(const sotto_store& store, LedgerTerms terms, const std::string& fingerprint,
                     const std::string& anchor);
  /// Ledger::move; that nothing is left at a former anchor out of reach is the word of the host's owner.
  static void move(const sotto_store& store, const std::string& anchor);
  static void rebind(const sotto_store& store, const std::string& anchor, const std::string& fingerprint,
                     std::uint64_t rows);
  explicit StoreLedger(const sotto_store& store);
};

}  // namespace sotto::capi
