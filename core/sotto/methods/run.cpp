#include "sotto/methods/run.h"

#include "sotto/random/bit_source.h"

namespace sotto {

ScanOrder scan_order(RowOrder kind, const Engine& engine, const std::optional<std::uint64_t>& seed) {
  ScanOrder order;
  order.kind = kind == RowOrder::stored ? ScanOrder::Kind::stored : ScanOrder::Kind::shuffled;
  order.fresh = kind == RowOrder::fresh;
  order.block_rows = engine.block_rows();
  BitSource coins = seed ? BitSource(ReproducibleSeed{*seed}) : BitSource();
  coins.fill(order.key);
  return order;
}

}  // namespace sotto
