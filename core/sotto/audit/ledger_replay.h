#pragma once
#include <cstdint>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/privacy/ledger/ledger.h"

/// Layer 2: what was charged, recomputed from the log alone; and random adaptive spending, which must never get past
/// its budget nor draw once it is short.
namespace sotto::audit {

struct LedgerOptions {
  std::uint64_t paths = 10000;
  std::uint64_t seed = 1;
};
std::vector<Finding> audit_ledgers(const LedgerOptions& options);

/// Every total of this ledger from its records, by the tiny accountant; the largest relative difference.
Finding audit_ledger(Ledger& ledger);

}  // namespace sotto::audit
