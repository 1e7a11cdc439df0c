#include "sotto/work/run.h"

#include <algorithm>
#include <exception>

#include "sotto/base/error.h"
#include "sotto/random/bit_source.h"

namespace sotto {
namespace {

/// Passes rows on and reports how many went by.
class ProgressMeter final : public RowConsumer {
 public:
  ProgressMeter(RowConsumer& next, double total_rows, const std::function<void(double)>& report)
      : next_(next), total_rows_(total_rows), report_(report) {}
  void consume(const RowBlock& block) noexcept override {
    // Once the report has thrown nothing of this run is used any more.
    for (std::size_t first = 0; first < block.rows && !thrown_; first += kReportRows) {
      const std::size_t count = std::min(kReportRows, block.rows - first);
      next_.consume(block.slice(first, count));
      rows_ += static_cast<double>(count);
      tell();
    }
  }
  /// Throws what the report threw; rows must be consumed without throwing.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  void tell() noexcept {
    if (thrown_) return;
    try {
      report_(rows_ / total_rows_);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  static constexpr std::size_t kReportRows = 65536;
  RowConsumer& next_;
  double total_rows_;
  const std::function<void(double)>& report_;
  double rows_ = 0;
  std::exception_ptr thrown_;
};

/// The order in which the engine shows its rows: by coins of its own, or by the seed's where one is given.
ScanOrder scan_order(RowOrder kind, const Run& run) {
  ScanOrder order;
  order.kind = kind == RowOrder::stored ? ScanOrder::Kind::stored : ScanOrder::Kind::shuffled;
  order.fresh = kind == RowOrder::fresh;
  order.block_rows = run.engine.block_rows();
  BitSource coins = run.order_seed ? BitSource(ReproducibleSeed{*run.order_seed}) : BitSource();
  coins.fill(order.key);
  return order;
}

}  // namespace

void scan_passes(const Run& run, const Passes& passes, RowConsumer& consumer,
                 const std::function<std::uint64_t()>& steps_done) {
  const ScanOrder order = scan_order(passes.order, run);
  ProgressMeter meter(consumer, static_cast<double>(run.engine.facts().rows) * passes.count, run.progress);
  for (std::uint32_t pass = 0; pass < passes.count; ++pass) {
    run.engine.scan(order, pass, meter);
    meter.rethrow();
    if (steps_done() != (pass + std::uint64_t{1}) * passes.steps_each) {
      throw Error(ErrorKind::internal, "the engine did not feed as many rows as its facts say");
    }
  }
}

}  // namespace sotto
