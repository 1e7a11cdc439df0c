#pragma once
#include <memory>

#include "runner.h"
#include "sotto/optim/engine.h"
#include "sotto/train.h"

namespace sotto::bench {

/// One training pass through the public interface, planning and release included, with the constants of train_dense.
struct LibraryPass {
  Method method;
  double lambda = 0;
};

/// The options every library contender shares: one pass, constant step, rows as stored.
SgdOptions pass_options(std::size_t batch_rows, RowOrder order = RowOrder::stored);

/// The released weights. Noise and order are seeded, so that two engines can be compared to the last bit.
Answer run_pass(Engine& engine, const LibraryPass& pass);

/// Rows of another engine handed on one at a time: the slow way to the same answer.
class RowByRow final : public Engine {
 public:
  explicit RowByRow(Engine& inner) : inner_(inner) {}
  Facts facts() const override { return inner_.facts(); }
  std::uint32_t block_rows() const override { return inner_.block_rows(); }
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    inner_.scan_rows(first, count, consumer);
  }

 private:
  Engine& inner_;
};

}  // namespace sotto::bench
