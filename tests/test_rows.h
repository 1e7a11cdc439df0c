#pragma once
// Rows for tests: the tables and neighbours of the audit, and a run of permutation SGD over them in a given order.
#include "sensitive_access.h"
#include "sotto/audit/neighbours.h"
#include "sotto/audit/table.h"
#include "sotto/optim/psgd.h"

namespace sotto::test {

using Rows = audit::Table;
using audit::adversarial_pairs;
using audit::background_of;
using audit::distance;
using audit::Feeding;
using audit::kPairFeatures;
using audit::make_pair;
using audit::Order;
using audit::order_with;
using audit::Pair;
using audit::random_background;
using audit::random_row;
using audit::Row;
using audit::shuffled_order;
using audit::stored_order;
using audit::TableEngine;

/// The un-noised weights of the recipe.
inline Vector run(const Recipe& recipe, const Rows& rows, const Feeding& feeding = {}, StepNoise* noise = nullptr) {
  Psgd psgd(recipe, rows.facts(feeding.sparse), noise);
  const Order stored = stored_order(rows.size());
  for (std::uint32_t pass = 0; pass < recipe.passes; ++pass) {
    const Order& order = feeding.orders.empty() ? stored : feeding.orders[pass % feeding.orders.size()];
    rows.feed(psgd, order, feeding.block, feeding.sparse);
  }
  return SensitiveTestAccess::open(std::move(psgd).finish());
}

}  // namespace sotto::test
