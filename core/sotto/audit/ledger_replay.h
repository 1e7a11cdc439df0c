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
/// Everything below.
std::vector<Finding> audit_ledgers(const LedgerOptions& options);

/// What every plan of the product promises (trainings under both relations, intervals, tuning, bounds), recomputed from
/// the text of its charges.
std::vector<Finding> audit_plans();

/// Every total of this ledger from its records, by the tiny accountant; the largest gap beyond rounding.
Finding audit_ledger(Ledger& ledger);

}  // namespace sotto::audit
