#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sotto/methods/bounds_plan.h"
#include "sotto/train.h"

/// Bounds that were not declared, found in the rows under a budget (spec 8): ranges of numeric columns, values of text
/// columns, the norm rows are clipped to. The schema that comes out is a private release; it carries its cost.
namespace sotto {

/// Plan, charge, read, release. No budget is enforced; a seeded source marks the schema as taken from the data.
Schema find_bounds(const std::string& path, const BoundsRequest& request, BitSource& bits);

/// The norm alone, for rows that are in no file: `counts` has their norms before they are clipped, over size_grid().
struct FoundNorm {
  double data_norm = 0;
  BoundsCost cost;
  std::vector<std::string> not_private;  ///< for TrainRequest: reasons, as a seeded source; empty for a private norm
  bool stored = false;                   ///< an earlier answer to the same request, free of charge
};
FoundNorm find_data_norm(const BoundCounts& counts, const Budget& budget, double tail, BitSource& bits);

/// What left, as it is stored in the ledger.
struct FoundSchema {
  Schema schema;
  bool stored = false;  ///< an earlier answer to the same request, free of charge
};
/// The same under a budget, by the rules of training: reserved durably before a row is read, refused and nothing
/// charged if it does not fit, stored before it is returned.
FoundSchema find_bounds(const std::string& path, const BoundsRequest& request, BitSource& bits, const LedgerUse& use);

/// Rows that are in no file, and whose norms are not counted before the charge.
struct NormSource {
  Digest fingerprint{};                ///< of the raw rows
  std::string encoding;                ///< what is declared about them, in canonical form: a part of the request
  std::function<BoundCounts()> count;  ///< their norms before they are clipped, over size_grid()
};
/// find_data_norm under a budget; of the request `budget`, `tail` and `leave` count. A part of the ledger's data is
/// charged whatever was answered before.
FoundNorm find_data_norm(const NormSource& rows, const BoundsRequest& request, BitSource& bits, const LedgerUse& use);

}  // namespace sotto
