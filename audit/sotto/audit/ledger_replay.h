#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/audit/tiny_accountant.h"
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

/// Every way to draw, charged once: it must work once.
std::vector<Finding> audit_charges();

/// Every method of the catalogue trained through a ledger of every filter: what is charged covers what is planned and
/// what neighbours differ by, rows are opened under a reservation, and totals stand audit_ledger().
std::vector<Finding> audit_charged_trainings();

/// Of the noise from its ideal law, by the digest of the request.
using Distances = std::map<std::string, double>;
/// What these lines cost in the filter's currency, delta aside, by the tiny accountant.
double loss_in(const Filter& filter, const std::vector<tiny::Line>& lines);
/// Every total of this ledger, loss and delta, from its records, by the tiny accountant; the largest gap beyond
/// rounding. What a distance costs that is not given here is taken from the record.
Finding audit_ledger(Ledger& ledger, const Distances& distances = {});

}  // namespace sotto::audit
